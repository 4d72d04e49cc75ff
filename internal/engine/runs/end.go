package runs

import (
	"context"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Delete moves a run to the trash and removes its workspaces. One whose result is in no repository of the person's is
// refused unless it is forced; one that runs is refused always. Its workspaces are gone for
// good at once.
type Delete struct {
	Run    string
	Forced bool
}

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if s.Begun != nil && !op.Forced {
		if s.Head != s.Begun.Base.Commit && (s.Taken == nil || s.Taken.Commit != s.Head) {
			return root, &engine.Refusal{Message: "run " + op.Run + " has merged work that was not accepted; nothing was deleted",
				Hint: "accept it: socrates work accept " + op.Run + "; or delete it anyway: --force"}
		}
		if left, err := os.ReadDir(filepath.Join(s.Begun.Space, "tasks")); err == nil && len(left) > 0 {
			return root,
				&engine.Refusal{Message: "the work in " + left[0].Name() + " is not merged; nothing was deleted",
					Hint: "inspect it: socrates work open " + op.Run + "; or delete it anyway: --force"}
		}
	}
	bin := engine.Bin{Is: "run", Refs: refs, Command: "socrates work", // it is locked already
		Find: func(context.Context, string) (tree.ID, string, error) { return root, op.Run, nil }}
	if _, err := bin.Delete(ctx, l.core, op.Run); err != nil {
		return root, err
	}
	if s.Begun == nil {
		return root, nil
	}
	return root, scratch.RemoveAll(s.Begun.Space)
}
