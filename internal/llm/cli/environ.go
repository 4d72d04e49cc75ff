package cli

import (
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/process/marked"
)

// environ is an environment: values by name. On Windows, where names ignore case, they are upper case.
type environ map[string]string

// environment returns that of this process, as it is now.
func environment() environ {
	env := environ{}
	for _, kv := range os.Environ() {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			if runtime.GOOS == "windows" {
				name = strings.ToUpper(name)
			}
			env[name] = value
		}
	}
	return env
}

// with returns env plus the NAME=value pairs of extra, which take precedence.
func (env environ) with(extra []string) environ {
	both := maps.Clone(env)
	for _, kv := range extra {
		name, value, _ := strings.Cut(kv, "=")
		both[name] = value
	}
	return both
}

// everyone lists what every program may see; a * stands for any ending. Other programs' keys and tokens are not here.
var everyone = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_*",
	"SSL_CERT_*", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"DBUS_SESSION_BUS_ADDRESS", // the keyring that may hold a login
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// DepthVar marks everything that a seat starts: nothing below it may start a debate.
const DepthVar = "SOCRATES_DEPTH"

// childEnv returns the part of env a program may see, plus what keeps its output plain. It is sorted, so that two
// processes of a program start alike.
func (env environ) childEnv(sees func(name string) bool) []string {
	out := []string{"TERM=dumb", "NO_COLOR=1", "DO_NOT_TRACK=1", DepthVar + "=1"}
	for name, value := range env {
		if matches(name, everyone) || sees(name) {
			out = append(out, name+"="+value)
		}
	}
	out = marked.Sandboxed(out)
	slices.Sort(out)
	return out
}

// matches reports whether name is one of patterns; a pattern that ends in a star matches any ending.
func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return name == p || open && strings.HasPrefix(name, prefix)
	})
}

// hide removes the keys a program may know, from our environment and from extra, from its error message.
//
// It recognizes keys by the names of variables and skips values of less than 8 bytes, which could be words of a
// sentence. An error that is not ours is left as it is.
func hide(err error, extra []string) error {
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok {
		return err
	}
	hidden := *e
	for _, kv := range append(os.Environ(), extra...) {
		name, value, _ := strings.Cut(kv, "=")
		if keyName().MatchString(name) && len(value) >= 8 {
			hidden.Message = strings.ReplaceAll(hidden.Message, value, "[hidden]")
		}
	}
	return &hidden
}

// keyName matches the names of variables with a key.
var keyName = pattern.Of(`(?i)KEY|TOKEN|SECRET|PASSWORD`)
