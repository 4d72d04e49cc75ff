// Package screen holds the full screen: how it is opened, what it needs of the rest of the program, and what of it is
// kept.
//
// The screen itself is internal/tui, which knows neither flags nor commands. This package is its host: it checks the
// flags, opens the engine, reads the settings of the screen, and restores the terminal whatever happens, also if the
// process is killed (process.KeepTerminal).
//
// If no screen can be drawn, the same conversation runs line by line (cmd/talk).
//
// Exit codes: 0 when the person leaves, 2 for flags, keys or a log that would be drawn over the screen, 129, 130 or
// 143 when a signal ends it.
package screen

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/clipboard"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Screen is the full screen of a call.
type Screen struct {
	*call.Call
	chat  Chat
	tells *teller.Jobs // about jobs that the screen begins; nil: nobody is told
}

// Chat is the same conversation, line by line; name is its name, empty: the flags decide.
type Chat func(ctx context.Context, f *turn.Flags, name string) error

// New returns the screen of a call, and chat replaces it if none can be drawn.
func New(shared *call.Call, chat Chat) *Screen { return &Screen{Call: shared, chat: chat} }

// Began is called with each job of this process as it begins.
func (a *Screen) Began(root tree.ID, recorded int64) { a.tells.Began(root, recorded) }

//go:embed screen.md
var screenDoc string

// Page returns the page of docs/ on the screen.
func (*Screen) Page() string {
	var b strings.Builder
	b.WriteString("| keys | | name | or |\n|---|---|---|---|\n")
	for _, a := range tui.Actions() {
		keys := ""
		for _, k := range a.Keys {
			keys += " `" + k + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.TrimSpace(keys), a.Doc, a.Name, a.Also)
	}
	var said strings.Builder
	said.WriteString("| command | |\n|---|---|\n")
	for _, c := range tui.Commands() {
		fmt.Fprintf(&said, "| `%s` | %s |\n", c.Form(), c.Doc)
	}
	return strings.NewReplacer("{{actions}}\n", b.String(), "{{commands}}\n", said.String()).Replace(screenDoc)
}

// hasScreen reports whether a person is at a terminal that can show the screen.
func (a *Screen) hasScreen() bool {
	return a.Out.Format == "text" && term.IsTerminal(int(a.In.Fd())) && out.IsTerminal(os.Stdout)
}

// Nobody reports that stdin gives no input: it is neither a terminal nor a pipe nor a file, but the null device. A
// conversation can be read from a pipe or a file; with the null device it would end at once.
func (a *Screen) Nobody() bool {
	info, err := a.In.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !term.IsTerminal(int(a.In.Fd()))
}

// Show runs the full screen; without a terminal for it, the same conversation runs line by line. The terminal is
// changed last: whatever can fail fails with the shell still intact. Tabs are saved however it ends.
func (a *Screen) Show(ctx context.Context, f *turn.Flags, s Flags) error {
	if !a.hasScreen() || f.Plain {
		return a.chat(ctx, f, "")
	}
	if err := f.Values(a.Call); err != nil {
		return err
	}
	if err := a.LogNeedsFile(); err != nil {
		return err
	}
	a.Audience = call.Person
	a.Connect = nil // the screen asks itself
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return err
	}
	start, err := a.start(ctx, e, f, cfg)
	if err != nil {
		return err
	}
	w, follows := a.wiring(e, cfg)
	start.Follows = follows
	w.Terminal.Inline, w.Terminal.Plain = s.Inline || s.Reader, s.Reader
	if w.Terminal.Inline {
		w.Terminal.Album = nil
	}
	if tui.Reflows(os.Getenv) {
		w.Terminal.Raw = func(text string) { a.Out.Raw(text) }
	}
	if a.tells, err = teller.NewJobs(a.Call); err != nil {
		return err
	}
	defer a.tells.Close()
	start.Owes, start.Terminal = process.Asked, a.In
	last, err := a.lastWords(w.Terminal.Inline)
	if err != nil {
		return err
	}
	done := process.KeepTerminal(last)
	defer done()
	a.Out.Raw(tui.KeepTitle)
	kept, err := tui.Run(ctx, w, start)
	a.Out.Raw("\x1b[0 q" + tui.BackTitle) // restore the cursor's shape and the title
	lost := start.Keeps.Keep(start.Dir, kept)
	if len(kept) > 0 && a.storeGone() {
		a.Out.Tell("Nothing was saved: the store was deleted while it was open.\n")
	} else {
		a.Out.Tell(farewell(kept))
	}
	if e, ok := errors.AsType[*tui.Ended](err); ok {
		return failure.New(call.EndCode(e.By), "cancelled", "", "") // farewell was printed
	}
	return errors.Join(err, lost)
}

// lastWords returns what the terminal gets if the screen is killed or fails in a way that it cannot react to. A
// watchdog process writes it, so it must be complete before the screen begins.
func (a *Screen) lastWords(inline bool) (process.Terminal, error) {
	path, err := a.Home.Settings.StoreFile()
	report := filepath.Join(filepath.Dir(path), "fault.txt")
	return process.Terminal{Reset: tui.Reset(inline), Report: report,
		Words: "socrates exited unexpectedly.\nYour conversations are saved; run socrates to reopen them.\n",
		Fault: "This is a bug in socrates. Please report it with the details in\n" + a.Out.Clean(report) + "\n"}, err
}

// storeGone reports whether the file of the store was deleted. An open file stays usable after it is deleted, so
// nothing else would reveal that the work is lost.
func (a *Screen) storeGone() bool {
	path, err := a.Home.Settings.StoreFile()
	if err == nil {
		_, err = os.Stat(path)
	}
	return errors.Is(err, fs.ErrNotExist)
}

// farewell prints how to resume what was open.
func farewell(kept []tui.Kept) string {
	drafts := slices.ContainsFunc(kept, func(k tui.Kept) bool { return k.Draft != "" })
	kept = slices.DeleteFunc(slices.Clone(kept), func(k tui.Kept) bool { return k.Name == "" })
	switch {
	case len(kept) == 0 && drafts:
		return "What you typed is saved; run socrates to restore it.\n"
	case len(kept) == 0:
		return ""
	}
	last := kept[max(0, slices.IndexFunc(kept, func(k tui.Kept) bool { return k.Shown }))]
	one := map[string]string{"chat": "socrates --session ", "debate": "socrates debate show ",
		"tree": "socrates tree show "}[last.Page] + last.Name
	if len(kept) == 1 && last.Page == "chat" {
		return "Saved. Resume with: " + one + "\n"
	} else if len(kept) == 1 {
		return "Saved. See it again with: " + one + "\n"
	}
	return fmt.Sprintf("Saved. Run socrates to reopen these %d tabs; for this one alone: %s\n", len(kept), one)
}

// Flags are those of the screen alone.
type Flags struct{ Inline, Reader bool }

// start returns what the screen begins with: what was asked for, else what was open last. Flags that name a
// conversation open that one alone; flags about turns begin a new one beside what was open.
func (a *Screen) start(ctx context.Context, e *engine.Engine, f *turn.Flags, cfg *config.Config) (s tui.Start, err error) {
	if s.Dir, err = a.Home.Settings.Dir(); err != nil {
		return s, err
	}
	s.Keys = map[string][]string{}
	for _, name := range cfg.Below("screen.keys") {
		s.Keys[name] = cfg.Strings("screen.keys." + name)
	}
	if err := tui.CheckKeys(s.Keys); err != nil {
		return s, failure.Usage("screen.keys: "+err.Error(), "see where it is set with: socrates config")
	}
	s.Turn, s.Model, s.Tier, s.Keeps, s.Above = f.Manner(), f.Model, f.Tier, tui.NewTabs(a.Home), &a.Out.Above
	s.Version = build.Version()
	s.Begin = map[string]string{"mode": cmp.Or(f.Mode, cfg.String("permission.mode"))}
	if f.Phase != "" {
		s.Begin["phase"] = f.Phase
	}
	s.Editor = cmp.Or(cfg.String("screen.editor"), os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
	if f.Session != "" || f.Resume || f.Fork != "" {
		name, err := f.Open(ctx, a.Call, e, "", false)
		s.Tabs = []tui.Kept{{Page: "chat", Name: name}}
		return s, err
	}
	s.Tabs, s.New = s.Keeps.Take(s.Dir), cmp.Or(f.Model, f.Tier, f.Phase, f.Mode) != "" // open conversations have their own
	return s, nil
}

// wiring returns what the screen is given, and whether its theme follows the background of the terminal.
func (a *Screen) wiring(e *engine.Engine, cfg *config.Config) (w tui.Wiring, follows bool) {
	look, fixed := theme.Find(cfg.String("screen.theme"))
	if cfg.String("output.color") == "never" || os.Getenv("NO_COLOR") != "" {
		look, fixed = theme.Find("none")
	} else if !fixed {
		look = theme.All[0]
	}
	w = tui.Wiring{Engine: e, Home: a.Home, Theme: look, Terminal: screen.Terminal{Mouse: cfg.String("screen.mouse") == "on",
		Links: tui.Linking(cfg.String("screen.links"), os.Getenv), Tmux: os.Getenv("TMUX") != ""}}
	if cache, err := os.UserCacheDir(); err == nil { // of files beside the store nothing is sent
		w.Terminal.Board = clipboard.New(runtime.GOOS, os.Getenv, filepath.Join(cache, "socrates", "pasted"))
	}
	w.Terminal.Album = tui.Album(cfg.String("screen.pictures"), w.Theme, os.Getenv)
	w.Terminal.Calls, w.Terminal.Notice = tui.Notifier(cfg.String("screen.notify"), os.Getenv)
	return w, !fixed
}
