package rooms

import (
	"context"
	"errors"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// retried is how long a repeated request for a debate counts as the same one.
const retried = time.Hour

// oncePatience is how long a process waits for another one that opens the same debate at the same moment.
const oncePatience = 10 * time.Second

// noDecision is the exit code of a room whose panel answered without deciding. Such a room counts as an answer: asking
// again would only ask the same panel once more.
const noDecision = 10

// once opens the room unless the request of this key already has one. A room that runs or is decided is left alone: once returns its root
// and starts no job. An interrupted one is resumed. Two processes that are asked at once open only one room.
func (op Debate) once(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	unlock, err := lockKey(ctx, l, op.Frame.Key)
	if err != nil {
		return "", err
	}
	defer unlock()
	earlier, err := keyed(ctx, l, op.Frame.Key)
	switch {
	case err != nil:
		return "", err
	case earlier == nil:
		return op.open(ctx, l)
	case earlier.Ended || earlier.Running:
		return l.Room(ctx, earlier.Room)
	}
	return Resume{Room: earlier.Room}.Do(ctx, e)
}

// keyed finds the newest room of a key; nil: there is none, or no seat answered in it and it can be asked again.
func keyed(ctx context.Context, l *Library, key string) (*Info, error) {
	since := time.Now().Add(-retried)
	for info, err := range l.Each(ctx, false) {
		if err != nil || info.Started.Before(since) {
			return nil, err
		}
		f, err := l.Frame(ctx, info.Room)
		if err != nil {
			return nil, err
		}
		if f.Key != key {
			continue
		}
		if info.End != nil && !info.End.Outcome.Decision() && info.End.ExitCode != noDecision {
			return nil, nil
		}
		return &info, nil
	}
	return nil, nil
}

// lockKey lets only one process at a time look for a key's room and open it.
func lockKey(ctx context.Context, l *Library, key string) (unlock func(), err error) {
	patient, cancel := context.WithTimeout(ctx, oncePatience)
	defer cancel()
	busy := &engine.Refusal{Message: "another process is starting the same debate", Hint: "try again in a moment"}
	for {
		unlock, err := l.core.Lock(patient, "asked-"+key, busy)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil, busy // our own timeout, not the caller's
		}
		if refused := (*engine.Refusal)(nil); !errors.As(err, &refused) || patient.Err() != nil {
			return unlock, err
		}
	}
}
