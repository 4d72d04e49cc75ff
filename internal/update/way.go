// Package update replaces the two programs by those of another release, where the install script put them. Everywhere else
// it knows who put the program there, and leaves it to them ([How]).
//
// [Source.Find] reads the list of a release over https, [Program.Update] downloads its archive, compares the
// checksum, starts both new programs once, and only then puts them in place with two renames, keeping the old ones beside
// them for [Program.Rollback]. If anything fails before that, nothing has changed. A program that runs while it is
// replaced goes on as the old one.
//
// The checksum finds a broken download; who publishes releases is trusted. Nothing is updated unasked, and [Newer]
// is all that says whether a version is newer.
package update

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/release"
)

// Way is how a program came to where it is.
type Way struct {
	Name    string // script, npm, brew and so on; empty: nobody knows
	Command string // what updates it; empty: it updates itself, or nobody knows
}

// managers are recognized by the folders they keep programs in.
var managers = []struct {
	folder string
	Way
}{
	{"/node_modules/", Way{"npm", "npm install -g " + release.Package + "@latest"}},
	{"/Caskroom/", Way{"brew", "brew upgrade --cask socrates"}},
	{"/scoop/apps/", Way{"scoop", "scoop update socrates"}},
	{"/WinGet/Packages/", Way{"winget", "winget upgrade SocratesCLI.Socrates"}},
	{"/nix/store/", Way{"nix", "nix profile upgrade socrates"}},
}

// packages say what they are in a file of their own.
var packages = map[string]string{
	"deb":       "sudo apt install ./socrates_VERSION_ARCH.deb, from " + release.Address + "/latest",
	"rpm":       "sudo dnf install ./socrates-VERSION-1.ARCH.rpm, from " + release.Address + "/latest",
	"apk":       "sudo apk add --allow-untrusted ./socrates_VERSION_ARCH.apk, from " + release.Address + "/latest",
	"container": "docker pull " + release.Image + ":latest",
}

// How finds out how a program was installed. program is its path without links; byGo says that go install built it.
func How(program string, byGo bool) Way {
	dir := filepath.Dir(program)
	if _, err := os.Stat(filepath.Join(dir, release.Marker)); err == nil {
		return Way{Name: "script"}
	}
	for _, m := range managers {
		if strings.Contains(filepath.ToSlash(program), m.folder) {
			return m.Way
		}
	}
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(dir), filepath.FromSlash(release.Channel)))
	if name := strings.TrimSpace(string(text)); packages[name] != "" {
		return Way{name, packages[name]}
	}
	if byGo {
		second := ""
		if _, err := os.Stat(filepath.Join(dir, release.Hub+strings.TrimPrefix(filepath.Base(program), "socrates"))); err == nil {
			second = " " + release.Module + "/" + release.Hub + "@latest"
		}
		return Way{"go", "go install " + release.Module + "@latest" + second}
	}
	return Way{}
}
