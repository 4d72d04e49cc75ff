package builtin

import (
	"crypto/sha256"
	"sync"

	"github.com/socrates-cli/socrates/internal/tool"
)

// Seen is what the model knows of the files: of each, by its absolute path, the hash of what it last read or wrote. A
// file is changed only while that is still what it holds.
type Seen struct {
	mu   sync.Mutex
	sums map[string][sha256.Size]byte
}

// seen is the session's. Without a session nothing was ever seen.
func seen(env tool.Env) *Seen {
	return tool.Of(env.Session, func() *Seen { return &Seen{sums: map[string][sha256.Size]byte{}} })
}

// Note remembers that path holds body.
func (s *Seen) Note(path string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[path] = sha256.Sum256(body)
}

// Forget: path is gone.
func (s *Seen) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sums, path)
}

// Knows says whether path was seen at all, and whether what was seen is body.
func (s *Seen) Knows(path string, body []byte) (ever, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, ever := s.sums[path]
	return ever, ever && sum == sha256.Sum256(body)
}
