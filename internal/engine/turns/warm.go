package turns

import (
	"context"
	"io"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tree"
)

// warmModel is the model that answered last in a conversation, if it runs a program: the program stays up between turns and gets only what
// is new. Other models cost nothing to make, and so see a new key or setting at once.
type warmModel struct {
	spec  string
	model llm.Model // nil: none
	copy  *git.Copy // of the project, in which the model works; nil: none was made
}

// answeringModel returns the model of a spec in a conversation: the warm one, or a new one.
func (l *Library) answeringModel(ctx context.Context, root tree.ID, spec string) (llm.Model, error) {
	have := l.warmOf(root)
	if have.model != nil && have.spec == spec {
		return have.model, nil
	}
	m, err := l.wiring.Seat(ctx, spec)
	if err != nil {
		return nil, err
	}
	next := warmModel{}
	if m.Info().Acts {
		next = warmModel{spec: spec, model: m}
	}
	l.setWarm(root, next)
	return m, nil
}

// setWarm keeps a model for a conversation and closes the previous one; an empty one only closes. It closes outside the
// lock: a program may take a moment to end.
func (l *Library) setWarm(root tree.ID, next warmModel) {
	l.mu.Lock()
	d := l.state(root)
	old := d.warm
	d.warm = next
	l.mu.Unlock()
	old.close()
}

// close ends what the model runs. Nothing can be done about a failure here: every process is in a group that is ended.
func (w warmModel) close() {
	if c, ok := w.model.(io.Closer); ok {
		c.Close()
	}
	if w.copy != nil {
		w.copy.Remove()
	}
}

// prepareCopy decides where the model of a turn works if it acts: in a throw-away copy of the project, which is updated for each turn.
// Without a copy there is no turn.
func (w *speaker) prepareCopy(ctx context.Context) (*git.Copy, error) {
	if w.dir = w.t.Dir; w.worksInProject || !w.model.Info().Acts {
		return nil, nil
	}
	w.dir = ""
	have := w.lib.warmOf(w.t.Root)
	told := func(done, all int) { w.publish(debate.Preparing, engine.Preparing(done, all), "") }
	if have.copy != nil {
		if err := have.copy.Renew(ctx, w.t.Dir, told); err == nil {
			w.dir = have.copy.Dir
			return have.copy, nil
		} else if ctx.Err() != nil {
			return nil, err
		}
		have.copy.Remove() // its program starts again elsewhere
	}
	told(0, 0)
	copies, err := git.Copies(ctx, w.t.Dir, 1, git.Limits{}, told)
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	d := w.lib.state(w.t.Root)
	// The old copy is gone in any case.
	if d.warm.copy = nil; err != nil {
		return nil, &engine.NoCopy{Err: err}
	}
	d.warm.copy, w.dir = copies[0], copies[0].Dir
	return copies[0], nil
}

// checkCopy returns an error if the model changed the copy it works in.
func (w *speaker) checkCopy(ctx context.Context, c *git.Copy, end llm.End) error {
	if w.model.Info().Held {
		return nil // the system keeps it from writing
	}
	changed, _ := engine.Wrote(c)(ctx)
	if len(changed) == 0 {
		return nil
	}
	w.partial = end.Message.Text()
	return &trouble.Error{Kind: trouble.Refused, Message: "changed " + engine.Paths(changed) +
		" in its copy of the project, although it may only read"}
}

func (l *Library) warmOf(root tree.ID) warmModel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state(root).warm
}
