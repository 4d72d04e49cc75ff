// Package demo holds the tour of the program, which needs no model.
//
// It is about the sample project, which is written into a temporary folder that is removed in the end. Everything shown is a real command
// over real files; rules play the models, so the same tour runs everywhere and costs nothing.
//
// The command demo ends with 0, also if the person leaves early; with the code of a command of the tour that failed;
// with 2 where output for a program was asked for.
package demo

import (
	"github.com/socrates-cli/socrates/cmd/call"
)

// Demo is the tour.
type Demo struct {
	*call.Call
	run func(args []string) int
}

// New is the demo of a call. run carries out a command line as somebody who types nothing.
func New(shared *call.Call, run func(args []string) int) *Demo { return &Demo{shared, run} }
