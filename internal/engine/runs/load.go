package runs

import (
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// mostSized bounds the files that are counted for the size of a folder. A size is kept sizeHolds times as long as it took to compute.
const (
	mostSized = 100_000
	sizeHolds = 20
)

// sizes caches the sizes of folders, so that frequent queries cost at most a twentieth of a core. The zero value is ready.
type sizes struct {
	mu   sync.Mutex
	kept map[string]sized
}

type sized struct {
	bytes int64
	more  bool
	until time.Time
}

func (s *sizes) of(dir string) (bytes int64, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock() // concurrent callers want the same result
	began := time.Now()
	if k, ok := s.kept[dir]; ok && began.Before(k.until) {
		return k.bytes, k.more
	}
	bytes, whole := workspace.SizeOf(dir, mostSized)
	if s.kept == nil {
		s.kept = map[string]sized{}
	}
	ended := time.Now()
	s.kept[dir] = sized{bytes, !whole, ended.Add(sizeHolds * ended.Sub(began))}
	return bytes, !whole
}

// Load is what a run uses now, by the folder of its workspaces. It is measured only on request. It is empty for another machine's run, and
// for one without a folder.
func (l *Library) Load(space string) (now workspace.Load) {
	if space == "" || l.engine.Mirrored() {
		return now
	}
	now = workspace.LoadOf(space)
	now.Disk, now.More = l.sizes.of(space)
	return now
}
