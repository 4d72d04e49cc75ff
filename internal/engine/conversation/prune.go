package conversation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// Pruned is the result for one folder with snapshots.
type Pruned struct {
	Folder string `json:"folder"`
	Gone   bool   `json:"gone"` // the folder is missing, so its snapshots may be all that is left of it: they stay
	snapshot.Pruned
}

// PruneFiles drops the states of files that no conversation refers to any more and, if age is not negative, those older
// than age; the newest of each folder stays. With dry it only says what it would drop. It fails if states are not saved
// at all. An undo whose state was dropped is refused with its own message.
func (l *Library) PruneFiles(ctx context.Context, age time.Duration, dry bool) ([]Pruned, error) {
	if l.files.Keeper == nil || l.files.Folders == nil {
		return nil, &engine.Refusal{Message: "file snapshots are not available here"}
	}
	nodes, err := l.store.Kind(ctx, string(margin.SnapKind), 0)
	if err != nil {
		return nil, err
	}
	var keep, old []string
	for _, n := range nodes {
		s, _ := margin.SnapKind.Of(n)
		// These are all states that a node names, including those of a restore: the one to restore, the last known one, and
		// the one saved before it.
		if age >= 0 && time.Since(n.At) >= age {
			old = append(old, s.Tree, s.Kept, s.Was, s.Goal)
		} else {
			keep = append(keep, s.Tree, s.Kept, s.Was, s.Goal)
		}
	}
	dirs, err := l.files.Folders()
	out := []Pruned{}
	for _, dir := range dirs {
		p := Pruned{Folder: dir}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			p.Gone = true
		} else {
			k, err := l.files.Keeper(ctx, dir)
			if err != nil {
				return out, err
			}
			if p.Pruned, err = k.Prune(ctx, keep, old, dry); err != nil {
				return out, err
			}
		}
		out = append(out, p)
	}
	return out, err
}
