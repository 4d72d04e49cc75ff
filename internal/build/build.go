// Package build says what this program was built from: its version, its commit and that commit's date, and the modules in it.
//
// A release sets version, commit and date by the linker; a program built by go install or go build has what Go
// recorded, which may be nothing but the version of Go. Nothing here is read from disk or network, and every call gives
// the same answer.
package build

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Set by the release build: -ldflags "-X github.com/socrates-cli/socrates/internal/build.version=0.1.0", and so on.
var version, commit, date string

// Info is where a program comes from.
type Info struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // empty: not known, as after go install
	Date    string `json:"date,omitempty"`   // of the commit, as RFC 3339
	Go      string `json:"go"`
	Target  string `json:"target"` // linux/amd64
}

// Here is this program. What the release build did not set is what Go recorded.
func Here() Info {
	i := Info{Version: version, Commit: commit, Date: date, Go: runtime.Version(), Target: runtime.GOOS + "/" + runtime.GOARCH}
	recorded, ok := debug.ReadBuildInfo()
	if !ok {
		i.Version = cmp.Or(i.Version, "devel")
		return i
	}
	for _, s := range recorded.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = cmp.Or(i.Commit, s.Value)
		case "vcs.time":
			i.Date = cmp.Or(i.Date, s.Value)
		}
	}
	if v := recorded.Main.Version; v != "" && v != "(devel)" {
		i.Version = cmp.Or(i.Version, strings.TrimPrefix(v, "v"))
	}
	if i.Version == "" {
		i.Version = "devel"
		if len(i.Commit) >= 12 {
			i.Version += "-" + i.Commit[:12]
		}
	}
	return i
}

// Released says whether this program is of a release, and not built by whoever runs it.
func Released() bool { return version != "" }

// Installed says whether go install built this program from a published version.
func Installed() bool {
	recorded, ok := debug.ReadBuildInfo()
	return ok && version == "" && recorded.Main.Sum != ""
}

// Version is the version of this program: the release, or what Go recorded.
func Version() string { return Here().Version }

// String is one line for a person: 0.1.0 (3f2a1bc, 2026-11-25).
// Where commit and date are unknown they are left out.
func (i Info) String() string {
	short, day := i.Commit, i.Date
	if len(short) > 7 {
		short = short[:7]
	}
	if len(day) > 10 {
		day = day[:10]
	}
	if strings.Contains(i.Version, short) { // a pseudo-version says it all
		return i.Version
	}
	return i.Version + " (" + strings.TrimSuffix(short+", "+day, ", ") + ")"
}
