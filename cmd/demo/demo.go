// Package demo holds the tour of the program, which needs no model, and the sample project that it is about.
//
// The project is embedded and written out when it is needed: by the tour into a temporary folder that is removed in the
// end, by the screen beside the store, where a person can look at it later. Everything shown is a real command over
// real files; rules play the models, so the same tour runs everywhere and costs nothing.
//
// The command demo ends with 0, also if the person leaves early; with the code of a command of the tour that failed;
// with 2 where output for a program was asked for.
package demo

import (
	"context"
	"embed"
	"io/fs"
	"path/filepath"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// sampleFiles are a small project that bears on question.
//
//go:embed hours
var sampleFiles embed.FS

const question = "Should hours keep its entries in SQLite or in a JSON file?"

// Demo is the sample project, and what can be shown with it.
type Demo struct {
	*call.Call
	frames *frame.Framer
	run    func(args []string) int
}

// New is the demo of a call. run carries out a command line as somebody who types nothing.
func New(shared *call.Call, frames *frame.Framer, run func(args []string) int) *Demo {
	return &Demo{shared, frames, run}
}

// Debate makes a debate about the sample project, which is first written next to the store, for the screen.
// It writes the files again each time: a person may have changed them.
func (a *Demo) Debate(ctx context.Context) (rooms.Debate, error) {
	record, err := a.Home.Settings.StoreFile()
	if err != nil {
		return rooms.Debate{}, err
	}
	d := &frame.Flags{Seats: []string{scheme.Rehearsal + ":" + scheme.Slowly}}
	if d.Dir, err = filepath.Abs(filepath.Join(filepath.Dir(record), "demo")); err != nil {
		return rooms.Debate{}, err
	}
	if err := sample(d.Dir); err != nil {
		return rooms.Debate{}, err
	}
	op, err := a.frames.Frame(ctx, d, question)
	if err != nil {
		return rooms.Debate{}, err
	}
	return *op, nil
}

// sample writes the sample project into a folder.
func sample(dir string) error {
	return fs.WalkDir(sampleFiles, "hours", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := sampleFiles.ReadFile(name)
		if err != nil {
			return err
		}
		within, err := filepath.Rel("hours", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		return private.Replace(filepath.Join(dir, within), text)
	})
}
