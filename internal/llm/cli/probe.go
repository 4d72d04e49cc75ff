package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// SignedIn says whether a program has a login, as far as one can tell without asking its vendor.
type SignedIn string

// The answers.
const (
	Yes     SignedIn = "yes"
	No      SignedIn = "no"
	Unknown SignedIn = "unknown"
)

// Found is what is known of an installed program without calling any model.
type Found struct {
	Name     string
	Path     string // empty: not installed
	Version  string // empty: it did not report one
	SignedIn SignedIn
	Why      string // one sentence on SignedIn, or on what is missing
}

// Look looks for the program called name, at bin unless that is empty. It starts nothing and uses no network.
// SignedIn may be out of date: a login can have ended at the vendor, which only a turn would show.
func Look(name, bin string) Found {
	f := Found{Name: name, SignedIn: Unknown}
	for _, p := range Programs {
		if p.Name != name {
			continue
		}
		path, err := find(cmp.Or(bin, p.Name))
		if err != nil {
			f.Why = oneLine(err.Error())
			return f
		}
		f.Path = path
		f.SignedIn, f.Why = p.signedIn(environment())
		return f
	}
	f.Why = "unknown program"
	return f
}

// Probe is Look, and also asks the program for its version until ctx ends: some take seconds. The program is not
// held: it only prints its version, and in a home of its own.
func Probe(ctx context.Context, name, bin string) Found {
	f := Look(name, bin)
	for _, p := range Programs {
		if p.Name == name && f.Path != "" {
			f.Version = p.version(ctx, f.Path)
		}
	}
	return f
}

// version returns an empty text if the program cannot be started or prints nothing like a version.
func (p Program) version(ctx context.Context, path string) string {
	env := environment()
	home, err := newHome()
	if err != nil {
		return ""
	}
	proc, err := startProcess(command{bin: path, args: []string{"--version"},
		env: append(env.childEnv(p.sees(Options{}, env)), home.vars()...), home: home, grace: time.Second / 2})
	if err != nil {
		return ""
	}
	defer proc.end()
	for {
		line, err := proc.next(ctx)
		if err != nil {
			return versionIn().FindString(proc.errout.String()) // some print it there
		}
		if v := versionIn().FindString(string(line)); v != "" {
			return v
		}
	}
}

// versionIn matches a version in a line of words.
var versionIn = pattern.Of(`\d+\.\d+([0-9A-Za-z.+-]*[0-9A-Za-z])?`)

// exists reports whether there is a file or folder at file.
func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// readJSON reads a program's own file; it returns false if the file is missing or not what v expects.
func readJSON(file string, v any) bool {
	raw, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(raw, v) == nil
}

// Callers find Close by this interface, which llm.Model does not require.
var _ io.Closer = (*model)(nil)
