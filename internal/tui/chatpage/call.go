package chatpage

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// How many lines a folded call shows: of a change, of why a command failed, and of the end of a successful
// command's output, more if a person ran it. An open one shows more lines of a result.
const (
	foldedDiff = 10
	foldedSaid = 3
	foldedOwn  = 16
	foldedWhy  = 3  // of why a call failed
	failedSaid = 12 // of the output of a failed command
	// foldedWords are lines of a person's message, which may be a whole file that was pasted.
	foldedWords = 12
	mostResult  = 400
)

// shell is the tool that runs commands.
const shell = "bash"

// noOutput is what it returns for a command that wrote nothing.
const noOutput = "[no output]"

// called draws a tool call and its result.
func (pn *pen) called(e *scene.Entry, text string, open bool) []string {
	t := pn.d.Theme
	if e.Show.Failed {
		return pn.failed(e, text, open)
	}
	did, came := told.Call(line.One(text), e.Took)
	failed := e.Who == shell && exit(e.Result) != ""
	mark, ink := line.Sign(t, "✓ ", "Tool: "), t.Good
	if failed {
		mark, ink = line.Sign(t, "✗ ", "Tool, failed: "), t.Bad
	}
	out := pn.row(mark, ink, did, came)
	if verb, _, named := strings.Cut(did, " "); named && e.Who != shell && !t.Plain && strings.HasPrefix(out[0], ink.On(mark)+verb+" ") {
		what, figures, _ := strings.Cut(strings.TrimPrefix(out[0], ink.On(mark)+verb+" "), "  ")
		out[0] = ink.On(mark) + verb + " " + t.Bar.On(what) + map[bool]string{true: "  "}[figures != ""] + figures
	}
	var diff []string
	if e.Show.Diff != "" {
		diff = markdown.Diff(t, pn.d.Clean(e.Show.Diff), pn.width-6)
		if len(diff) > 0 {
			if name := ansi.Strip(diff[0]); name != "" && strings.Contains(text, name) { // which is shown already
				diff = diff[1:]
			}
		}
	}
	if open {
		return append(out, pn.whole(e, diff)...)
	}
	if e.Who == shell {
		said := e.Result
		if strings.HasPrefix(came, told.Away) { // the note after it is for the model; the row above says it
			said = said[:max(0, strings.LastIndex("\n"+said, "\n["))]
		}
		return append(out, pn.said(did, said, failed, foldedSaid)...)
	}
	if len(diff) > foldedDiff+1 {
		diff = append(diff[:foldedDiff:foldedDiff], t.Dim.On("… "+spelling.Many(len(diff)-foldedDiff, "line")+" more"+pn.unfolds()))
	}
	return append(append(out, line.Below(diff)...), pn.pictures(e)...)
}

// failed draws a failed call: what was tried, and below it why, which is worth more lines than one, and its
// output.
func (pn *pen) failed(e *scene.Entry, text string, open bool) []string {
	t := pn.d.Theme
	came, why := told.Failed(pn.d.Clean(e.Reason), e.Took)
	mark, ink := line.Sign(t, "✗ ", "Tool, failed: "), t.Bad
	if strings.HasPrefix(came, "stopped by you") {
		mark, ink = line.Sign(t, "■ ", "Tool, stopped: "), t.Warn
	}
	out := pn.row(mark, ink, line.One(strings.TrimPrefix(text, shell+" ")), came)
	if why != "" {
		out = append(out, line.Below(line.Inked(t.Bad, within(t, line.Wrap(line.One(why), pn.width-6), foldedWhy)))...)
	}
	if open {
		return append(out, pn.whole(e, nil)...)
	}
	if _, said, more := strings.Cut(e.Result, "\n"); more && e.Who == shell {
		out = append(out, pn.tail(said, foldedSaid, pn.unfolds())...)
	}
	return out
}

// whole draws a call in full: the tool's input, what it changed and its output.
func (pn *pen) whole(e *scene.Entry, diff []string) []string {
	t := pn.d.Theme
	out := line.Below(markdown.Code(t, "json", pn.d.Clean(e.Args), pn.width-6))
	out = append(out, line.Below(diff)...)
	result := strings.Split(strings.TrimRight(pn.d.Clean(e.Result), "\n"), "\n")
	for i, l := range result {
		if i == mostResult {
			return append(out, line.Below([]string{t.Dim.On("… " + spelling.Many(len(result)-i, "line") + " more")})...)
		}
		out = append(out, line.Below(line.Inked(t.Dim, line.Wrap(l, pn.width-6)))...)
	}
	return out
}

// row draws a mark, what was done and, at the right edge, the result.
func (pn *pen) row(mark string, ink theme.Ink, did, came string) []string {
	t := pn.d.Theme
	w := pn.width - line.Margin - line.Wide(mark)
	if t.Plain {
		words := strings.Split(came, " ")
		for i, w := range words {
			if n, ok := strings.CutPrefix(w, "+"); ok {
				words[i] = "lines added: " + n + ","
			} else if n, ok := strings.CutPrefix(w, "−"); ok {
				words[i] = "removed: " + n
			}
		}
		return line.Wrap(mark+strings.TrimSuffix(did+", "+strings.Join(words, " "), ", "), pn.width-line.Margin)
	}
	row := line.Row(did, came, w)
	if came == "" || !strings.HasSuffix(row, came) {
		return []string{ink.On(mark) + row}
	}
	return []string{ink.On(mark) + strings.TrimSuffix(row, came) + figures(t, came)}
}

// figures draws a result, with added and removed lines in the colours of a diff.
func figures(t theme.Theme, text string) string {
	if !strings.ContainsAny(text, "+−") {
		return t.Dim.On(text)
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		ink := t.Dim
		switch {
		case strings.HasPrefix(w, "+"):
			ink = t.Added
		case strings.HasPrefix(w, "−"):
			ink = t.Removed
		}
		words[i] = ink.On(w)
	}
	return strings.Join(words, " ")
}

// marked puts a mark before the first of some lines, and indents all of them to the margin.
func (pn *pen) marked(mark string, ink theme.Ink, lines []string) []string {
	out := line.Edged(lines)
	if len(lines) > 0 {
		out[0] = ink.On(mark) + lines[0]
	}
	return out
}

// said draws the output of a command: the lines that explain a failure, else the end.
func (pn *pen) said(command, said string, failed bool, most int) (out []string) {
	if !failed {
		return pn.tail(said, most, pn.unfolds())
	}
	t, w := pn.d.Theme, pn.width-2*line.Margin-line.Margin
	lines, more := told.Failing(command, pn.d.Clean(said), failedSaid)
	for _, l := range lines {
		ink := t.Dim
		if l.Names {
			ink = t.Bad
		}
		out = append(out, line.Inked(ink, line.Rows(t, line.Tabbed(l.Text), w))...)
	}
	if more > 0 && len(out) > 0 {
		rest := spelling.Many(more, "more line") + pn.unfolds()
		end := len(out) - 1
		if room := w - line.Wide(out[end]) - line.Wide(rest); room >= 2 {
			out[end] += strings.Repeat(" ", room) + t.Dim.On(rest)
		} else {
			out = append(out, strings.Repeat(" ", max(0, w-line.Wide(rest)))+t.Dim.On(rest))
		}
	}
	return line.Below(out)
}

// within limits lines to a number, unless they are read aloud.
func within(t theme.Theme, lines []string, most int) []string {
	if len(lines) <= most || t.Plain {
		return lines
	}
	return append(lines[:most-1:most-1], lines[most-1]+" …")
}

// ran draws a command of the person and its output.
func (pn *pen) ran(name, said string, open bool) []string {
	out := pn.band("", line.Rows(pn.d.Theme, line.Sign(pn.d.Theme, "! ", "You ran: ")+name, pn.width-4))
	if open {
		return append(out, pn.folded("", said, true)[1:]...)
	}
	out = append(out, pn.said(name, said, exit(said) != "", foldedOwn)...)
	switch status, t := exit(said), pn.d.Theme; {
	case status != "":
		out = append(out, line.Below([]string{t.Bad.On("exit status " + status)})...)
	case strings.TrimSpace(said) == noOutput:
		out = append(out, line.Below([]string{t.Dim.On("no output")})...)
	}
	return out
}

// unfolds returns the key that shows a folded part in full, after how much of it is hidden.
func (pn *pen) unfolds() string {
	if key := pn.d.Keys.Key("chat-fold"); key != "" {
		return " · " + key
	}
	return ""
}

// tail returns the end of a command's output; key follows the number of hidden lines.
func (pn *pen) tail(said string, most int, key string) (out []string) {
	t, w := pn.d.Theme, pn.width-6
	said = strings.TrimSpace(pn.d.Clean(said))
	if said == "" || said == noOutput {
		return nil
	}
	lines := strings.Split(said, "\n")
	if hidden := len(lines) - most; hidden > 1 {
		out = append(out, t.Dim.On(line.Clip(fmt.Sprintf("… %d earlier lines%s", hidden, key), w)))
		lines = lines[hidden:]
	}
	for _, l := range lines {
		out = append(out, line.Inked(t.Dim, line.Rows(t, line.Tabbed(l), w))...)
	}
	return line.Below(out)
}

// exit returns the status of a failed command; empty: it succeeded.
func exit(said string) string {
	_, _, status := told.Status(said)
	return status
}
