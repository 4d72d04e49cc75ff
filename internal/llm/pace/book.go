// Package pace keeps the requests to a provider below its limits per minute, across all processes of a person: each
// request reserves its time in a file that they share.
//
// A [Book] is that file, with the limits. [Model] wraps a model: it books a slot for the estimated use of the
// request, waits until the slot begins and reports that as a retry, and corrects the booking by the real use. The
// window slides: in any 61 seconds no more is begun than the limits allow. Requests begin in the order in which they
// were booked. A request that begins late, since its process was delayed, is checked again against what has begun by
// then; one whose answer begins late counts from then, since nobody can tell when the vendor received it. So the
// vendor, too, sees no minute above the limits, however slow this machine is. If the file cannot be used the request
// fails rather than exceed the limit; a damaged file says nothing about the past minute and is replaced.
package pace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/private"
)

// Limits is what a provider may be asked for in any minute. 0 means no limit.
type Limits struct{ Requests, Tokens int }

// minute is a little longer than one: a request travels for a moment before its vendor counts it.
const minute = 61 * time.Second

// farthest is how far ahead a booking can be; a later one was made by a wrong clock.
const farthest = time.Hour

// Book is the file in which requests to one provider are booked. Processes that use it take turns.
type Book struct {
	File   string
	Limits Limits
}

// Slot is one request: when it may begin, and how many tokens it uses.
type Slot struct {
	At     time.Time `json:"at"`
	Tokens int       `json:"tokens"`
	ID     int64     `json:"id"`
	Begun  bool      `json:"begun,omitempty"` // it has begun and is no longer planned
}

// Take books the first time at which a request of so many tokens keeps all limits. Later callers begin later.
func (b Book) Take(ctx context.Context, now time.Time, tokens int) (s Slot, err error) {
	err = b.change(ctx, now, func(all []Slot) []Slot {
		s = Slot{At: b.Limits.first(all, now, tokens), Tokens: tokens, ID: 1}
		s.Begun = !s.At.After(now)
		for _, other := range all {
			s.ID = max(s.ID, other.ID+1)
		}
		return append(all, s)
	})
	return s, err
}

// Begin begins a slot whose time has come. If others have begun meanwhile, so that it would exceed a limit, it gets a
// later time and does not begin.
func (b Book) Begin(ctx context.Context, s Slot, now time.Time) (Slot, error) {
	err := b.change(ctx, now, func(all []Slot) []Slot {
		i := slices.IndexFunc(all, s.is)
		if i < 0 { // it is older than a minute
			i, all = len(all), append(all, s)
		}
		var others []Slot
		for j, other := range all {
			if j < i || other.Begun {
				others = append(others, other)
			}
		}
		s.At = b.Limits.first(others, now, s.Tokens)
		s.Begun = !s.At.After(now)
		all[i] = s
		return all
	})
	return s, err
}

// Late makes a slot count from a later time than its beginning.
func (b Book) Late(s Slot, now, at time.Time) (Slot, error) {
	was := s
	s.At = at
	return s, b.change(context.Background(), now, func(all []Slot) []Slot {
		if i := slices.IndexFunc(all, was.is); i >= 0 {
			all[i].At = at
		}
		return all
	})
}

// Settle makes a slot count the tokens that its request really used.
func (b Book) Settle(s Slot, now time.Time, tokens int) error {
	return b.change(context.Background(), now, func(all []Slot) []Slot {
		if i := slices.IndexFunc(all, s.is); i >= 0 {
			all[i].Tokens = tokens
		}
		return all
	})
}

// Drop frees a slot whose request was not made.
func (b Book) Drop(s Slot, now time.Time) error {
	return b.change(context.Background(), now, func(all []Slot) []Slot { return slices.DeleteFunc(all, s.is) })
}

// is compares the time, too: a number is used again once all slots are older than a minute.
func (s Slot) is(other Slot) bool { return s.ID == other.ID && s.At.Equal(other.At) }

// first returns the earliest time at which a request fits after all others, and not before a planned one.
func (l Limits) first(all []Slot, now time.Time, tokens int) time.Time {
	all = slices.SortedFunc(slices.Values(all), func(a, b Slot) int { return a.At.Compare(b.At) })
	at := now
	for _, s := range all {
		if !s.Begun && s.At.After(at) {
			at = s.At
		}
	}
	if n := len(all) - l.Requests; l.Requests > 0 && n >= 0 && all[n].At.Add(minute).After(at) {
		at = all[n].At.Add(minute)
	}
	if l.Tokens == 0 {
		return at
	}
	used := tokens
	for _, s := range slices.Backward(all) {
		if used += s.Tokens; used > l.Tokens && s.At.Add(minute).After(at) {
			return s.At.Add(minute)
		}
	}
	return at
}

// change rewrites the file while no other process does. It drops what is older than a minute.
func (b Book) change(ctx context.Context, now time.Time, with func([]Slot) []Slot) error {
	if err := os.MkdirAll(filepath.Dir(b.File), 0o700); err != nil {
		return err
	}
	lock := flock.New(b.File + ".lock")
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil || !ok {
		return cmp.Or(err, ctx.Err())
	}
	defer lock.Close()
	text, err := os.ReadFile(b.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var all []Slot
	json.Unmarshal(text, &all) // a damaged file says nothing about the past minute
	all = slices.DeleteFunc(all, func(s Slot) bool { return now.Sub(s.At) > minute || s.At.Sub(now) > farthest })
	if text, err = json.Marshal(with(all)); err != nil {
		return err
	}
	return private.Replace(b.File, text)
}
