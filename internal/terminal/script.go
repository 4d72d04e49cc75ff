package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/rogpeppe/go-internal/testscript"
)

// terminals is what a script has of terminals.
type terminals struct {
	all   []*Terminal
	now   *Terminal // the one that commands are for
	names []string  // of the variables its programs get
	masks []mask
	late  bool   // the next terminal is
	kind  string // what the next terminal says it is
	mute  bool   // it does not say what its ground is
	ahead string // what was typed there already
}

// mask hides what differs from run to run.
type mask struct {
	pattern *regexp.Regexp
	text    string
}

type terminalsKey struct{}

// own are variables a script may set for programs on a terminal, besides those it began with.
var own = []string{"TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "EDITOR", "VISUAL", "PS1", "SSH_TTY", "TMUX",
	"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "SSH_CONNECTION"}

// Setup prepares a script for Commands. It comes after all other variables were set.
func Setup(e *testscript.Env) {
	e.Setenv("TERM", "xterm-256color")
	e.Setenv("COLORTERM", "truecolor")
	d := &terminals{names: slices.Clone(own)}
	for _, v := range e.Vars {
		name, _, _ := strings.Cut(v, "=")
		d.names = append(d.names, name)
	}
	e.Values[terminalsKey{}] = d
}

// Command is what a script can say.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Commands are what scripts can do with terminals. Golden screens are in a folder, and are made again if update is set.
//
//	term 80x24 PROGRAM ARGS...      starts a program; at 1 goes back to the first that was started
//	late                            the terminal that is started next answers questions from: answers
//	mute                            it does not know the colour of its ground
//	ahead TEXT                      this and Enter are typed there before the program starts
//	kind NAME                       it says that this is its name, and that it draws pictures
//	type TEXT · paste FILE · press ctrl+k enter alt+1 up F1 · mouse click|press|drag|release|wheelup|wheeldown COLUMN ROW
//	see PATTERN · gone PATTERN      wait until the screen shows it, or does so no more
//	sent PATTERN                    wait until it was written, whatever the screen shows
//	cursor COLUMN ROW · title PATTERN · resize 60x15 · signal INT|TERM|TSTP|CONT|KILL|HUP · hangup (closes the terminal)
//	cmpscreen GOLDEN · screen FILE · raw FILE · mask PATTERN TEXT (in what is compared or saved)
//	ends CODE · tidy                wait for the end; then: is the terminal as it was?
//
// Nothing is waited for by time: a program that has not been seen to want keys may get them as text.
func Commands(golden string, update bool) map[string]Command {
	out := map[string]Command{"term": start, "at": at, "mask": hide}
	out["late"] = func(ts *testscript.TestScript, _ bool, _ []string) { ts.Value(terminalsKey{}).(*terminals).late = true }
	out["kind"] = func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Value(terminalsKey{}).(*terminals).kind = args[0]
	}
	out["ahead"] = func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Value(terminalsKey{}).(*terminals).ahead += strings.Join(args, " ") + "\r"
	}
	out["mute"] = func(ts *testscript.TestScript, _ bool, _ []string) { ts.Value(terminalsKey{}).(*terminals).mute = true }
	for name, do := range map[string]func(t *Terminal, args []string) error{
		"sent":    sent,
		"type":    func(t *Terminal, args []string) error { t.Type(strings.Join(args, " ")); return nil },
		"press":   press,
		"mouse":   pointer,
		"resize":  resize,
		"see":     see,
		"gone":    gone,
		"cursor":  cursor,
		"title":   title,
		"signal":  func(t *Terminal, args []string) error { return t.Signal(args[0]) },
		"answers": func(t *Terminal, _ []string) error { close(t.late); return nil },
		"hangup":  func(t *Terminal, _ []string) error { return t.HangUp() },
		"ends":    ends,
		"tidy":    func(t *Terminal, args []string) error { return t.Tidy() },
	} {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) { ts.Check(do(current(ts, neg), args)) }
	}
	out["paste"] = func(ts *testscript.TestScript, neg bool, args []string) {
		current(ts, neg).Paste(ts.ReadFile(args[0]))
	}
	out["screen"] = func(ts *testscript.TestScript, neg bool, args []string) {
		text := masked(current(ts, neg).Screen(), ts.Value(terminalsKey{}).(*terminals).masks)
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
	}
	out["raw"] = func(ts *testscript.TestScript, neg bool, args []string) {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), current(ts, neg).Raw(), 0o644))
	}
	out["cmpscreen"] = func(ts *testscript.TestScript, neg bool, args []string) {
		ts.Check(compare(current(ts, neg), ts.Value(terminalsKey{}).(*terminals).masks, filepath.Join(golden, args[0]), update))
	}
	return out
}

// Current is the terminal that a script uses now.
func Current(ts *testscript.TestScript) *Terminal { return current(ts, false) }

// current is the terminal that commands are for.
func current(ts *testscript.TestScript, neg bool) *Terminal {
	t := ts.Value(terminalsKey{}).(*terminals).now
	if t == nil {
		ts.Fatalf("no program runs on a terminal: term COLSxROWS PROGRAM ARGS...")
	}
	if neg {
		ts.Fatalf("this cannot be negated; gone waits until a text is no longer seen")
	}
	return t
}

// start runs a program on a terminal: term COLSxROWS PROGRAM ARGS...
func start(ts *testscript.TestScript, _ bool, args []string) {
	cols, rows, err := size(args[0])
	ts.Check(err)
	d := ts.Value(terminalsKey{}).(*terminals)
	cmd := exec.Command(args[1], args[2:]...)
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, args[1])); err == nil && !strings.Contains(args[1], "/") {
			cmd = exec.Command(found, args[2:]...)
			break
		}
	}
	cmd.Args[0], cmd.Dir = args[1], ts.MkAbs(".")
	for _, name := range d.names {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, "PWD="+cmd.Dir)
	t, err := d.start(cmd, cols, rows)
	ts.Check(err)
	ts.Defer(t.Close)
	d.all, d.now = append(d.all, t), t
}

// start has a terminal that is late hold its answers.
func (d *terminals) start(cmd *exec.Cmd, cols, rows int) (*Terminal, error) {
	m := manner{late: make(chan struct{}), kind: d.kind, mute: d.mute, ahead: d.ahead}
	if !d.late {
		close(m.late)
	}
	d.late, d.kind, d.mute, d.ahead = false, "", false, ""
	return begin(cmd, cols, rows, m)
}

// at chooses among several terminals, by the order they were started in: at 1.
func at(ts *testscript.TestScript, _ bool, args []string) {
	d := ts.Value(terminalsKey{}).(*terminals)
	n, err := strconv.Atoi(args[0])
	if ts.Check(err); n < 1 || n > len(d.all) {
		ts.Fatalf("there are %d terminals", len(d.all))
	}
	d.now = d.all[n-1]
}

// hide shows a text in place of what matches, in screens that are saved or compared: mask PATTERN TEXT.
func hide(ts *testscript.TestScript, _ bool, args []string) {
	d := ts.Value(terminalsKey{}).(*terminals)
	d.masks = append(d.masks, mask{regexp.MustCompile("(?m)" + args[0]), args[1]})
}

// masked is a screen with what differs from run to run hidden.
func masked(text string, masks []mask) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.text)
	}
	return text
}

// press sends keys: press ctrl+k enter alt+1 up F1.
func press(t *Terminal, args []string) error {
	for _, name := range args {
		if err := t.Press(name); err != nil {
			return err
		}
	}
	return nil
}

// pointer does what a mouse does: mouse click 10 5.
func pointer(t *Terminal, args []string) error {
	x, err := strconv.Atoi(args[1])
	y, err2 := strconv.Atoi(args[2])
	return errors.Join(err, err2, t.Mouse(args[0], x, y))
}

// size reads COLSxROWS.
func size(s string) (cols, rows int, err error) {
	if _, err = fmt.Sscanf(s, "%dx%d", &cols, &rows); err != nil || cols < 1 || rows < 1 {
		return 0, 0, fmt.Errorf("%s is no size: 80x24", s)
	}
	return cols, rows, nil
}

// resize changes the size: resize 60x15.
func resize(t *Terminal, args []string) error {
	cols, rows, err := size(args[0])
	if err != nil {
		return err
	}
	return t.Resize(cols, rows)
}

// see waits until the screen shows a text: see PATTERN.
func see(t *Terminal, args []string) error {
	pattern, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	return t.Wait("there is no "+args[0], pattern.MatchString)
}

// gone waits until the screen does not show it: gone PATTERN.
func gone(t *Terminal, args []string) error {
	pattern, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	return t.Wait("there is still "+args[0], func(s string) bool { return !pattern.MatchString(s) })
}

// sent waits until the program has written what matches: sent PATTERN.
func sent(t *Terminal, args []string) error {
	pattern, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	return t.Wait("nothing written is "+args[0], func(string) bool { return pattern.Match(t.raw) })
}

// cursor waits until the cursor is shown at a column and row, counted from 0: cursor 2 10.
func cursor(t *Terminal, args []string) error {
	want := strings.Join(args, " ")
	return t.Wait("the cursor is not at "+want, func(string) bool {
		at := t.em.CursorPosition()
		return fmt.Sprintf("%d %d", at.X, at.Y) == want && t.shown()
	})
}

// title waits for the title of the window.
func title(t *Terminal, args []string) error {
	pattern, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	return t.Wait("the title does not become "+args[0], func(string) bool { return pattern.MatchString(t.title) })
}

// ends waits for the end of the program and wants its exit code: ends 0.
func ends(t *Terminal, args []string) error {
	code, err := t.End()
	if err == nil && strconv.Itoa(code) != args[0] {
		err = fmt.Errorf("exit code %d, not %s. The screen:\n%s", code, args[0], t.Screen())
	}
	return err
}

// compare waits until the screen is what a golden says.
func compare(t *Terminal, masks []mask, path string, update bool) error {
	if update {
		t.Settle()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(masked(t.Screen(), masks)), 0o644)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; -update makes it", err)
	}
	if err = t.Wait("the screen is not "+path, func(s string) bool { return masked(s, masks) == string(want) }); err != nil {
		err = fmt.Errorf("%w\n%s", err, udiff.Unified(path, "screen", string(want), masked(t.Screen(), masks)))
	}
	return err
}
