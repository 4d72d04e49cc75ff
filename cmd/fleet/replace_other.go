//go:build !unix

package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// replace runs a program to its end, and exits with its code: on this system no program can replace a process.
func replace(path string, argv []string) error {
	p := exec.Command(path, argv[1:]...)
	p.Stdin, p.Stdout, p.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := p.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(e.ExitCode())
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}
