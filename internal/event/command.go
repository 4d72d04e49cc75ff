package event

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
)

// grace is how long a program may take to end once it is asked to.
const grace = time.Second

// keep is how much of what a program says on stderr is kept, in bytes: its end.
const keep = 2 << 10

var (
	errDeadline = fmt.Errorf("it took longer than %d s", deadline/time.Second)
	errGivenUp  = errors.New("given up")
)

// run runs the hook's program in the user's home folder, with the event on its stdin.
func (h Hook) run(ctx context.Context, name Name, body []byte) (string, error) {
	program, err := exec.LookPath(h.Command[0])
	if err != nil {
		return "", errors.New("it is not installed, or cannot be run")
	}
	cmd := exec.CommandContext(ctx, program, h.Command[1:]...)
	cmd.Env = append(environment(os.Environ()), "SOCRATES_EVENT="+string(name))
	if home, err := os.UserHomeDir(); err == nil {
		if _, err := os.Stat(home); err == nil { // else where we are
			cmd.Dir = home
		}
	}
	cmd.Stdin = bytes.NewReader(append(body, '\n'))
	said := &tail{}
	cmd.Stderr = said
	err = process.Run(cmd, grace)
	switch {
	case err == nil && cmd.ProcessState.Success():
		return cmd.ProcessState.String(), nil
	case ctx.Err() != nil:
		return "", ended(ctx)
	case err != nil:
		return "", err
	}
	return "", errors.New(strings.TrimSuffix(cmd.ProcessState.String()+": "+said.line(), ": "))
}

// ended says why a context did.
func ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errDeadline) {
		return errDeadline
	}
	return errGivenUp
}

// passed are the variables a program sees as we do; a * stands for any ending. Keys and tokens are not among them: a
// program that needs one reads it from where the user keeps it.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_*", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"SSL_CERT_*", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
	"TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

func environment(all []string) []string {
	var out []string
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" || strings.HasSuffix(name, "_proxy") {
			name = strings.ToUpper(name)
		}
		if slices.ContainsFunc(passed, func(p string) bool {
			prefix, open := strings.CutSuffix(p, "*")
			return name == p || open && strings.HasPrefix(name, prefix)
		}) {
			out = append(out, kv)
		}
	}
	return out
}

// tail keeps the end of what is written to it.
type tail struct{ last []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-keep):]...)
	return len(p), nil
}

// line is the last line that says something.
func (t *tail) line() string {
	text := strings.TrimSpace(clean.Text(string(t.last)))
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}
