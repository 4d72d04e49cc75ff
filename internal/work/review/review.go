// Package review orders the changes of a run by how little of them is proved, so that a person who reads from the top
// first reads what nothing else vouches for. It is pure.
//
// Doubt is a sum of weights for what is missing: a file the step does not name, a reviewer's objection, no check that
// would have noticed, no test that mentions what is declared. It orders reading and decides nothing.
package review

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/trace"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Change is the change of one step.
type Change struct {
	Step    trace.Step
	Task    plan.Task
	Patch   string
	Mutants []Mutant // faults tried in its lines
}

// Mutant is a fault that was put into a line, at the change, to see whether a check notices.
type Mutant struct {
	File     string
	Line     int
	Change   string // what was tried, in words
	Survived bool   // no check noticed
}

// Hunk is a piece of a change, with what is not proved about it.
type Hunk struct {
	File    string   `json:"file"`
	Line    int      `json:"line"` // in the file after the change
	Step    string   `json:"step"`
	Doubt   int      `json:"doubt"` // the sum of its reasons' weights
	Reasons []string `json:"reasons"`
	Claims  []string `json:"claims,omitempty"` // of the decision, that its step answers
	Checks  []string `json:"checks"`           // that its step passed
	Added   int      `json:"added"`
	Removed int      `json:"removed"`
	Text    string   `json:"text"`
	// How many faults were put into its lines to test the checks, and those that no check noticed.
	Tried    int      `json:"tried,omitempty"`
	Survived []string `json:"survived,omitempty"`
}

// Adds reports whether the hunk adds a line of the file, after the change, and returns it.
func (h Hunk) Adds(line int) (text string, ok bool) {
	at := h.Line - 1
	for l := range strings.Lines(h.Text) {
		if !strings.HasPrefix(l, "+") && !strings.HasPrefix(l, " ") {
			continue
		}
		if at++; at == line {
			return strings.TrimRight(l[1:], "\r\n"), l[0] == '+'
		}
	}
	return "", false
}

// The weights of the reasons. A test vouches for little by itself, but breaks nothing: it comes last.
const (
	beyond  = 8
	judged  = 8
	alive   = 12 // where each fault survives; less where fewer do
	nothing = 6
	unsaid  = 4
	silent  = 4
	allowed = 3
	taken   = 1
)

// Line is a line that a change adds.
type Line struct {
	Line int
	Text string
}

// Added are the lines that a patch adds to a file.
func Added(patch, file string) (lines []Line) {
	for _, h := range cut(patch) {
		if h.File != file {
			continue
		}
		for i := range h.after() {
			if text, ok := h.Adds(h.Line + i); ok {
				lines = append(lines, Line{h.Line + i, text})
			}
		}
	}
	return lines
}

// Order cuts changes into hunks and puts the least proved first. mentioned reports whether a test of the result
// contains a word; it is called once for every word that a hunk declares and may be slow; its error ends the
// ordering. Hunks of equal doubt keep the order of the steps, the larger one first.
func Order(changes []Change, mentioned func(word string) (bool, error)) ([]Hunk, error) {
	hunks := []Hunk{}
	for _, c := range changes {
		for _, h := range cut(c.Patch) {
			h.Step = c.Step.ID
			for _, p := range c.Step.Claims {
				h.Claims = append(h.Claims, fmt.Sprintf("%s (%s): %s", p.ID, p.Kind, p.Text))
			}
			h.Checks = []string{}
			for _, r := range c.Step.Checks {
				if r.After.Passed {
					h.Checks = append(h.Checks, strings.Join(r.Command, " "))
				}
			}
			if err := h.weigh(c, mentioned); err != nil {
				return nil, err
			}
			hunks = append(hunks, h)
		}
	}
	slices.SortStableFunc(hunks, func(a, b Hunk) int {
		return cmp.Or(cmp.Compare(b.Doubt, a.Doubt), cmp.Compare(b.Added+b.Removed, a.Added+a.Removed))
	})
	return hunks, nil
}

// doubt adds a reason to look at a hunk; more weight comes first.
func (h *Hunk) doubt(weight int, reason string) {
	h.Doubt += weight
	h.Reasons = append(h.Reasons, reason)
}

// A test is judged by the first reasons alone: it means nothing that no test mentions it.
func (h *Hunk) weigh(c Change, mentioned func(string) (bool, error)) error {
	h.Reasons = []string{}
	if _, ok := c.Task.Allows(h.File); !ok {
		h.doubt(beyond, h.File+" is not among the files of its step")
	}
	for _, why := range c.Step.Why {
		if strings.Contains(why, h.File) && !strings.Contains(why, "does not name") && !strings.Contains(why, "not among the files") {
			h.doubt(judged, why)
		}
	}
	for _, r := range c.Step.Reviews {
		for _, o := range r.Objections {
			if o.File == h.File && o.Found && strings.Contains(h.Text, o.Quote) {
				h.doubt(judged, "a reviewer objects: "+o.Text)
			}
		}
	}
	if slices.ContainsFunc(c.Step.Person, func(word string) bool { return word == "approve" }) {
		h.doubt(allowed, "a person approved its step")
	}
	if len(proof.Tests([]workspace.Edit{{Name: h.File}})) > 0 {
		return nil
	}
	if h.tried(c.Mutants); h.Tried > 0 {
		// What checks notice is known, which says more than their names.
		if n := len(h.Survived); n > 0 {
			h.doubt(max(1, alive*n/h.Tried),
				fmt.Sprintf("checks missed %d of %d faults tried here, such as %s", n, h.Tried, h.Survived[0]))
		}
		return nil
	}
	switch {
	case len(h.Checks) == 0:
		h.doubt(nothing+unsaid, "no check ran")
	case !slices.ContainsFunc(c.Step.Checks, proof.Ran.New):
		h.doubt(nothing, "each check of its step also passed before the change")
	}
	words, lost := names(h.Text), []string{}
	for _, w := range words {
		ok, err := mentioned(w)
		if err != nil {
			return err
		}
		if !ok {
			lost = append(lost, w)
		}
	}
	if len(lost) > 0 { // a piece partly known to a test is less in doubt
		h.doubt(max(1, silent*len(lost)/len(words)), "no test mentions "+strings.Join(lost[:min(len(lost), 3)], ", "))
	}
	if h.Removed > h.Added {
		h.doubt(taken, "it removes more than it adds")
	}
	return nil
}

// tried counts the faults that were put into lines of the hunk.
func (h *Hunk) tried(all []Mutant) {
	for _, m := range all {
		if m.File != h.File {
			continue
		}
		if _, ok := h.Adds(m.Line); !ok {
			continue
		}
		if h.Tried++; m.Survived {
			h.Survived = append(h.Survived, fmt.Sprintf("line %d: %s", m.Line, m.Change))
		}
	}
}

var (
	header = pattern.Of(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$`)
	// named matches what a line declares, in most languages.
	named = pattern.Of(`(?:^|\s)(?:func(?:\s*\([^)]*\))?|def|class|fn|function|type|const|var|let|struct|interface|enum|sub|` +
		`module|trait)\s+([A-Za-z_]\w{2,})|` +
		`^\s*([A-Za-z_]\w{2,})\s*\(\)\s*\{`)
)

// names returns what a hunk declares, and what it is part of according to git.
func names(text string) (words []string) {
	take := func(line string) {
		for _, m := range named().FindAllStringSubmatch(line, -1) {
			if w := cmp.Or(m[1], m[2]); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := header().FindStringSubmatch(line); m != nil {
			take(m[2])
		} else if rest, ok := strings.CutPrefix(line, "+"); ok {
			take(rest)
		}
	}
	return words
}

// cut splits a patch into git's hunks, and splits those that add much again where a new part begins.
func cut(patch string) (hunks []Hunk) {
	file := ""
	for line := range strings.Lines(patch) {
		bare := strings.TrimRight(line, "\r\n")
		if m := header().FindStringSubmatch(bare); m != nil {
			at, _ := strconv.Atoi(m[1]) // the pattern matches only digits
			hunks = append(hunks, Hunk{File: file, Line: at, Text: line})
			continue
		}
		if rest, ok := strings.CutPrefix(bare, "diff --git "); ok {
			_, file, _ = strings.Cut(rest, " b/")
			file = strings.TrimSuffix(file, `"`)
			hunks = append(hunks, Hunk{}) // ends the previous one
			continue
		}
		h := len(hunks) - 1
		if h < 0 || hunks[h].File == "" {
			continue
		}
		if hunks[h].parts(bare) {
			at := hunks[h].Line + hunks[h].after()
			h, hunks = h+1, append(hunks, Hunk{File: file, Line: at, Text: fmt.Sprintf("@@ -0,0 +%d @@\n", at)})
		}
		hunks[h].Text += line
		switch {
		case strings.HasPrefix(line, "+"):
			hunks[h].Added++
		case strings.HasPrefix(line, "-"):
			hunks[h].Removed++
		}
	}
	return slices.DeleteFunc(hunks, func(h Hunk) bool { return h.File == "" || h.Added+h.Removed == 0 })
}

// A part of this many lines ends before a declaration, a longer one at any empty line.
const shortPart, longPart = 4, 16

// parts reports whether a new hunk begins with a line: after an empty one that was added.
func (h *Hunk) parts(next string) bool {
	if !strings.HasSuffix(h.Text, "\n+\n") || len(next) < 2 || next[0] != '+' {
		return false
	}
	declares := !strings.ContainsRune(" \t})]", rune(next[1]))
	return declares && h.Added+h.Removed >= shortPart || h.Added+h.Removed >= longPart
}

// after counts the lines of the hunk in the file after the change.
func (h *Hunk) after() (n int) {
	for l := range strings.Lines(h.Text) {
		if strings.HasPrefix(l, "+") || strings.HasPrefix(l, " ") {
			n++
		}
	}
	return n
}
