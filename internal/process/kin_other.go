//go:build !linux

package process

import "os/exec"

// Mark does nothing here: the environment of others is not shown, and a Windows job cannot be left.
func Mark(*exec.Cmd) {}
