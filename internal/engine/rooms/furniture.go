package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
)

// furniture is what must be closed or checked after a debate: models, copies, the user's own work tree.
type furniture struct {
	room    string
	closers []func() error
	copied  []*git.Copy
	views   *git.Views                                     // nil: none are made
	held    string                                         // folder of the seats that the system keeps from writing
	look    func(context.Context) (git.Fingerprint, error) // scans the project; nil: no seat could act
	before  git.Fingerprint
}

// In reverse order: models before the folders they work in.
func (t *furniture) end() {
	for _, c := range slices.Backward(t.closers) {
		c() // nothing can be done about a failure here; every process is in a group that is ended
	}
	for _, c := range t.copied { // nobody works in them any more
		c.Remove()
	}
	if v := t.views.Of(t.held); v != nil {
		v.Remove()
	}
}

// lay gives every seat that acts a throw-away copy of the project, so that its writes are seen, attributed and harmless. Seats that the
// system keeps from writing share one, or are shown the project itself if it is large. If no copy can be made, these seats are refused: no
// model that acts ever works in the project itself. lay is called before the first question, and again for a seat that joins; told gets
// the number of copied files.
func (t *furniture) lay(ctx context.Context, dir string, seats []debate.Seat, told func(done, all int)) error {
	var own, held []*debate.Seat
	for i := range seats {
		if info := seats[i].Model.Info(); info.Acts {
			// A seat with an empty Dir is never started in the project by mistake.
			seats[i].Dir = "" // until there is a copy
			if info.Held {
				held = append(held, &seats[i])
			} else {
				own = append(own, &seats[i])
			}
		}
	}
	err := t.copies(ctx, dir, own, held, told)
	if err == nil {
		return nil
	}
	none := &engine.NoCopy{Room: t.room, Err: err}
	for _, s := range append(own, held...) {
		s.Refused = none.Why()
	}
	if len(own)+len(held) == len(seats) {
		return none
	}
	return nil
}

// copies makes the copies for some seats together, reading the project once.
func (t *furniture) copies(ctx context.Context, dir string, own, held []*debate.Seat, told func(done, all int)) error {
	if len(own)+len(held) == 0 {
		return nil
	}
	n := len(own)
	if len(held) > 0 && t.held == "" {
		told(0, 0)
		v, err := t.views.See(ctx, dir, git.Limits{})
		switch {
		case err == nil:
			t.held = v.Dir
		// A copy is better here: the held seats share an additional one.
		case errors.Is(err, git.ErrCopy):
			n++
		default:
			return err
		}
	}
	if n > 0 {
		told(0, 0)
		made, err := git.Copies(ctx, dir, n, git.Limits{}, told)
		if err != nil {
			return err
		}
		t.copied = append(t.copied, made...)
		for i, s := range own {
			s.Dir, s.Wrote = made[i].Dir, engine.Wrote(made[i])
		}
		if n > len(own) {
			t.held = made[len(own)].Dir
		}
	}
	for _, s := range held {
		s.Dir = t.held
	}
	if err := t.remember(ctx, dir); err != nil {
		return fmt.Errorf("cannot read the project: %w", err)
	}
	return nil
}

// remember scans the project before the first seat that acts joins.
func (t *furniture) remember(ctx context.Context, dir string) (err error) {
	if t.look != nil {
		return nil
	}
	look := func(ctx context.Context) (git.Fingerprint, error) { return git.Scan(ctx, dir) }
	repo, err := git.Open(dir)
	if err == nil {
		look = repo.Fingerprint
	}
	if t.before, err = look(ctx); err == nil {
		t.look = look
	}
	return err
}

// strays are the changes to the user's own work tree since the debate began; none if no seat could act. If the project
// cannot be scanned afterwards, the debate does not fail.
func (t *furniture) strays(ctx context.Context) []string {
	if t.look == nil {
		return nil
	}
	after, err := t.look(ctx)
	if err != nil {
		return nil
	}
	return t.before.Changes(after)
}
