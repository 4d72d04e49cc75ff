//go:build linux || darwin

package terminal

import (
	"os/exec"
	"strings"
	"testing"
)

// TestKeys holds what is sent against what xterm sends.
func TestKeys(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "é": "é", "+": "+", "enter": "\r", "esc": "\x1b", "ctrl+k": "\v", "ctrl+space": "\x00", "ctrl+/": "\x1f", "ctrl+[": "\x1b", "alt+1": "\x1b1", "alt+[": "\x1b[",
		"alt+enter": "\x1b\r", "ctrl+alt+a": "\x1b\x01", "shift+tab": "\x1b[Z", "up": "\x1b[A", "ctrl+left": "\x1b[1;5D", "ctrl+shift+left": "\x1b[1;6D", "alt+up": "\x1b[1;3A",
		"F1": "\x1bOP", "shift+F1": "\x1b[1;2P", "F5": "\x1b[15~", "ctrl+F5": "\x1b[15;5~", "pgup": "\x1b[5~", "home": "\x1b[H", "ctrl++": "", "ctrl+1": "", "shift+enter": "", "nokey": "",
	} {
		if got, err := encode(name, false); got != want || (err == nil) == (want == "") {
			t.Errorf("%s is %q, not %q (%v)", name, got, want, err)
		}
	}
	if got, _ := encode("up", true); got != "\x1bOA" {
		t.Errorf("up is %q where the program wants it for itself", got)
	}
}

// TestTidy has a shell leave a terminal in many ways.
func TestTidy(t *testing.T) {
	for script, want := range map[string]string{
		`printf 'all is \033[1mwell\033[m\r\n'`: "",
		`printf '\033[?1049h\033[?25l\033[?2004h\033[?25h\033[?2004l\033[?1049l'; old=$(stty -g); stty raw -echo; stty "$old"`: "",
		`printf '\033[>1u\033[<1u\033[>4;2m\033[>4m\033[5 q\033[0 q'`:                                                          "",
		`printf '\033[1;9r\033[4S\033[r'`:       "", // more lines than there are, as from before a resize
		`printf '\033[?1049h'`:                  "alternate screen",
		`printf '\033[?25l'`:                    "?25 cursor is off",
		`printf '\033[?1002h\033[?1006h'`:       "mouse",
		`printf '\033[?2004h'`:                  "marked pastes is on",
		`printf '\033[?2026h'`:                  "held output",
		`printf '\033[>1u\033[>1u\033[<1u'`:     "stack of keys: pushed",
		`printf '\033[>4;2m'`:                   "other keys: 2",
		`printf '\033[5 q'`:                     "cursor's shape: 5",
		`printf 'half'`:                         "column 4",
		`printf '\033[31m'`:                     "looks like",
		`printf '\033(0'`:                       "looks like",
		`printf '\033]8;;http://x.test\033\\'`:  "looks like",
		`stty -echo`:                            "the terminal settings are",
		`printf '\033[?1049h'; kill -KILL "$$"`: "alternate screen",
	} {
		term, err := Start(exec.Command("sh", "-c", script), 40, 5)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := term.End(); err != nil || code != 0 && (code != 137 || !strings.Contains(script, "KILL")) {
			t.Errorf("%s ended with %d (%v)", script, code, err)
		}
		if err := term.Tidy(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", script, err, want)
		}
		term.Close()
	}
}

// TestProgramThatDoesNotRead is typed to and resized without anybody waiting, and its end is noticed.
func TestProgramThatDoesNotRead(t *testing.T) {
	term, err := Start(exec.Command("sh", "-c", `stty raw -echo; trap 'printf bye; exit 3' TERM; printf 'ready\r\n'; sleep 600 & wait`), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	if err := term.Wait("not ready", func(s string) bool { return strings.Contains(s, "ready") }); err != nil {
		t.Fatal(err)
	}
	term.Paste(strings.Repeat("long ", 1<<20))
	if err := term.Resize(20, 3); err != nil {
		t.Fatal(err)
	}
	if err := term.Signal("TERM"); err != nil {
		t.Fatal(err)
	}
	if code, err := term.End(); err != nil || code != 3 || !strings.Contains(term.Screen(), "bye") {
		t.Errorf("%d, %v: %s", code, err, term.Screen())
	}
}

// TestHangUp closes a terminal whose program still runs: the program is told, and its exit code is known.
// It looks again every second: a shell that waits for good misses a signal that comes just before it waits.
func TestHangUp(t *testing.T) {
	term, err := Start(exec.Command("sh", "-c", `trap 'exit 3' HUP; printf 'ready\r\n'; while :; do sleep 1; done`), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	if err := term.Wait("not ready", func(s string) bool { return strings.Contains(s, "ready") }); err != nil {
		t.Fatal(err)
	}
	if err := term.HangUp(); err != nil {
		t.Fatal(err)
	}
	if code, err := term.End(); err != nil || code != 3 {
		t.Errorf("%d, %v", code, err)
	}
}
