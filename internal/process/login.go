package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// login are the variables a login has; a * stands for any ending. Keys and tokens are not among them: a program that needs
// one reads it from where the user keeps it.
var login = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_*", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"SSL_CERT_*", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
	"TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// Login is what of an environment a program sees that the user named and that is not watched over: what a login has. A
// proxy with a password is left out.
func Login(all []string) []string {
	var out []string
	for _, kv := range all {
		name, value, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" || strings.HasSuffix(name, "_proxy") {
			name = strings.ToUpper(name)
		}
		if strings.HasSuffix(name, "_PROXY") && strings.Contains(value, "@") {
			continue
		}
		if slices.ContainsFunc(login, func(p string) bool {
			prefix, open := strings.CutSuffix(p, "*")
			return name == p || open && strings.HasPrefix(name, prefix)
		}) {
			out = append(out, kv)
		}
	}
	return out
}

// Named is a program that the user named, with its arguments, about to start in dir: a path is relative to that. It sees
// what a login has and env, and is marked. An error says that the program is not there.
//
// words has at least the program. The command is not started, and runs under ctx: give it to Run.
func Named(ctx context.Context, dir string, words []string, env ...string) (*exec.Cmd, error) {
	program := words[0]
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	program, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%s does not exist or cannot be run", words[0])
	}
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	cmd.Dir, cmd.Env = dir, append(Login(os.Environ()), env...)
	Mark(cmd)
	return cmd, nil
}

// Tail keeps the end of what is written to it, Most bytes of it. It is safe for concurrent use.
type Tail struct {
	Most int
	mu   sync.Mutex
	last []byte
}

// Write never fails, so a program is not stopped by what it prints.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-t.Most):]...)
	return len(p), nil
}

// String is what was kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
