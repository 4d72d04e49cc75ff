package runs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// bin is the trash for runs. The caller that deletes one already holds its lock.
func bin(l *Library) engine.Bin {
	return engine.Bin{Is: "run", Refs: refs, Command: "socrates work",
		Find: func(ctx context.Context, called string) (tree.ID, string, error) {
			root, err := l.Root(ctx, called)
			return root, called, err
		}}
}

// Delete moves runs to the trash, all or none, each with its workspaces except those that are no longer needed. It refuses one whose
// result is in no repository of the person unless it is forced; it always refuses one that is running.
type Delete struct {
	Runs   []string
	Forced bool
}

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (first tree.ID, _ error) {
	l := In(e)
	var all []work.Status
	for _, run := range op.Runs {
		root, s, unlock, err := l.lockRun(ctx, run)
		if err != nil {
			return root, err
		}
		defer unlock()
		if err := unsafe(s); err != nil && !op.Forced {
			return root, err
		}
		all = append(all, s)
	}
	first, err := bin(l).Delete(ctx, l.core, op.Runs...)
	if err != nil {
		return first, err
	}
	var failed error
	for _, s := range all {
		root, err := deletedRoot(ctx, l, s.Frame.Run)
		if err == nil {
			err = errors.Join(putAside(ctx, l, root, s), renameTalks(ctx, l, root, s.Frame.Run, true))
		}
		failed = errors.Join(failed, err)
	}
	return first, failed
}

// unsafe refuses a deletion that would lose work once the trash is emptied.
func unsafe(s work.Status) error {
	run := s.Frame.Run
	if s.Begun == nil {
		return nil
	}
	if s.Head != s.Begun.Base.Commit && !s.Accepted() {
		return &engine.Refusal{Message: "run " + run + " has merged work that was not accepted; nothing was deleted",
			Hint: "accept it: socrates work accept " + run + "; or delete it anyway: --force"}
	}
	if left, err := os.ReadDir(filepath.Join(s.Begun.Space, "tasks")); err == nil && len(left) > 0 {
		return &engine.Refusal{Message: "the work in " + left[0].Name() + " is not merged; nothing was deleted",
			Hint: "inspect it: socrates work open " + run + "; or delete it anyway: --force"}
	}
	return nil
}

// deletedRoot is the first node of a run in the trash.
func deletedRoot(ctx context.Context, l *Library, run string) (tree.ID, error) {
	tip, err := l.store.Tip(ctx, store.TrashRefs+refs+run)
	return tip.Root.ID, err
}

// asideDir is the folder beside the workspaces of runs that contains those of deleted runs, each named by its run and its first node,
// because another run may get the name in the meantime.
const asideDir = ".deleted"

func aside(space, run string, root tree.ID) string {
	return filepath.Join(filepath.Dir(space), asideDir, run+"-"+string(root))
}

// putAside moves the workspaces of a deleted run to where Restore finds them, without those that are no longer needed.
func putAside(ctx context.Context, l *Library, root tree.ID, s work.Status) error {
	if s.Begun == nil {
		return nil
	}
	if _, err := os.Stat(s.Begun.Space); errors.Is(err, fs.ErrNotExist) { // somebody removed it; opening it would create it again
		return nil
	}
	removeSpare(ctx, l, root, s) // in doubt everything is kept
	to := aside(s.Begun.Space, s.Frame.Run, root)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(s.Begun.Space, to); err != nil {
		return err
	}
	now := time.Now()
	return errors.Join(os.Chtimes(to, now, now), forget(ctx, l, filepath.Dir(to)))
}

// renameTalks renames the conversations of a run's agents while the run is in the trash, or gives them their own names back. Otherwise a
// new run of the same name would continue them, and count their cost.
func renameTalks(ctx context.Context, l *Library, root tree.ID, run string, deleted bool) error {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	for _, name := range append(phaseTalks(run), conversations(run, nodes)...) {
		op := conversation.Rename{Tree: name + "-" + string(root), Name: name}
		if deleted {
			op.Tree, op.Name = op.Name, op.Tree
		}
		if _, err := l.engine.Do(ctx, op); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// forget removes the workspaces of runs that are no longer in the trash.
func forget(ctx context.Context, l *Library, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var failed error
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < engine.TrashTime {
			continue
		}
		root := tree.ID(entry.Name()[strings.LastIndexByte(entry.Name(), '-')+1:])
		if _, err := l.store.Node(ctx, root); errors.Is(err, store.ErrNotFound) {
			failed = errors.Join(failed, scratch.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}
	return failed
}

// Restore takes a run out of the trash, unchanged, with its workspaces.
type Restore struct{ Run string }

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	unlock, err := l.core.Lock(ctx, "run-"+op.Run, &engine.Refusal{Message: "another process is using run " + op.Run})
	if err != nil {
		return "", err
	}
	defer unlock()
	root, err := bin(l).Restore(ctx, l.core, op.Run)
	if err != nil {
		return root, err
	}
	if err := renameTalks(ctx, l, root, op.Run, false); err != nil {
		return root, err
	}
	_, s, err := l.byRoot(ctx, root)
	if err != nil || s.Begun == nil {
		return root, err
	}
	from := aside(s.Begun.Space, op.Run, root)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return root, nil
	}
	return root, os.Rename(from, s.Begun.Space)
}

// Deleted is a run in a list, with the time of its deletion if it is in the trash.
type Deleted struct {
	Info
	engine.Trashed
}

// Trash lists the deleted runs of a project and of folders below it (empty: all), the last deleted first.
func (l *Library) Trash(ctx context.Context, dir string) ([]Deleted, error) {
	return engine.InTrash(ctx, l.core, bin(l), dir, 0, func(tip store.Tip) (Deleted, bool, error) {
		f, ok := record.FrameKind.Of(tip.Root)
		if !ok || !engine.Below(dir, f.Dir) {
			return Deleted{}, false, nil
		}
		info, _, err := info(ctx, l, tip.Root)
		return Deleted{info, engine.NewTrashed(tip.Head)}, true, err
	})
}
