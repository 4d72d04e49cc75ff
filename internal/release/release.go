// Package release is the table of names of a release: its targets, its files, and the addresses they are published
// at. Whatever builds, installs or updates the program takes them from here, or is held against it by a test. Names
// that were published once are never changed: installed programs look for them.
package release

import "strings"

const (
	// Repository is where the source is, below github.com.
	Repository = "socrates-cli/socrates"
	// Address is where releases are published; File is below it.
	Address = "https://github.com/" + Repository + "/releases"
	// Checksums lists the SHA-256 of every file of a release, as sha256sum does.
	Checksums = "checksums.txt"
	// Marker lies beside a program that the install script put there. Only such a program replaces itself.
	Marker = ".socrates-installed"
	// Previous lies beside the program after an update: the program it replaced.
	Previous = ".socrates-previous"
	// PreviousHub is the same of the second program.
	PreviousHub = Previous + "-hub"
	// New is what the folder of a program begins with that is not in place yet, beside where it belongs.
	New = ".socrates-new-"
	// Channel is where a package of a system says what kind it is, below the folder above the program's: "deb".
	Channel = "share/socrates/channel"
	// Module is what go install is given.
	Module = "github.com/" + Repository
	// Hub is the second program, which hub and worker are linked in; it is in every archive and package, beside the first one.
	Hub = "socrates-hub"
	// Package is what npm install is given.
	Package = "@socrates-cli/socrates"
	// Image is what docker run is given.
	Image = "ghcr.io/" + Repository
)

// Target is a system and a processor that the program is built for. ARM is Go's GOARM where it matters, else empty.
type Target struct{ OS, Arch, ARM string }

// Targets are all of them.
var Targets = []Target{
	{"linux", "amd64", ""}, {"linux", "arm64", ""}, {"linux", "arm", "7"},
	{"darwin", "amd64", ""}, {"darwin", "arm64", ""},
	{"windows", "amd64", ""}, {"windows", "arm64", ""},
	{"freebsd", "amd64", ""},
}

// Name is the target as it appears in the names of files: linux_armv7.
func (t Target) Name() string {
	if t.ARM != "" {
		return t.OS + "_" + t.Arch + "v" + t.ARM
	}
	return t.OS + "_" + t.Arch
}

// Programs are the names of the programs' files, in an archive and installed; the one that people start is the first.
func (t Target) Programs() []string {
	if t.OS == "windows" {
		return []string{"socrates.exe", Hub + ".exe"}
	}
	return []string{"socrates", Hub}
}

// Archive is the file that the programs of a version are published in. The version has no v.
func (t Target) Archive(version string) string {
	if t.OS == "windows" {
		return "socrates_" + version + "_" + t.Name() + ".zip"
	}
	return "socrates_" + version + "_" + t.Name() + ".tar.gz"
}

// SBOM is the file that lists what a program of a version was built from: "socrates" or Hub.
func (t Target) SBOM(program, version string) string {
	return program + "_" + version + "_" + t.Name() + ".spdx.json"
}

// Of finds the target of a system and a processor, as the runtime names them.
func Of(os, arch string) (Target, bool) {
	for _, t := range Targets {
		if t.OS == os && t.Arch == arch {
			return t, true
		}
	}
	return Target{}, false
}

// File is the address of a file of a version; of the newest without one.
func File(address, version, name string) string {
	address = strings.TrimSuffix(address, "/")
	if version == "" {
		return address + "/latest/download/" + name
	}
	return address + "/download/v" + version + "/" + name
}
