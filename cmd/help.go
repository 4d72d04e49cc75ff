package cmd

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// helpWidth is the width of help on this screen, also behind a pager: stdout is then a pipe, but stderr still is the
// terminal whose width counts.
func helpWidth() int {
	if !out.IsTerminal(os.Stdout) && out.IsTerminal(os.Stderr) {
		return min(out.Columns(os.Stderr), 100) - 1
	}
	return min(out.Columns(os.Stdout), 100) - 1
}

// setHelp makes help fit the screen, and refuses to explain unknown commands. It sets no template: with those the
// linker keeps every method, which makes the program a fifth larger.
func setHelp(a *call.Call, root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		about := reflow(cmp.Or(c.Long, c.Short), helpWidth())
		fmt.Fprint(a.Out, about+"\n\n"+out.Hang(c.UsageString(), helpWidth()))
	})
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Show help for a command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
			if of, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, s := range of.Commands() {
					if s.IsAvailableCommand() {
						list = append(list, s.Name()+"\t"+s.Short)
					}
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c := root
			for _, arg := range args {
				var next *cobra.Command
				for _, s := range c.Commands() {
					if s.Name() == arg || s.HasAlias(arg) {
						next = s
					}
				}
				if !c.HasSubCommands() {
					return failure.Usage(c.CommandPath()+" has no subcommands", "see: "+c.CommandPath()+" --help")
				}
				if next == nil {
					return failure.Usage(fmt.Sprintf("unknown command %[2]q for %[1]q", c.CommandPath(), arg), meant(c, arg))
				}
				c = next
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		}})
}

// reflow wraps the paragraphs of a text again. Lines that begin with a blank stay lines. Long texts are written with
// line ends of their own, which would alternate short and long lines in a narrow terminal.
func reflow(text string, width int) string {
	var list []string
	open := false // the last line belongs to a paragraph that continues
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, " "):
			list, open = append(list, line), false
		case open:
			list[len(list)-1] += " " + line
		default:
			list, open = append(list, line), true
		}
	}
	return out.Hang(strings.Join(list, "\n"), width)
}
