package call

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/out"
)

// Audience says who can be asked while a command runs. Empty: the person at the terminal, if there is one; see
// Attended.
type Audience string

// Audiences that do not depend on the terminal.
const (
	Nobody Audience = "nobody" // nobody is asked, even if a person is at the terminal
	Person Audience = "person" // a person can be asked, even if keys cannot be read one by one
)

const audience = "audience" // the annotation of a command

// Unattended marks commands that ask nobody: they may run unwatched, or another program does the asking. Call.Check
// reads the mark before the command begins.
func Unattended(commands ...*cobra.Command) {
	for _, c := range commands {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[audience] = string(Nobody)
	}
}

// Attended reports whether a person sees the debate at this terminal and can type. It is false in json and
// stream-json, whatever stdin is: a program that reads output must never hang on a question.
func (a *Call) Attended() bool {
	return a.Out.Format == "text" && out.IsTerminal(os.Stderr) && out.IsTerminal(os.Stdin) && CanListen
}

// Asks reports whether the command may ask at the terminal: a person is there, the command may ask them, and nobody
// else has the keyboard.
func (a *Call) Asks() bool { return a.Attended() && a.Audience != Nobody && !a.Lent }
