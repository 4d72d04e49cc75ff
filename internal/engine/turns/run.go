package turns

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/talk"
)

// run answers, and records how the turn ended, whatever happens. Its error is what Wait returns. A failed turn is
// recorded as such and is no error of the job.
func (w *turn) run(ctx context.Context, j *engine.Job) error {
	w.began = time.Now()
	defer w.lib.core.Feed.Done(w.said)
	uncancelled := context.WithoutCancel(ctx)
	working, cancel := stoppable(ctx, j)
	defer cancel(nil)
	if w.op.Limits.Timeout > 0 {
		timer := time.AfterFunc(w.op.Limits.Timeout, func() { cancel(errTurnTime) })
		defer timer.Stop()
	}
	titled, whole := w.startTitle(working), false
	defer func() { titled(whole) }()
	end, err := w.answerWatched(working)
	// The first error says little: the cause says why everything was interrupted.
	if cause := context.Cause(working); err != nil && cause != nil {
		err = cause
	}
	// Before the check below: it then sees what the jobs did, and none continues unseen.
	if w.op.Last {
		w.lib.session(w.t.Root).Close()
	}
	if lost := w.files.recordJobs(uncancelled); lost != nil {
		err = errors.Join(err, lost)
	}
	if s := w.checkSteering(uncancelled); s != nil { // by a background job, or by a call that was interrupted
		err = s
	}
	w.lib.noteEnd(w.t.Root)
	if err != nil {
		if state, _, _ := classify(err); state == talk.Failed { // a key or a setting may be changed before the next attempt
			w.lib.setWarm(w.t.Root, warmModel{})
		}
	}
	err = w.end(uncancelled, talk.ReplyKind.New("", w.model.Info().ID, replyOf(w, end, err)))
	whole = context.Cause(working) == nil
	return err
}

// replyOf makes the reply that says how a turn ended. Usage includes what failed calls may have cost.
func replyOf(w *turn, end llm.End, err error) talk.Reply {
	r := talk.Reply{Model: w.spec, State: talk.Done, Turns: w.calls, MS: time.Since(w.began).Milliseconds()}
	if r.Usage = end.Usage.Add(w.lostUsage); err == nil || r.Usage != (cost.Usage{}) {
		r.Answers = cmp.Or(end.Model, w.model.Info().ID)
	}
	if err == nil {
		r.Message, r.Before = end.Message, w.answerStart
		if end.Stop == llm.StopLength {
			r.State, r.Reason = talk.Limited, "the answer was cut off at the token limit"
		} else if end.Stop == llm.StopRefusal {
			r.State, r.Reason, r.Kind = talk.Failed, strings.TrimSuffix("the model refused to answer: "+end.Reason, ": "), trouble.Refused
		}
	} else {
		r.State, r.Reason, r.Kind = classify(err)
		if w.partial != "" {
			r.Message = llm.AssistantText(w.partial)
		}
	}
	return r
}

var (
	errPerson   = errors.New("stopped by you")
	errTurnTime = errors.New("timed out")
)

// stoppable returns a context that also ends, with a cause that says so, when a person stops the job.
func stoppable(ctx context.Context, j *engine.Job) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-j.Stop:
			cancel(errPerson)
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// classify classifies how a turn failed. The order matters: a person's stop may carry any other error, and an Unkept or
// a Steering may be joined with others.
func classify(err error) (talk.State, string, trouble.Kind) {
	var empty *budget.Empty
	switch {
	case errors.Is(err, errPerson), err == context.Canceled:
		return talk.Interrupted, errPerson.Error(), ""
	case errors.Is(err, context.Canceled): // its text says what stopped it
		return talk.Interrupted, err.Error(), ""
	case errors.Is(err, errTurnTime), errors.Is(err, agent.ErrTurns):
		return talk.Limited, err.Error(), ""
	case errors.As(err, &empty):
		return talk.Limited, err.Error(), ""
	}
	if u, ok := errors.AsType[*Unkept](err); ok {
		return talk.Failed, u.Error(), NoSnapshot
	}
	if s, ok := errors.AsType[*Steering](err); ok {
		return talk.Failed, s.Error(), Steered
	}
	if n, ok := errors.AsType[*engine.NoCopy](err); ok {
		return talk.Failed, n.Error(), exchange.NoCopyKind
	}
	e := trouble.As(err)
	return talk.Failed, e.Error(), e.Kind
}

// answerWatched is answer for any model. A model that acts runs its own tools, which may only read: its copy of the project and the
// project itself are compared afterwards.
func (w *turn) answerWatched(ctx context.Context) (llm.End, error) {
	copied, err := w.prepareCopy(ctx)
	if err != nil {
		return llm.End{}, err
	}
	switch {
	case w.worksInProject:
		return w.answerInProject(ctx)
	case !w.model.Info().Acts:
		return w.answerWithHooks(ctx)
	}
	if copied != nil && w.model.Info().Held {
		return w.answer(ctx) // the system keeps it from writing to the project; changes in the meantime are a person's
	}
	before, ok, err := w.files.snapOrGoOn(ctx)
	if err != nil {
		return llm.End{}, err
	}
	uncancelled := context.WithoutCancel(ctx)
	end, err := w.answer(ctx)
	if copied != nil && err == nil {
		err = w.checkCopy(uncancelled, copied, end)
	}
	if !ok {
		return end, err
	}
	changed, failed := w.files.recordChanges(uncancelled, before)
	if failed != nil {
		return end, errors.Join(err, failed)
	}
	if !changed {
		return end, err
	}
	w.partial = end.Message.Text()
	return end, &trouble.Error{Kind: trouble.Refused, Message: "project files changed while a read-only model answered; undo reverts them"}
}
