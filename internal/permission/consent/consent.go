// Package consent defines who allowed a command.
package consent

// Level says who allowed a command.
type Level int

// The levels of consent, from the weakest.
const (
	Reading Level = iota - 1 // nobody was asked, because it only reads: its programs need not write
	Unasked                  // a mode, or a rule that does not name the program
	Named                    // a rule of the person that names the program
	Asked                    // the person approved this very command
)
