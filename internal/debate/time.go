package debate

import (
	"context"
	"sync"
	"time"
)

// roomTime is the time a room has, and who may end it.
// began moves when a person pauses the room, so a pause takes no time.
type roomTime struct {
	began     time.Time
	limit     time.Duration // 0: there is none
	interrupt <-chan struct{}
	journal   *roomJournal
}

// elapsed is how long the room has run, on a clock that never jumps.
func (s *roomTime) elapsed() time.Duration { return time.Since(s.began) }

// endedBy says why nobody is asked any more: nil while the room is open.
func (s *roomTime) endedBy() error {
	select {
	case <-s.interrupt:
		return errInterrupted
	default:
	}
	if t := s.limit; t > 0 && time.Since(s.began) >= t {
		return errTimeUp
	}
	return nil
}

// over says whether the room stops here because a person or the clock ended it. What it says is recorded, so that a
// replay stops at the same place.
func (s *roomTime) over(ctx context.Context, place string) (bool, error) {
	if s.journal.noted("over/" + place) {
		return true, nil
	}
	why := s.endedBy()
	if s.journal.Sealed || why == nil {
		return false, nil
	}
	return true, s.journal.note(ctx, "over/"+place, "stopped "+place+": "+why.Error())
}

// round is the context of one round: it ends when the person interrupts or the room's time is up.
func (s *roomTime) round(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	var timer <-chan time.Time
	if t := s.limit; t > 0 {
		// A limit that has passed fires at once.
		timer = time.After(t - time.Since(s.began))
	}
	go func() {
		select {
		case <-s.interrupt:
			cancel(errInterrupted)
		case <-timer:
			cancel(errTimeUp)
		case <-stop:
		}
	}()
	return ctx, sync.OnceFunc(func() { close(stop); cancel(nil) })
}

// remaining is the room's time that is left; 0: there is none, or no limit.
func (s *roomTime) remaining() time.Duration { return max(0, s.limit-s.elapsed()) }
