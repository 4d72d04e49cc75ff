package runs

import (
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Most files that are looked at for the size of a folder, and how much longer than a look its result is told.
const (
	mostSized = 100_000
	sizeHolds = 20
)

// sizes keeps how large folders were, so that who looks often costs a twentieth of a core at most. The zero value is ready.
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
	defer s.mu.Unlock() // whoever else asks meanwhile wants the same
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

// Load says what a run takes now, by the folder of its workspaces. It looks only when it is asked. Of another machine's run, and of one
// without a folder, it says nothing.
func (l *Library) Load(space string) (now workspace.Load) {
	if space == "" || l.engine.Mirrored() {
		return now
	}
	now = workspace.LoadOf(space)
	now.Disk, now.More = l.sizes.of(space)
	return now
}
