package call

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/out"
)

// Audience says who is there to be asked while a command runs.
// Empty: whoever sits at the terminal, see Attended.
type Audience string

// Who is there, where the terminal does not tell.
const (
	Nobody Audience = "nobody" // nobody is asked, whoever sits at the terminal
	Person Audience = "person" // somebody is there, even if keys cannot be read one by one
)

const audience = "audience" // the annotation of a command

// Unattended marks commands that ask nobody: they may run where no one looks, or somebody else does the asking.
// Call.Check reads the mark before the command begins.
func Unattended(commands ...*cobra.Command) {
	for _, c := range commands {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[audience] = string(Nobody)
	}
}

// Attended says whether a person sits here who sees the debate and can type.
// In json and stream-json nobody is there, whatever stdin is: a program that reads output must never hang on a
// question.
func (a *Call) Attended() bool {
	return a.Out.Format == "text" && out.IsTerminal(os.Stderr) && out.IsTerminal(os.Stdin) && CanListen
}

// Asks says whether the terminal may ask: a person sits there, the command has them as its audience, and nobody else has the keyboard.
func (a *Call) Asks() bool { return a.Attended() && a.Audience != Nobody && !a.Lent }
