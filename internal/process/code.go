package process

import "os"

// Code is the status of a program that has ended the way shells tell it: what it exited with, or 128 and the signal that
// ended it. Of a program that never ran it is 126.
// A status above 255, as Windows has it, loses what a shell would not see.
func Code(state *os.ProcessState) int {
	if state == nil {
		return 126
	}
	if code := state.ExitCode(); code >= 0 {
		return code & 0xff
	}
	return 128 + signalOf(state)
}
