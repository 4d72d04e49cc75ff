// Package call holds what all commands share in one start of the program: global flags, output, the person's home,
// how to ask them, and how signals end a command.
//
// Nothing in it knows a noun. A command embeds *Call and uses it to write (Out), to read input (Question, Prompt,
// ReadLine, Edit), to reach the person's settings and keys (Home), to open store and engine once (Open), and to stop
// on a signal (Ended, Signals).
//
// The packages below it are what several nouns share: frame makes the frame of a debate, room runs one and shows it,
// turn reads the flags of a turn, teller notifies programs outside.
//
// Errors that leave a command are *failure.Error or something failure.Explain knows. Helpers here that refuse use
// failure.Usage, exit code 2; Denied gives 6, and a command that a signal ends exits with the code from EndCode.
//
// A Call belongs to the goroutine that runs its command; Out and EndedBy are safe for concurrent use.
package call

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/log"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/store"
)

// Call is what all commands share in one start of the program: its output, the person's home, and store and engine
// once something needs them. The first Open opens Store and Engine and cmd calls Close, which closes them; commands
// close neither.
type Call struct {
	Out  *out.Out
	In   *os.File
	Home *home.Home
	// Wire adds to the wiring of an engine; nil: adds nothing.
	Wire func(*all.Wiring)

	// Asker returns the function that asks a person about programs a project wants to run; nil: nobody is asked. See
	// home.Outside.
	Asker func() func(home.Wanted) (bool, error)

	// Connect lets a person who has no model connect one at the terminal; enter says what Enter does instead; nil:
	// nobody is asked.
	Connect func(ctx context.Context, enter string) (connected bool, err error)

	// Global flags.
	CWD, Color, StorePath string
	Person                string // the person of this store's hub for whom this process was started; empty: whoever runs it
	Hub                   hub
	Log                   log.Wanted
	Force                 bool // existing files may be replaced

	Lent     bool     // another reader owns the keyboard and lends it
	Audience Audience // of this call; a conversation or screen that a command becomes sets it before Open

	Store   *store.Store   // nil before Open
	Engine  *engine.Engine // nil before Open
	EndedBy atomic.Int32   // exit code of the signal that ended a command with nothing else to wait for
	command string         // as typed, with all its words
	lines   *bufio.Reader  // what a person types, once something was asked
}

// New returns the call of this process. It opens nothing until asked to, and reads no settings before flags are
// known.
func New() *Call {
	a := &Call{In: os.Stdin, Out: out.New(os.Stdout, os.Stderr)}
	a.Home = home.New(home.Outside{Warn: a.Out.Warn, Learn: a.Out.Learn, Clean: a.Out.Clean,
		Redact: func(text string) string { return a.Out.Redactor().String(text) },
		Asker: func() func(home.Wanted) (bool, error) {
			if a.Asker == nil {
				return nil
			}
			return a.Asker()
		}})
	a.Out.Color = a.colorSetting
	a.Out.Log = log.Begin(a.Out.Err, a.Out.Clean, a.logging)
	return a
}

// With returns a copy of this call with another home. The caller closes the copy; what a has opened stays open. A
// conversation uses it for a debate whose flags apply to that debate alone. If a has opened its engine, the copy
// shares it; Out is always shared.
func (a *Call) With(h *home.Home) *Call {
	return &Call{Out: a.Out, In: a.In, Home: h, Wire: a.Wire, Connect: a.Connect,
		CWD: a.CWD, Color: a.Color, StorePath: a.StorePath, Person: a.Person, Hub: a.Hub, Force: a.Force,
		Audience: a.Audience, Lent: a.Lent, Store: a.Store, Engine: a.Engine}
}

// Set applies settings that flags of this call's command gave, by key. The command calls it before it opens and
// before it starts goroutines: what is open keeps the home it was opened with.
func (a *Call) Set(flags map[string]string) {
	if len(flags) > 0 {
		a.Home = a.Home.With(flags)
	}
}

// For returns a call like this one for a person of the hub: they see only what is theirs, and spending counts as
// theirs. It opens a store and an engine of its own, and the caller closes it.
func (a *Call) For(person string) *Call {
	h := a.Home.With(nil)
	h.Person = person
	return &Call{Out: a.Out, In: a.In, Home: h, Wire: a.Wire, CWD: a.CWD, Color: a.Color, StorePath: a.StorePath, Person: person,
		Force: a.Force, Audience: a.Audience, Lent: a.Lent}
}

// Close ends what is open; a second call does nothing. Its error reports what ended programs left behind. The engine
// goes first: its jobs write to the store until they have ended.
func (a *Call) Close() (err error) {
	if a.Engine != nil {
		err = a.Engine.Close()
		a.Engine = nil
	}
	if a.Store != nil {
		a.Store.Close()
		a.Store = nil
	}
	return err
}

// Check validates the global flags of a command. It runs after parsing and before the command, also for completion.
// It passes them to the settings as flags, whose layer wins over files and environment.
func (a *Call) Check(c *cobra.Command) error {
	if who := c.Annotations[audience]; who != "" && a.Audience == "" {
		a.Audience = Audience(who)
	}
	switch a.Out.Format {
	case "text", "json", "stream-json":
	default:
		asked := a.Out.Format
		a.Out.Format = "text" // the requested format is invalid
		return failure.Usage("--output "+asked+" is not a valid format", failure.Nearest(asked, out.Formats))
	}
	a.Home.Person = a.Person
	if a.CWD != "" {
		if err := os.Chdir(a.CWD); errors.Is(err, syscall.ENOTDIR) {
			return failure.Usage("cannot work in "+a.CWD+": not a folder", "")
		} else if err != nil {
			return failure.Usage("cannot work in "+a.CWD+": "+plain.Text(errors.Unwrap(err).Error()), "")
		}
	}
	if err := OneOf("color", a.Color, "output.color"); err != nil {
		return err
	}
	if a.Color != "" {
		a.Set(map[string]string{"output.color": a.Color})
	}
	a.command = c.CommandPath()
	if err := a.checkLog(a.command); err != nil {
		return err
	}
	if a.StorePath != "" {
		path, err := filepath.Abs(a.StorePath)
		if err != nil {
			return failure.Usage("--store "+a.StorePath+": "+err.Error(), "")
		}
		a.Set(map[string]string{"store.path": path})
	}
	return a.checkHub(c)
}

// Open opens store and engine once.
// It is not safe for concurrent use: a command opens before it starts goroutines. A wait of more than two seconds is
// explained, once.
func (a *Call) Open(ctx context.Context) (*engine.Engine, error) {
	if a.Engine != nil {
		return a.Engine, nil
	}
	if a.AtHub() != nil {
		err := a.openMirror(ctx, a.wiring())
		return a.Engine, err
	}
	path, err := a.Home.Settings.StoreFile()
	if err != nil {
		return nil, err
	}
	if err := a.Home.Settings.StoreHidden(path); err != nil {
		return nil, err
	}
	slow := "Opening the store takes a moment: it is being upgraded, or another process has locked it…\n"
	if !Exists(path) {
		slow = "Creating the store takes a moment…\n"
	}
	told := time.AfterFunc(2*time.Second, func() { a.Out.Tell(slow) })
	defer told.Stop()
	reader, err := a.Home.Reader(ctx)
	if err != nil {
		return nil, err
	}
	if a.Store, err = store.OpenFor(ctx, path, a.Out.Clean, reader); err != nil {
		return nil, err
	}
	a.Engine = all.New(a.Store, a.wiring())
	return a.Engine, nil
}

func (a *Call) wiring() all.Wiring {
	w := all.Wiring{Turns: a.Home.Turns(), Files: a.Home.Files(), Rooms: rooms.Wiring{Seat: a.Home.Seats.Solo,
		Attended: a.Audience == Person || a.Audience == "" && a.Attended(), Tools: a.Home.Gate.SeatTools(), Views: &a.Home.Programs.Views,
		Show: a.Home.Pages.Text},
		Runs: a.Home.Work()}
	w.Runs.Program = a.command
	if a.Wire != nil {
		a.Wire(&w)
	}
	return w
}

// colorSetting returns the colour setting. Settings that cannot be read give no colours; the command that needs them
// says what is wrong.
func (a *Call) colorSetting() string {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return "never"
	}
	return c.String("output.color")
}

// Connected reports whether a person who has no model, as err says, connected one. It is false if nobody can be
// asked, or if they pressed Enter instead.
func (a *Call) Connected(ctx context.Context, err error, enter string) (bool, error) {
	asks := a.Connect != nil && a.Out.Format == "text" && out.IsTerminal(os.Stderr) && out.IsTerminal(a.In)
	if !errors.Is(err, home.ErrNoModel) || !asks {
		return false, err
	}
	return a.Connect(ctx, enter)
}

// Modelled runs do, and runs it again if it lacked a model and the person connected one. do must be safe to repeat up
// to the point where it finds that there is no model.
func (a *Call) Modelled(ctx context.Context, do func() error) error {
	err := do()
	if ok, refused := a.Connected(ctx, err, "Enter leaves"); ok {
		return do()
	} else if refused != nil {
		return refused
	}
	return err
}

// ReadLine asks a person for a line. One reader is kept for the whole call, because it reads ahead: a second one
// would lose pasted lines.
func (a *Call) ReadLine(prompt string) (string, error) {
	fmt.Fprint(a.Out.Err, prompt)
	if a.lines == nil {
		a.lines = bufio.NewReader(a.In)
	}
	line, err := a.lines.ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.Out.Err)
	}
	return strings.TrimSpace(line), err
}

// CanListen reports whether keys can be read one by one on this system; if not, a debate is told from another
// terminal.
const CanListen = runtime.GOOS == "linux" || runtime.GOOS == "darwin"
