package turns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Unkept means that no snapshot of a project's files could be taken, so that undo could not revert the next change.
type Unkept struct {
	Dir string
	Err error
}

// Error names the folder and the reason.
func (u *Unkept) Error() string {
	return fmt.Sprintf("no snapshot of %s can be taken: %v", u.Dir, u.Err)
}

// Unwrap returns the reason the snapshot failed.
func (u *Unkept) Unwrap() error { return u.Err }

// NoSnapshot is the kind of failure of a turn that did not begin because no snapshot could be taken.
const NoSnapshot trouble.Kind = "snapshot"

// goWithout is the person's choice to continue without a snapshot.
const goWithout = "continue without a snapshot"

// files records the state of a project's files before and after a turn's changes. A turn that changes nothing never
// opens the keeper: scanning a large project takes time.
type files struct {
	*recorder
	keeper   *snapshot.Keeper
	hadJobs  int         // background commands of the conversation before the turn
	jobRan   bool        // one that the turn started was running when lastSnap was taken
	keeping  sync.Mutex  // held while a state is saved before a call
	goesOn   bool        // the person continues without a snapshot
	mu       sync.Mutex  // guards changed
	changed  bool        // a call of this exchange was allowed to change something
	lastSnap margin.Snap // the last state recorded in this turn; without a Tree: none was
}

// snap takes a snapshot of the project's files. The error is *Unkept.
func (w *files) snap(ctx context.Context, why string) (tree.Node, bool, error) {
	if w.keeper == nil { // most turns change nothing
		var err error
		if w.keeper, err = w.lib.talks.Keeper(ctx, w.t.Dir); err != nil {
			return tree.Node{}, false, &Unkept{w.t.Dir, err}
		} else if w.keeper == nil {
			return tree.Node{}, false, nil
		}
	}
	s, err := w.keeper.Take(ctx)
	if err != nil {
		return tree.Node{}, false, &Unkept{w.t.Dir, err}
	}
	return margin.SnapKind.New("", "code", margin.Snap{Tree: s.Tree, Why: why, Left: s.Left,
		Head: s.Head.Hash, Branch: s.Head.Branch}), true, nil
}

// before saves the state of the files before a call changes them; one call at a time. If that fails, the person decides
// whether the call is made all the same; with nobody there it is not.
func (w *files) before(ctx context.Context) error {
	w.keeping.Lock()
	defer w.keeping.Unlock()
	w.mu.Lock()
	changed := w.changed
	w.mu.Unlock()
	// Once for all calls of an exchange: undo reverts their changes together.
	if changed {
		return nil
	}
	running := w.jobRuns()
	snap, ok, err := w.snapOrGoOn(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = true
	if !ok {
		return nil
	}
	nodes := append(w.jobChanges(snap), snap)
	w.lastSnap, _ = margin.SnapKind.Of(snap)
	w.jobRan = running
	return w.add(context.WithoutCancel(ctx), nodes...)
}

// jobRuns reports whether a background command that the turn started is running.
func (w *files) jobRuns() bool {
	jobs := w.lib.Jobs(w.t.Root)
	return slices.ContainsFunc(jobs[min(w.hadJobs, len(jobs)):], func(j tool.Job) bool { _, _, running := j.Look(); return running })
}

// jobChanges are two states if the files changed since the last one while a background command of the turn ran: the last state and the
// current one, which is now.
func (w *files) jobChanges(now tree.Node) []tree.Node {
	is, ok := margin.SnapKind.Of(now)
	if was := w.lastSnap; ok && w.jobRan && was.Tree != "" && was.Tree != is.Tree {
		was.Why, is.Why = "before", "after"
		return []tree.Node{margin.SnapKind.New("", "code", was), margin.SnapKind.New("", "code", is)}
	}
	return nil
}

// recordJobs records what background commands of the turn changed since the last state.
func (w *files) recordJobs(ctx context.Context) error {
	if !w.jobRan {
		return nil
	}
	now, _, err := w.snap(ctx, "after")
	if err != nil {
		return w.add(ctx, noSnapNotice("cannot tell whether background commands changed files: ", err))
	}
	return w.add(ctx, w.jobChanges(now)...)
}

// snapOrGoOn takes a snapshot before something changes the files. If that fails, the person may continue without; then ok is false, as it
// is if no states are saved.
func (w *files) snapOrGoOn(ctx context.Context) (snap tree.Node, ok bool, err error) {
	if snap, ok, err = w.snap(context.WithoutCancel(ctx), "before"); err != nil {
		err = w.askToGoOn(ctx, err)
	}
	return snap, ok, err
}

// recordChanges records two states if the files have changed: the one before and the current one. The state before is the last one
// recorded in this turn, if there is one. If no state can be taken, the conversation says so, and it is no error.
func (w *files) recordChanges(ctx context.Context, before tree.Node) (changed bool, err error) {
	after, _, err := w.snap(ctx, "after")
	if err != nil {
		return false, w.add(ctx, noSnapNotice("cannot tell whether files changed: ", err))
	}
	was, _ := margin.SnapKind.Of(before)
	if w.lastSnap.Tree != "" {
		was = w.lastSnap
		was.Why = "before"
		before = margin.SnapKind.New("", "code", was)
	}
	if is, _ := margin.SnapKind.Of(after); was.Tree == is.Tree {
		return false, nil
	}
	return true, w.add(ctx, before, after)
}

// askToGoOn returns nil if the person continues without a snapshot, which applies to the rest of the turn, and
// otherwise the error. Either way the conversation says so.
func (w *files) askToGoOn(ctx context.Context, failed error) error {
	if w.goesOn {
		return nil
	}
	if w.lib.wiring.Attended {
		choice, err := w.question(ctx, tool.Question{Options: []string{goWithout, "stop"},
			Text: failed.Error() + ". Without one, undo cannot revert later changes in this turn."})
		if err != nil {
			return err
		}
		w.goesOn = choice == goWithout
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.goesOn {
		return w.add(context.WithoutCancel(ctx), talk.NoticeKind.New("", "person",
			talk.Notice{Text: "continued without a snapshot: " + failed.Error()}))
	}
	return errors.Join(failed, w.add(context.WithoutCancel(ctx), noSnapNotice("nothing was changed, because ", failed)))
}

// takeChanged reports whether a call was allowed to change something since the last call of takeChanged. The caller
// records the state afterwards.
func (w *files) takeChanged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.changed
	w.changed = false
	return changed
}

// after returns the state of the files after a call has changed them, or a notice that it could not be taken: the
// change is made, and the turn continues.
func (w *files) after(ctx context.Context) []tree.Node {
	w.jobRan = w.jobRuns()
	snap, ok, err := w.snap(ctx, "after")
	switch {
	case err != nil && w.goesOn:
		return nil
	case err != nil:
		return []tree.Node{noSnapNotice("files may have changed, and ", err)}
	case !ok:
		return nil
	}
	w.lastSnap, _ = margin.SnapKind.Of(snap)
	return []tree.Node{snap}
}

// noSnapNotice is a notice in the conversation that a state is missing, and why.
func noSnapNotice(what string, err error) tree.Node {
	return talk.NoticeKind.New("", "code", talk.Notice{Text: what + err.Error(), Unkept: true})
}
