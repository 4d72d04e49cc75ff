// Package choice picks one of several changes for the same task: another model compares them without knowing the
// authors, twice and in opposite order, and code decides. It is pure.
//
// A race of several executors ends in one Choice. Entrants that are proved and differ are finalists; a judge names
// the best of them, twice, in opposite orders (Look); Decide takes the one named both times, else the smallest
// change. So the judge can only break ties among proved changes, and a judge that prefers a position decides nothing.
//
// Every function gives the same answer for the same input, so work.Recheck can verify a record.
package choice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/proof"
)

// The kinds of nodes.
const (
	LookKind tree.Kind[Look]   = "work.look"
	Kind     tree.Kind[Choice] = "work.choice"
)

// Entrant is the result of one executor in a race.
type Entrant struct {
	Attempt  int         `json:"attempt"`
	Executor string      `json:"executor"`
	State    proof.State `json:"state"`
	Why      []string    `json:"why,omitempty"`
	Commit   string      `json:"commit"`
	Base     string      `json:"base"`
	Tree     string      `json:"tree"`
	Lines    int         `json:"lines"` // that it changes
}

// Look is one comparison: changes in an order, and the one called best.
type Look struct {
	Key    string     `json:"key"` // TASK/FIRST ATTEMPT/LOOK
	Task   string     `json:"task"`
	By     string     `json:"by"`
	Order  []int      `json:"order"`          // attempts, in the order of their letters from A
	Best   int        `json:"best,omitempty"` // an attempt; 0: none was named
	Why    string     `json:"why,omitempty"`
	Failed string     `json:"failed,omitempty"`
	Usage  cost.Usage `json:"usage"`
}

// Choice is the result of a race.
type Choice struct {
	Key      string    `json:"key"` // TASK/FIRST ATTEMPT
	Task     string    `json:"task"`
	Entrants []Entrant `json:"entrants"`
	Best     int       `json:"best"` // the attempt that is kept
	Why      string    `json:"why"`
}

// Looks is how often changes are compared: in opposite orders, so that the position of a change does not matter.
const Looks = 2

// End is the suffix of a comparison's conversation, after the name of the race's first one.
func End(look int) string { return fmt.Sprintf("-look%d", look) }

// Finalists returns the proved entrants, each change once, in an order that says nothing about the authors: by the
// hash of the tree.
func Finalists(all []Entrant) (list []Entrant) {
	for _, e := range all {
		same := func(f Entrant) bool { return f.Tree == e.Tree }
		if e.State == proof.Proved && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Entrant) int { return cmp.Compare(a.Tree, b.Tree) })
	return list
}

// Ask returns the prompt that compares changes. patches are theirs, in the order of their letters.
func Ask(brief string, finalists []Entrant, patches []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Compare changes\n\nThe %d changes below were made for the same task, each on its own. ", len(finalists))
	b.WriteString("All of them pass the checks. ")
	b.WriteString("You are not told who made them. Your folder holds the files as they were before.\n\n")
	b.WriteString("Name the change you would merge: first, it does what the task says for every input; ")
	b.WriteString("then, its tests would notice a fault; then, it is the simpler one. Length and comments count for nothing.\n\n")
	b.WriteString("Answer with these two lines and nothing else:\n\n")
	b.WriteString("- best: LETTER\n- because: what the others get wrong or do worse, with FILE:LINE\n\n")
	b.WriteString(strings.Replace(brief, "# ", "# The task: ", 1))
	for i := range finalists {
		fmt.Fprintf(&b, "\n## Change %c\n\n```\n%s\n```\n", 'A'+i, strings.ReplaceAll(strings.TrimRight(patches[i], "\n"), "```", "'''"))
	}
	return b.String()
}

var (
	best    = pattern.Of(`(?m)^- best: ([A-Z])\s*$`)
	because = pattern.Of(`(?m)^- because: (.+)$`)
)

// Read parses a model's comparison. An answer without the line, or with an unknown letter, is a failed look and no
// vote.
func (l *Look) Read(said string) {
	m := best().FindStringSubmatch(said)
	if m == nil || int(m[1][0]-'A') >= len(l.Order) {
		l.Failed = cmp.Or(l.Failed, "it named no change")
		return
	}
	l.Best = l.Order[m[1][0]-'A']
	if m := because().FindStringSubmatch(said); m != nil {
		l.Why = strings.TrimSpace(m[1])
	}
}

// Decide returns the attempt to keep, and why: the one named by all comparisons, else the smallest proved change. If
// nothing is proved, changes that a person could approve come before failed ones. entrants must not be empty.
func Decide(entrants []Entrant, looks []Look) (attempt int, why string) {
	list := Finalists(entrants)
	switch len(list) {
	case 0:
		at := slices.IndexFunc(entrants, func(e Entrant) bool { return e.State == proof.Person })
		return entrants[max(at, 0)].Attempt, "no change is proved"
	case 1:
		if n := proved(entrants); n > 1 {
			return list[0].Attempt, fmt.Sprintf("all %d proved changes are equal", n)
		}
		return list[0].Attempt, "the only change that is proved"
	}
	agreed := len(looks) > 0
	for _, l := range looks {
		agreed = agreed && l.Best != 0 && l.Best == looks[0].Best
	}
	if agreed {
		return looks[0].Best, "preferred by " + looks[0].By + ": " + cmp.Or(looks[0].Why, "no reason given")
	}
	small := slices.MinFunc(list, func(a, b Entrant) int {
		return cmp.Or(cmp.Compare(a.Lines, b.Lines), cmp.Compare(a.Attempt, b.Attempt))
	})
	reason := "the comparisons disagree"
	for _, l := range looks {
		if l.Failed != "" {
			reason = l.By + " could not compare them (" + l.Failed + ")"
		}
	}
	if len(looks) == 0 {
		reason = "nobody compared them"
	}
	return small.Attempt, reason + "; it is the smallest proved change"
}

// proved counts the entrants that can be chosen.
func proved(entrants []Entrant) (n int) {
	for _, e := range entrants {
		if e.State == proof.Proved {
			n++
		}
	}
	return n
}

// Lines counts the lines a patch adds and removes.
func Lines(patch string) (n int) {
	inside := false
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case strings.HasPrefix(line, "diff --git "):
			inside = false
		case inside && (line[0] == '+' || line[0] == '-'):
			n++
		}
	}
	return n
}
