// Package marked knows the variables that this program sets for what it starts, and by them whether it was started in a
// sandbox of its own.
package marked

import (
	"errors"
	"os"
	"strings"
)

// ErrHidden is under the error of a store that the sandbox hides from this process.
var ErrHidden = errors.New("hidden by a sandbox")

// sandboxVar is the variable of Sandboxed.
const sandboxVar = "SOCRATES_SANDBOX"

// given are the variables that this program sets for what it starts. They share the prefix of the settings, and are none.
var given = map[string]bool{"SOCRATES_KIN": true, "SOCRATES_KINSHIP": true, sandboxVar: true, "SOCRATES_DEPTH": true, // internal/llm/cli
	"SOCRATES_EVENT": true, "SOCRATES_HOOK": true, // internal/event, internal/hook
	"SOCRATES_PORT": true} // internal/work

// Given says whether a variable is one that this program sets for what it starts.
func Given(name string) bool { return given[name] || strings.HasPrefix(name, "SOCRATES_PORT_") }

// Sandboxed is env with the mark of a program that sees the person's home only in part. Whatever it finds missing there
// may exist.
func Sandboxed(env []string) []string {
	value := func(name string) (last string) {
		for _, v := range env {
			if rest, ok := strings.CutPrefix(v, name+"="); ok {
				last = rest
			}
		}
		return last
	}
	return append(env, sandboxVar+"="+place(value))
}

// Sandbox says whether this process was started as Sandboxed says, and still has the home it was started with: in one
// that a script chose, nothing is hidden.
func Sandbox() bool {
	mark, ok := os.LookupEnv(sandboxVar)
	return ok && mark == place(os.Getenv)
}

// place is where a program looks for what it keeps for a person.
func place(value func(string) string) string {
	return value("HOME") + ":" + value("XDG_DATA_HOME")
}
