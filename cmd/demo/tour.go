package demo

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/sample"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// stop is one step of the tour: an explanation, and the commands that show it.
type stop struct {
	title, said string
	commands    [][]string
}

// tour returns the steps, with seats of a given pace. Each step builds on the one before: the edit changes a line
// that the debate quoted, which the check then finds and the undo restores.
func tour(seats string) []stop {
	check := []string{"decisions", "check", "last"}
	return []stop{
		{"A debate", "Three seats answer without seeing each other, quote the project and question each other's claims. " +
			"Code looks up every quote and computes the answer. Here, rules play the seats; with models it works the same way.",
			[][]string{{"debate", "--seat", seats, sample.Question}}},
		{"An edit", "An agent works in the folder. Every step is recorded, with each file as it was before.",
			[][]string{{"run", "--model", scheme.Rehearsal, "Rename JSON_FILE to ENTRIES_FILE"}}},
		{"A decision records its evidence", "One of the lines that the debate quoted has just changed.", [][]string{check}},
		{"Undo", "The files are back to what they were before the turn, including the lines that the decision " +
			"quotes.", [][]string{{"tree", "undo"}, check}},
		{"A conversation is a tree", "Go back to any row, fork it with another model, compare, merge. Nothing is overwritten.",
			[][]string{{"tree", "show"}}},
	}
}

// Commands returns the command demo.
func (a *Demo) Commands() []*cobra.Command {
	return []*cobra.Command{{Use: "demo", Short: "Take a 90-second offline tour",
		Long: `A 90-second tour in a throw-away copy of a small sample project: a debate, an edit, a check of
the decision, undo, and the conversation as a tree. Every command is a real one. Rules play the
models, so it needs no key and no network and costs nothing. Nothing is read in the current
folder, and nothing is kept.`, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.guide(c.Context()) }}}
}

// guide shows one step after the other until the person leaves. The commands run in this process with settings and a
// store of their own, so nothing of the person's is read or written. They change the working folder, which is set
// back.
func (a *Demo) guide(ctx context.Context) (err error) {
	if a.Out.Format != "text" {
		return failure.Usage("the tour is for people", `for a program: socrates debate --seat rehearsal --output json "A or B?"`)
	}
	was, err := os.Getwd()
	if err != nil {
		return err
	}
	scratched, err := scratch.New("tour")
	if err != nil {
		return err
	}
	defer func() {
		os.Chdir(was)
		scratched.Remove()
	}()
	dir, settings := filepath.Join(scratched.Path, "hours"), filepath.Join(scratched.Path, "config.yaml")
	if err := sample.Write(dir); err != nil {
		return err
	}
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		return err
	}
	within := []string{"--config", settings, "--store", filepath.Join(scratched.Path, "store.db"), "--cwd", dir}
	attended, seats := a.Attended() && out.IsTerminal(os.Stdout), scheme.Rehearsal
	if attended {
		seats += ":" + scheme.Slowly
	}
	a.tell(a.strong("A tour of Socrates") + "\n\nIn a throw-away copy of a small project called hours. Nothing leaves this machine.\n")
	all := tour(seats)
	for i, s := range all {
		if attended && !a.goesOn(ctx) {
			return nil
		}
		a.tell("\n" + a.strong(strconv.Itoa(i+1)+" of "+strconv.Itoa(len(all))+" · "+s.title) + "\n" + s.said + "\n")
		for _, argv := range s.commands {
			a.tell("\n" + a.faint("$ socrates "+typed(argv)) + "\n")
			if code := a.run(append(within[:len(within):len(within)], argv...)); code != failure.ExitOK {
				return failure.New(code, "tour", "the tour stopped at: socrates "+typed(argv), "")
			}
		}
	}
	a.tell("\n" + a.strong("That was it") + "\nThe folder and its records are deleted. Next:\n\n" +
		"  socrates login      connect a model: a key, an account, a program you have\n" +
		"  socrates            the screen, in your project\n" +
		"  socrates debate \"Should we …, or …?\"\n")
	return nil
}

// goesOn waits for a key, and reports whether the person continues. If the terminal does not give single keys it
// reads a line; the end of input leaves.
func (a *Demo) goesOn(ctx context.Context) bool {
	const hint = "Enter: continue · q: quit"
	ctx, end := a.Ended(ctx)
	defer end()
	keyboard.Drop(a.In) // a key that was pressed while the step went on would skip its result; one after the hint counts
	restore, err := keyboard.Quiet(a.In, func() {})
	a.Out.Err.Raw("\n" + a.faint(hint))
	defer a.Out.Err.Raw("\r\x1b[K")
	if err != nil {
		line, err := a.ReadLine("")
		return err == nil && line != "q"
	}
	defer restore()
	pressed, in := make(chan keyboard.Key, 1), keyboard.Of(a.In)
	go func() { // a read of a terminal cannot be interrupted: it ends with the program
		for {
			k, err := in.Next()
			if err != nil {
				k = keyboard.Key{Text: "q"}
			}
			if k.Name != "" || k.Text != "" {
				pressed <- k
				return
			}
		}
	}()
	select {
	case k := <-pressed:
		return k.Text != "q" && k.Name != "leave"
	case <-ctx.Done():
		return false
	}
}

// typed formats a command line as a person types it.
func typed(argv []string) string {
	words := append([]string{}, argv...)
	for i, w := range words {
		if strings.ContainsAny(w, " ?") {
			words[i] = `"` + w + `"`
		}
	}
	return strings.Join(words, " ")
}

// tell prints a text, wrapped to the width of the terminal.
func (a *Demo) tell(text string) { a.Out.Raw(out.Fit(os.Stdout, text, "")) }

func (a *Demo) strong(text string) string { return a.inked("1", text) }
func (a *Demo) faint(text string) string  { return a.inked("2", text) }

// inked colours a text if there are colours.
func (a *Demo) inked(sgr, text string) string {
	if !a.Out.Colored(os.Stdout) {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[m"
}
