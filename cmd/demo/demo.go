// Package demo holds the tour of the program, which needs no model.
//
// It uses the sample project, written into a temporary folder that is removed at the end. Everything shown is a real
// command over real files; rules play the models, so the same tour runs everywhere and costs nothing.
//
// The command demo exits with 0, also if the person leaves early; with the code of a command of the tour that failed;
// with 2 if output for a program was asked for.
package demo

import (
	"github.com/socrates-cli/socrates/cmd/call"
)

// Demo is the tour.
type Demo struct {
	*call.Call
	run func(args []string) int
}

// New returns the demo of a call. run executes a command line non-interactively.
func New(shared *call.Call, run func(args []string) int) *Demo { return &Demo{shared, run} }
