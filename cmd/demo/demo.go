// Package demo holds the command that shows a whole debate offline, about a small sample project.
package demo

import (
	"context"
	"embed"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/seat"
)

// demoFiles are a small project that bears on demoQuestion.
//
//go:embed hours
var demoFiles embed.FS

const demoQuestion = "Should hours keep its entries in SQLite or in a JSON file?"

// Demo is the debate about the sample project.
type Demo struct {
	*call.Call
	frames *frame.Framer
	rooms  *room.Rooms
}

// New is the demo of a call.
func New(shared *call.Call, frames *frame.Framer, rooms *room.Rooms) *Demo {
	return &Demo{shared, frames, rooms}
}

// Command is the command demo.
func (a *Demo) Command() *cobra.Command {
	d := &frame.Flags{}
	c := &cobra.Command{Use: "demo", Short: "Watch an offline debate about a sample project",
		Long: `The rehearsal panel, three rule-based seats, debates a question about a small sample project, which
is first written next to the store. You see a whole debate: claims and quotes, checks,
cross-examination, decision and dissent. It needs no key and no network, costs nothing and reads
nothing in the current folder.`, Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		d.Apply(a.Call)
		op, err := a.demoOf(c.Context(), d)
		if err != nil {
			return err
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		a.Out.Tell("The sample project is in " + op.Frame.Dir + "\n")
		return a.rooms.Conduct(c.Context(), e, op, d.Delivery)
	}
	c.Flags().BoolVar(&d.Explain, "explain", false, "explain every number")
	return c
}

// Debate makes the debate of `socrates demo`, for the screen.
func (a *Demo) Debate(ctx context.Context) (rooms.Debate, error) {
	op, err := a.demoOf(ctx, &frame.Flags{})
	if err != nil {
		return rooms.Debate{}, err
	}
	return *op, nil
}

func (a *Demo) demoOf(ctx context.Context, d *frame.Flags) (*rooms.Debate, error) {
	record, err := a.Home.Settings.StoreFile()
	if err != nil {
		return nil, err
	}
	if d.Dir, err = filepath.Abs(filepath.Join(filepath.Dir(record), "demo")); err != nil {
		return nil, err
	}
	d.Seats = []string{seat.Rehearsal + ":" + seat.Slowly}
	err = fs.WalkDir(demoFiles, "hours", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		within, err := filepath.Rel("hours", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		return private.Replace(filepath.Join(d.Dir, within), text)
	})
	if err != nil {
		return nil, err
	}
	return a.frames.Frame(ctx, d, demoQuestion)
}
