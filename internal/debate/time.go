package debate

import (
	"context"
	"sync"
	"time"
)

// roomTime is a room's time limit, and how a person can end it. A pause by a person moves began, so it takes no time.
type roomTime struct {
	began     time.Time
	limit     time.Duration // 0: there is none
	interrupt <-chan struct{}
	journal   *roomJournal
}

// elapsed returns how long the room has run, by a monotonic clock.
func (s *roomTime) elapsed() time.Duration { return time.Since(s.began) }

// endedBy returns why no seat is asked any more; nil while the room is open.
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

// over reports whether the room stops here because a person or the clock ended it. A stop is recorded, so that a replay stops at the
// same place.
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

// round returns the context of one round: it ends when a person interrupts or the room's time is up.
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

// remaining returns the time left; 0: none is left, or there is no limit.
func (s *roomTime) remaining() time.Duration { return max(0, s.limit-s.elapsed()) }
