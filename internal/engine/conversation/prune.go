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

// Pruned is a folder whose snapshots were looked through.
type Pruned struct {
	Folder string `json:"folder"`
	Gone   bool   `json:"gone"` // it is not there, so that its snapshots may be all there is of it: they stay
	snapshot.Pruned
}

// PruneFiles drops the states of files that no conversation refers to any more and, with an age that is not negative, those
// that are older; the newest of each folder stays. dry only says what would go.
// It fails where states are not kept at all. An undo whose state was dropped is refused with a sentence of its own.
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
		// All states that a node names, also those of a restore: what it was to bring, what was there, and what was
		// kept of it.
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
