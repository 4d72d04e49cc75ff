// Package consent says who allowed a command, if anybody was asked.
package consent

// Level is who allowed a command.
type Level int

// The levels of consent, from the weakest.
const (
	Reading Level = iota - 1 // nobody was asked, because it only reads: its programs have no need to write
	Unasked                  // a mode, or a rule that does not name the program
	Named                    // a rule of the person's that names the program
	Asked                    // the person approved this very command
)
