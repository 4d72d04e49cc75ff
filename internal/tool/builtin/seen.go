package builtin

import (
	"crypto/sha256"
	"sync"

	"github.com/socrates-cli/socrates/internal/tool"
)

// Seen is what the model knows of the files: by absolute path, the hash of what it last read or wrote. A file may be
// changed only while it still has that content.
type Seen struct {
	mu   sync.Mutex
	sums map[string][sha256.Size]byte
}

// seen returns the session's value. Without a session nothing counts as seen.
func seen(env tool.Env) *Seen {
	return tool.Of(env.Session, func() *Seen { return &Seen{sums: map[string][sha256.Size]byte{}} })
}

// Note records that path contains body.
func (s *Seen) Note(path string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[path] = sha256.Sum256(body)
}

// Forget records that path is gone.
func (s *Seen) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sums, path)
}

// Knows reports whether path was seen at all, and whether body is what was seen.
func (s *Seen) Knows(path string, body []byte) (ever, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, ever := s.sums[path]
	return ever, ever && sum == sha256.Sum256(body)
}
