package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how wide help may get on this screen, also behind a pager.
func helpWidth() int {
	if !isTerminal(os.Stdout) && isTerminal(os.Stderr) {
		return min(columns(os.Stderr), 100) - 1
	}
	return min(columns(os.Stdout), 100) - 1
}

// setHelp makes help fit the screen, and refuse to explain what there is not. It sets no template: with those the linker
// keeps every method there is, which makes the program a fifth larger.
func setHelp(a *app, root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		about := reflow(first(c.Long, c.Short), helpWidth())
		fmt.Fprint(a.out, about+"\n\n"+hang(c.UsageString(), helpWidth()))
	})
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Explain a command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			if of, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, s := range of.Commands() {
					if s.IsAvailableCommand() {
						out = append(out, s.Name()+"\t"+s.Short)
					}
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c := root
			for _, arg := range args {
				next, names := (*cobra.Command)(nil), []string{}
				for _, s := range c.Commands() {
					if s.Name() == arg || s.HasAlias(arg) {
						next = s
					}
					names = append(names, s.Name())
				}
				if len(names) == 0 {
					return usage(c.CommandPath()+" has no commands of its own", "see: "+c.CommandPath()+" --help")
				}
				if next == nil {
					return usage(fmt.Sprintf("%s has no command %q", c.CommandPath(), arg), nearest(arg, names))
				}
				c = next
			}
			c.InitDefaultHelpFlag()
			c.InitDefaultVersionFlag()
			return c.Help()
		}})
}

// reflow sets the paragraphs of a text anew. Lines that begin with a blank stay lines.
func reflow(text string, width int) string {
	var out []string
	open := false // the last line is of a paragraph that goes on
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, " "):
			out, open = append(out, line), false
		case open:
			out[len(out)-1] += " " + line
		default:
			out, open = append(out, line), true
		}
	}
	return hang(strings.Join(out, "\n"), width)
}

// hang wraps lines that are too long; what follows stands below the last column of a row such as "  name   text", or is
// set off.
func hang(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.TrimLeft(line, " ")
		indent := len(line) - len(bare)
		if at := strings.LastIndex(line[:min(len(line), 40)], "  "); at > indent {
			indent = at + 2
		} else if indent > 0 && indent < 20 {
			indent += 4
		}
		lines[i] = wrap(line, width, strings.Repeat(" ", indent))
	}
	return strings.Join(lines, "\n")
}
