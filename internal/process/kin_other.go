//go:build !linux

package process

import "os/exec"

// Mark does nothing here: the environment of others is not shown, and a Windows job cannot be left.
func Mark(*exec.Cmd) {}

// Kinship is what several programs started that outlives each of them, on Linux.
type Kinship struct{}

// NewKinship is a kinship without members.
func NewKinship() Kinship { return Kinship{} }

// Join does nothing here.
func (Kinship) Join(*exec.Cmd) {}

// End does nothing here.
func (Kinship) End() {}
