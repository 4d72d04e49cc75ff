package runs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Disk is the disk usage of a run.
type Disk struct {
	Run    string   `json:"run"`
	Bytes  int64    `json:"bytes"`
	Spare  []string `json:"spare"`       // workspaces whose content is in the run's store, so that removing them loses nothing
	Spared int64    `json:"spare_bytes"` // their size
	Kept   []string `json:"kept"`        // workspaces with work that exists nowhere else, or in which a step will continue
}

// Disk measures a run, and lists which of its workspaces could be removed.
func (l *Library) Disk(ctx context.Context, run string) (Disk, error) {
	root, err := l.Root(ctx, run)
	if err != nil {
		return Disk{Run: run, Spare: []string{}, Kept: []string{}}, err
	}
	nodes, s, err := l.byRoot(ctx, root)
	if err != nil {
		return Disk{Run: run, Spare: []string{}, Kept: []string{}}, err
	}
	return disk(ctx, l, nodes, s)
}

func disk(ctx context.Context, l *Library, nodes []tree.Node, s work.Status) (d Disk, err error) {
	d = Disk{Run: s.Frame.Run, Spare: []string{}, Kept: []string{}}
	if s.Begun == nil {
		return d, nil
	}
	d.Bytes = workspace.Size(s.Begun.Space)
	left, err := os.ReadDir(filepath.Join(s.Begun.Space, "tasks"))
	if err != nil || len(left) == 0 {
		return d, nil
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return d, err
	}
	for _, entry := range left {
		spare, err := isSpare(ctx, l, space, s, nodes, entry.Name())
		if err != nil {
			return d, err
		}
		if spare {
			d.Spare = append(d.Spare, entry.Name())
			d.Spared += workspace.Size(space.Place(entry.Name()))
		} else {
			d.Kept = append(d.Kept, entry.Name())
		}
	}
	return d, nil
}

// isSpare reports whether a workspace is no longer needed: its step continues in another one or is merged, and its files are a commit in
// the store. In doubt a workspace is kept.
func isSpare(ctx context.Context, l *Library, space *workspace.Space, s work.Status, nodes []tree.Node, name string) (bool, error) {
	claims := slices.DeleteFunc(record.ClaimKind.All(nodes), func(c record.Claim) bool {
		return record.Conversation(s.Frame.Run, c) != name
	})
	if len(claims) == 0 {
		return false, nil
	}
	c := claims[len(claims)-1]
	if t := s.Task(c.Task); t != nil && t.State != work.Done && t.State != work.Skipped && t.Attempt == c.Attempt {
		return false, nil
	}
	if t := s.Task(c.Task); t != nil && c.Racer > 0 && t.State != work.Done && unchosen(t, c.Attempt) {
		return false, nil
	}
	commit, err := space.Take(ctx, name, c.Base, "A look at a workspace")
	if err != nil {
		return false, nil // it contains a repository, or something else that only a person can judge
	}
	if commit == c.Base {
		return true, nil
	}
	is, err := space.Tree(ctx, commit)
	if err != nil {
		return false, err
	}
	for _, t := range record.TryKind.All(nodes) {
		if t.Task != c.Task || t.Attempt != c.Attempt {
			continue
		}
		if was, err := space.Tree(ctx, t.Commit); err != nil || was == is {
			return err == nil, err
		}
	}
	return false, nil
}

// unchosen reports whether an attempt is part of a race that is not decided.
func unchosen(t *work.Task, attempt int) (in bool) {
	for _, r := range t.Racers {
		if r.Chosen {
			return false
		}
		in = in || r.Attempt == attempt
	}
	return in
}

// Prune removes the workspaces of a run that are no longer needed and whose files are in its store, what checks left behind, and the
// workspaces of deleted runs that are no longer in the trash.
type Prune struct{ Run string }

// Do implements engine.Op.
func (op Prune) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if s.Begun == nil {
		return root, nil
	}
	return root, errors.Join(removeSpare(ctx, l, root, s), forget(ctx, l, filepath.Join(filepath.Dir(s.Begun.Space), asideDir)))
}

// removeSpare removes the workspaces that are no longer needed, and what checks left behind.
func removeSpare(ctx context.Context, l *Library, root tree.ID, s work.Status) error {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	d, err := disk(ctx, l, nodes, s)
	if err != nil {
		return err
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return err
	}
	for _, name := range d.Spare {
		if err := space.Drop(name); err != nil {
			return err
		}
	}
	return space.RemoveProofs()
}
