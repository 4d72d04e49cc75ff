package sandbox

import (
	"fmt"
	"os"
	"os/exec"
)

// seatbelt is the macOS program that applies a profile to itself and becomes another program.
const seatbelt = "/usr/bin/sandbox-exec"

// enclose makes cmd start through Seatbelt, which knows names and protects them whether or not they exist.
func enclose(cmd *exec.Cmd, r Rules) (*Run, error) {
	if _, err := os.Stat(seatbelt); err != nil {
		return nil, fmt.Errorf("the sandbox needs %s, which is not installed: %w", seatbelt, err)
	}
	args := []string{seatbelt, "-p", r.profile(), cmd.Path}
	if len(cmd.Args) > 1 {
		args = append(args, cmd.Args[1:]...)
	}
	cmd.Path, cmd.Args = seatbelt, args
	return &Run{}, nil
}
