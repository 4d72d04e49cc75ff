package chatpage

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

// What a folded call shows: lines of a change, and the last of what a command said, more if a person ran it. An open one shows
// so many lines of a result.
const (
	foldedDiff = 10
	foldedSaid = 3
	foldedOwn  = 8
	foldedWhy  = 3 // of why a call failed
	// foldedWords are lines of what a person said, which may be a whole file that was pasted.
	foldedWords = 12
	mostResult  = 400
)

// shell is the tool that runs commands, which says itself how long they took.
const shell = "bash"

// called is a call of a tool and what came of it.
func (pn *pen) called(e *scene.Entry, text string, open bool) []string {
	t, w := pn.d.Theme, pn.width-2
	mark, ink := line.Sign(t, "▸", "Tool:"), t.Dim
	if open {
		mark = line.Sign(t, "▾", "Tool, unfolded:")
	}
	if e.Show.Failed {
		mark, ink = line.Sign(t, "✗", "Tool, failed:"), t.Bad
	} else if e.Who == shell && strings.HasPrefix(last(e.Result), "[exit status ") {
		mark, ink = line.Sign(t, "✗", "Tool:"), t.Warn
	}
	row := mark + " " + line.One(text)
	if e.Took >= 100*time.Millisecond && e.Who != shell {
		row += " · " + line.Took(e.Took)
	}
	out := []string{" " + ink.On(line.Middle(row, w))}
	if e.Show.Failed { // what went wrong is worth more lines than one
		out = line.Indent(line.Inked(ink, within(line.Wrap(row, w-4), foldedWhy)))
		for i := range out[1:] {
			out[i+1] = "  " + out[i+1]
		}
	}
	var more []string
	if e.Show.Diff != "" {
		more = markdown.Diff(t, pn.d.Clean(e.Show.Diff), w-2)
		if len(more) > 0 {
			if name := ansi.Strip(more[0]); name != "" && strings.Contains(text, name) { // which was said
				more = more[1:]
			}
		}
	}
	if !open && e.Who == shell && !e.Show.Failed {
		return append(out, pn.tail(e.Result, foldedSaid)...)
	}
	if !open {
		if len(more) > foldedDiff+1 {
			more = append(more[:foldedDiff:foldedDiff], t.Dim.On("… "+spelling.Many(len(more)-foldedDiff, "line")+" more"))
		}
		return append(out, line.Shifted(more)...)
	}
	out = append(out, line.Shifted(markdown.Code(t, "json", pn.d.Clean(e.Args), w-2))...)
	out = append(out, line.Shifted(more)...)
	result := strings.Split(strings.TrimRight(pn.d.Clean(e.Result), "\n"), "\n")
	for i, l := range result {
		if i == mostResult {
			out = append(out, "   "+t.Dim.On("… "+spelling.Many(len(result)-i, "line")+" more"))
			break
		}
		out = append(out, line.Shifted(line.Inked(t.Dim, line.Wrap(l, w-2)))...)
	}
	return out
}

// within are lines of which no more than so many are shown.
func within(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1:most-1], lines[most-1]+" …")
}

// ran is a command of the person and what came of it.
func (pn *pen) ran(name, said string, open bool) []string {
	t := pn.d.Theme
	out := []string{" " + t.Person.On(line.Clip(line.Sign(t, "! ", "You ran: ")+name, pn.width-2))}
	if open {
		return append(out, pn.folded("", said, true)[1:]...)
	}
	return append(out, pn.tail(said, foldedOwn)...)
}

// tail is the end of what a command said.
func (pn *pen) tail(said string, most int) (out []string) {
	t, w := pn.d.Theme, pn.width-4
	said = strings.TrimSpace(pn.d.Clean(said))
	if said == "" || said == "[no output]" {
		return nil
	}
	lines := strings.Split(said, "\n")
	if hidden := len(lines) - most; hidden > 1 {
		out = append(out, t.Dim.On(line.Clip(fmt.Sprintf("… %d lines before", hidden), w)))
		lines = lines[hidden:]
	}
	for _, l := range lines {
		out = append(out, t.Dim.On(line.Clip(strings.ReplaceAll(l, "\t", "    "), w)))
	}
	return line.Shifted(out)
}

// last is the last line of a text.
func last(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
