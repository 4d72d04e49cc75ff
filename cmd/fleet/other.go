package fleet

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/release"
)

// second is the program that hub and worker are linked into. Releases put it beside this one.
const second = release.Hub

// other returns the path of the second program: beside this one, else in PATH.
func other() (string, error) {
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), second)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(second)
	if err != nil {
		version := build.Version()
		if version == "devel" || version == "" {
			version = "latest"
		}
		return "", failure.New(failure.ExitFailed, "hub", "the program "+second+", which has the commands hub and worker, is not installed",
			"install it beside this one: go install github.com/socrates-cli/socrates/"+second+"@"+version)
	}
	return path, nil
}

// other replaces this process by the second program, with the same command line.
func (c *commands) other() error {
	path, err := other()
	if err != nil {
		return err
	}
	return replace(path, append([]string{second}, os.Args[1:]...))
}
