package cmd

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tui"
)

// app is what the commands share. What is expensive is made when it is first asked for.
type app struct {
	out  *out.Out
	home *home.Home
	in   *os.File

	// Global flags.
	cwd, color, storePath string
	force                 bool       // files that are there may be replaced
	openTabs              []tui.Kept // of the screen, as it found or kept them last
	store                 *store.Store
	engine                *engine.Engine
	checks                checkFlags
	alone                 bool // nobody is asked, whoever may be there
	here                  bool // somebody is, even if no keys can be read one by one
	// lend lets listen the keys of whoever has the keyboard, until what it returns is called; nil: nobody has it.
	lend    func(listen func(next func() (key, error)), view *progress) func()
	hears   *turnTeller   // of turns; nil: nobody is told
	tells   *jobTeller    // of whatever the screen begins; nil: nobody is told
	lines   *bufio.Reader // of what a person types, once something was asked
	endedBy atomic.Int32  // exit code of the signal that ended a command which waits for nothing else
}

func newApp() *app {
	a := &app{in: os.Stdin, out: out.New(os.Stdout, os.Stderr)}
	a.home = home.New(home.Outside{Warn: a.out.Warn, Learn: a.out.Learn, Clean: a.out.Clean, Asker: a.asker})
	a.out.Color = a.colorSetting
	return a
}

// close ends what is open; a second call does nothing. Its error is what ended programs left behind.
func (a *app) close() (err error) {
	if a.engine != nil {
		err = a.engine.Close()
		a.engine = nil
	}
	if a.store != nil {
		a.store.Close()
		a.store = nil
	}
	return err
}

// check looks at the global flags.
func (a *app) check() error {
	switch a.out.Format {
	case "text", "json", "stream-json":
	default:
		asked := a.out.Format
		a.out.Format = "text" // nobody knows what would be understood
		return failure.Usage("--output "+asked+" is not known; it is text, json or stream-json", failure.Nearest(asked, out.Formats))
	}
	if a.cwd != "" {
		if err := os.Chdir(a.cwd); errors.Is(err, syscall.ENOTDIR) {
			return failure.Usage("cannot work in "+a.cwd+": it is no folder", "")
		} else if err != nil {
			return failure.Usage("cannot work in "+a.cwd+": "+plain.Text(errors.Unwrap(err).Error()), "")
		}
	}
	if err := oneOf("color", a.color, "output.color"); err != nil {
		return err
	}
	if a.color != "" {
		a.home.Settings.Flags["output.color"] = a.color
	}
	if a.storePath != "" {
		path, err := filepath.Abs(a.storePath)
		if err != nil {
			return failure.Usage("--store "+a.storePath+": "+err.Error(), "")
		}
		a.home.Settings.Flags["store.path"] = path
	}
	return nil
}

// open opens store and engine once.
func (a *app) open(ctx context.Context) (*engine.Engine, error) {
	if a.engine != nil {
		return a.engine, nil
	}
	path, err := a.home.Settings.StoreFile()
	if err != nil {
		return nil, err
	}
	told := time.AfterFunc(time.Second, func() {
		a.out.Tell("Opening the store takes a moment: it is brought up to date, or another process keeps it locked…\n")
	})
	defer told.Stop()
	if a.store, err = store.Open(ctx, path, a.out.Clean); err != nil {
		return nil, err
	}
	a.engine = engine.New(a.store, engine.Wiring{Seat: a.home.Seats.Model, Join: a.joins, Began: a.began, Attended: (a.here || a.attended()) && !a.alone, Tools: a.home.Gate.SeatTools(), Views: &a.home.Programs.Views, Look: a.look, Program: program,
		Work: a.home.Work()})
	return a.engine, nil
}

// colorSetting is what the settings say about colours.
func (a *app) colorSetting() string {
	c, err := a.home.Settings.Load()
	if err != nil {
		return "never"
	}
	return c.String("output.color")
}
