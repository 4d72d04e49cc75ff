package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/internal/failure"
)

// Completions returns the completion scripts of shells, by the name that a package installs them under. They ask the
// program itself for words, so they follow the settings.
func Completions() (map[string][]byte, error) {
	root := newRoot(call.New(), fleet.Program{})
	files := map[string][]byte{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"socrates.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_socrates":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"socrates.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"socrates.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return nil, err
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

// Manual returns the pages for man, by file name: one for the program, and one for each of its commands with its
// subcommands. version and date are in the footer of each; date is that of the version, such as 2026-11-25.
func Manual(version, date string) map[string][]byte {
	root := newRoot(call.New(), fleet.Program{})
	var commands []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			commands = append(commands, c)
		}
	}
	pages := map[string][]byte{}
	head := func(name string) *manPage {
		m := &manPage{}
		fmt.Fprintf(m, ".TH %s 1 %s \"socrates %s\" Socrates\n", strings.ToUpper(name), date, version)
		return m
	}
	for _, c := range commands {
		name := "socrates-" + c.Name()
		m := head(name)
		m.opening(name, c)
		m.below(c)
		m.request("SH", "SEE ALSO")
		m.text("socrates(1)")
		pages[name+".1"] = m.Bytes()
	}
	m := head("socrates")
	m.opening("socrates", root)
	m.request("SH", "COMMANDS")
	for _, c := range commands {
		m.term("socrates-"+c.Name()+"(1)", c.Short)
	}
	m.request("SH", "EXIT STATUS")
	for _, c := range failure.Codes {
		m.term(fmt.Sprint(c.Code), strings.ReplaceAll(c.Meaning, "`", ""))
	}
	pages["socrates.1"] = m.Bytes()
	return pages
}

// manPage builds a page in the language of man(7).
type manPage struct{ bytes.Buffer }

// A dash becomes \- because groff prints a bare one as a hyphen, which cannot be pasted.
var manEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// request writes a request with its arguments.
func (m *manPage) request(name string, args ...string) {
	m.WriteString("." + name)
	for _, arg := range args {
		m.WriteString(` "` + strings.ReplaceAll(manEscapes.Replace(arg), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// text writes a text and fills its paragraphs, except lines that begin with a blank. A line that begins with a dot or
// an apostrophe would be a request, so it gets an empty letter before it.
func (m *manPage) text(text string) {
	literal := false
	text = strings.Trim(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if own := strings.HasPrefix(line, " "); own != literal && line != "" {
			if literal = own; own {
				m.WriteString(".nf\n")
			} else {
				m.WriteString(".fi\n")
			}
		}
		switch {
		case line == "" && !literal:
			m.WriteString(".PP\n")
			continue
		case strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'"):
			m.WriteString(`\&`)
		}
		m.WriteString(manEscapes.Replace(line) + "\n")
	}
	if literal {
		m.WriteString(".fi\n")
	}
}

// term writes a word, and its meaning below it.
func (m *manPage) term(word, meaning string) {
	m.WriteString(".TP\n")
	m.request("B", word)
	m.text(meaning)
}

// opening writes the beginning of a page: the command itself.
func (m *manPage) opening(name string, c *cobra.Command) {
	m.request("SH", "NAME")
	m.text(name + " - " + strings.TrimSuffix(c.Short, "."))
	m.request("SH", "SYNOPSIS")
	m.request("B", c.UseLine())
	m.request("SH", "DESCRIPTION")
	m.text(cmp.Or(c.Long, c.Short))
	m.rest(c, "SH")
}

// rest writes examples and flags of a command, under headings of the given kind.
func (m *manPage) rest(c *cobra.Command, heading string) {
	if c.Example != "" {
		m.request(heading, "EXAMPLES")
		m.text(c.Example)
	}
	c.LocalFlags() // adds the flags of its parents to the command
	var flags []*pflag.Flag
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, f)
		}
	})
	if len(flags) == 0 {
		return
	}
	sort.Slice(flags, func(i, j int) bool { return flags[i].Name < flags[j].Name })
	m.request(heading, "OPTIONS")
	for _, f := range flags {
		name, text := pflag.UnquoteUsage(f)
		word := strings.TrimSpace("--" + f.Name + " " + name)
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		m.term(word, text)
	}
}

// below writes the subcommands of a command.
func (m *manPage) below(c *cobra.Command) {
	for _, s := range c.Commands() {
		if !s.IsAvailableCommand() {
			continue
		}
		m.request("SH", strings.ToUpper(s.CommandPath()))
		m.request("B", s.UseLine())
		m.WriteString(".PP\n")
		m.text(cmp.Or(s.Long, s.Short))
		m.rest(s, "SS")
		m.below(s)
	}
}
