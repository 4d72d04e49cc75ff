//go:build !linux

package process

import "os/exec"

// Mark does nothing here: the environment of others is not shown, and a Windows job cannot be left.
func Mark(*exec.Cmd) {}

// Descendants are what several programs started that outlives each of them, on Linux.
type Descendants struct{}

// NewDescendants are none yet.
func NewDescendants() Descendants { return Descendants{} }

// Join does nothing here.
func (Descendants) Join(*exec.Cmd) {}

// End does nothing here.
func (Descendants) End() {}
