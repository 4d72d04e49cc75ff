// Package room finds a debate, runs it in front of a person or a program, and delivers its result.
//
// Conduct is the heart: it executes an operation that runs a room, shows its news as they arrive (a live line per
// seat, a line per step, or lines of JSON), lets a person at the terminal type to it, keeps a record on request, and
// delivers the result. Live view, --follow in another process and a stream of lines all read the same news from the
// store.
//
// Three writers share a room: progress writes to stderr for people, Recorder writes lines for programs and records,
// and Deliver writes the result to stdout and files. A paid result is shown before anything that may still fail, such
// as writing an ADR file.
//
// Exit codes are those of the result: 0 decided, 10 no decision, 11 a seat lost, 12 a person decides, 7 a limit, 130,
// 143 or 129 stopped by a signal (ctrl-C twice). --gate any turns 12 into 0 or 11. An unknown name ends with 2, with
// the nearest one.
package room

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Rooms gives a call access to debates. It may be copied for a command with a keyboard of its own, as a conversation
// does.
type Rooms struct {
	*call.Call
	// Lend gives listen the keys of the keyboard's owner until the returned function is called; nil: the keyboard has
	// no owner.
	Lend func(listen func(next func() (keyboard.Key, error))) func()
}

// New returns the debates of a call.
func New(shared *call.Call) *Rooms { return &Rooms{Call: shared} }

// Supersession describes in a clause what replaced a decision; empty: nothing did.
func Supersession(s *rooms.Supersession) string {
	if s == nil {
		return ""
	}
	text := "by " + s.By + " on " + s.When.UTC().Format(time.DateOnly)
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// CompleteOne offers the names of debates to the shell, for a command that takes one.
func (a *Rooms) CompleteOne(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.Offer(1, a.Offers)(c, args, begun)
}

// CompleteAll offers the names of debates to a command that takes any number.
func (a *Rooms) CompleteAll(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.Offer(0, a.Offers)(c, args, begun)
}

// Offers returns the newest debates, or those that begin with what was typed. It uses an index of names, as there may
// be very many.
func (a *Rooms) Offers(ctx context.Context, begun string) (list []string, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	var debates []rooms.Info
	if begun == "" {
		debates, err = rooms.In(e).List(ctx, call.Offered)
	} else {
		debates, err = a.begunLike(ctx, e, begun)
	}
	for _, r := range debates {
		list = append(list, r.Room+"\t"+out.Clip(r.Question, 60))
	}
	return list, err
}

// begunLike returns debates whose names begin with begun, as many as a shell is offered.
func (a *Rooms) begunLike(ctx context.Context, e *engine.Engine, begun string) (list []rooms.Info, _ error) {
	names, err := rooms.In(e).Names(ctx, begun, call.Offered)
	for _, name := range names {
		if r, err := rooms.In(e).Info(ctx, name); err == nil {
			list = append(list, r)
		}
	}
	return list, err
}

// One requires one room's name; "last" is the newest.
func One(c *cobra.Command, args []string) error {
	return call.Takes(1, "the name of one debate", "list them with: socrates debate list; \"last\" is the newest of this project")(c, args)
}

// Name resolves "last" to the newest debate of this project. The error for an unknown name offers the newest debates,
// because most people mean one of those.
func (a *Rooms) Name(ctx context.Context, e *engine.Engine, name string) (string, error) {
	if name == "last" {
		dir, err := a.Project()
		if err != nil {
			return "", err
		}
		return rooms.In(e).Last(ctx, dir)
	}
	_, err := rooms.In(e).Room(ctx, name)
	if !errors.Is(err, store.ErrNotFound) {
		return strings.TrimPrefix(name, "room/"), err
	}
	if rooms.In(e).Deleted(ctx, name) {
		return "", failure.Usage("the debate "+name+" was deleted", "restore it with: socrates debate restore "+name)
	}
	rooms, err := rooms.In(e).List(ctx, 5)
	if err != nil {
		return "", err
	}
	var names []string
	for _, r := range rooms {
		names = append(names, r.Room)
	}
	return "", failure.Usage("unknown debate "+name, failure.Nearest(name, names))
}

// Find opens the engine and finds the debate of a command. It warns if a part of the debate cannot be read: a damaged
// node does not keep the rest from being shown.
func (a *Rooms) Find(ctx context.Context, name string) (*engine.Engine, tree.ID, error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	if name, err = a.Name(ctx, e, name); err != nil {
		return nil, "", err
	}
	root, err := rooms.In(e).Room(ctx, name)
	if err != nil {
		return e, root, err
	}
	err = e.Sound(ctx, root)
	if lost, ok := errors.AsType[*store.Error](err); ok && errors.Is(err, store.ErrDamaged) {
		a.Out.Warn("the output below is incomplete: " + lost.Error() + "; " + lost.Hint)
		err = nil
	}
	return e, root, err
}
