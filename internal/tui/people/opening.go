package people

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/project/idea"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// Opening is what the page of a conversation that has not begun offers.
type Opening struct {
	Ready []string // available models, one per family
	Said  string   // describes them, or says that there are none
	Rows  []Offer
	Foot  string
}

// Offer is one way to begin.
type Offer struct {
	Title, Note string
	Do          func() tea.Cmd
}

// ideaTime limits the search of a repository for ideas.
const ideaTime = 2 * time.Second

// Survey finds the available models and questions to ask, in the background.
func (ps *People) Survey() tea.Cmd {
	if ps.Seats == nil {
		return nil
	}
	return ps.Away(func(ctx context.Context) func() tea.Cmd {
		short, cancel := context.WithTimeout(ctx, ideaTime)
		defer cancel()
		var ideas []idea.Idea
		var looking sync.WaitGroup
		looking.Go(func() { ideas = idea.For(short, ps.Dir) })
		all, err := ps.Seats(ctx)
		looking.Wait()
		return func() tea.Cmd {
			if err == nil {
				ps.Opening = ps.opening(all, ideas)
			}
			return nil
		}
	})
}

// again returns to where a model is chosen: the page itself while nothing has begun and no model answers.
func (ps *People) again() tea.Cmd {
	if ps.Nobody != nil && ps.desk.Begins() {
		return ps.Survey()
	}
	return ps.Setup()
}

func (ps *People) opening(all []Candidate, ideas []idea.Idea) *Opening {
	if ps.Nobody != nil {
		return &Opening{Said: "No model is connected yet. Choose a way to start:", Rows: ps.ways(all, ideas),
			Foot: "Nothing leaves this machine until you connect a model. No telemetry."}
	}
	o := &Opening{}
	for _, s := range all {
		if s.Used && !s.byRule() {
			o.Ready = append(o.Ready, line.One(ps.Clean(s.Name)))
		}
	}
	switch n := len(o.Ready); {
	case n > 1:
		o.Said = fmt.Sprintf("%d model families ready to debate", n)
	case n == 1:
		o.Said = "1 model family; /login adds another to debate with"
	}
	for _, i := range ideas {
		typed, note := i.Text, i.Why
		if i.Debate {
			typed, note = "/debate "+i.Text, "debate · "+i.Why
		}
		o.Rows = append(o.Rows, Offer{line.One(ps.Clean(i.Text)), line.One(ps.Clean(note)),
			func() tea.Cmd { return ps.typed(typed) }})
	}
	o.Rows = append(o.Rows, Offer{"Debate a question", "several models, blind, with evidence",
		func() tea.Cmd { return ps.typed("/debate ") }})
	return o
}

// typed puts a text into the input: the person sends it.
func (ps *People) typed(text string) tea.Cmd {
	if c, ok := ps.desk.Here(); ok {
		c.Type(text)
		if strings.HasSuffix(text, " ") { // something is to follow
			ps.Tell("type the question, then press Enter")
			return nil
		}
		ps.Tell("press Enter to send it")
	}
	return nil
}

// mostFound is how many installed programs have a row of their own.
const mostFound = 3

// ways returns the ways to begin without a model: what needs none first, then the easiest.
func (ps *People) ways(all []Candidate, ideas []idea.Idea) []Offer {
	var rows []Offer
	if len(ps.Program) > 0 {
		rows = append(rows, Offer{"Take the tour", tourNote, ps.Tour})
	}
	rows = append(rows, ps.rehearsal(ideas))
	var keys, lack []picker.Item
	var servers []string
	found := 0
	for _, s := range all {
		at := func(note string, do func() tea.Cmd) picker.Item {
			return picker.Item{Title: s.Name, Note: line.One(ps.Clean(note)), Value: do}
		}
		switch {
		case s.byRule() || s.Source == "config":
		case s.Source == "local" && !s.Ready:
			servers = append(servers, s.Name)
		case s.Browser && !s.Ready:
			rows = append(rows, Offer{"Sign in to " + s.Name, "opens your browser; one account, many families",
				func() tea.Cmd { return ps.enter(s) }})
		case s.Source == "key" && !s.Ready:
			keys = append(keys, at(s.adds(), func() tea.Cmd { return ps.enter(s) }))
		case s.SignIn != nil && found < mostFound:
			found++
			rows = append(rows, Offer{"Sign in with " + s.Name, "installed · " + briefly(line.One(ps.Clean(s.Why))),
				func() tea.Cmd { return ps.program(s) }})
		case s.SignIn == nil && !s.Ready:
			lack = append(lack, at(s.Why, func() tea.Cmd { ps.Tell(s.Name + ": " + s.How); return nil }))
		}
	}
	list := func(title string, items []picker.Item) {
		if len(items) > 0 {
			rows = append(rows, Offer{title, some(items), func() tea.Cmd { ps.offer(title, items); return nil }})
		}
	}
	list("Add an API key", keys)
	if len(servers) > 0 {
		rows = append(rows, Offer{"Use a local model", strings.Join(servers, " or ") + ", not running", func() tea.Cmd {
			ps.Tell("start " + strings.Join(servers, " or ") + ", then scan again")
			return nil
		}})
	}
	list("Install a coding agent", lack)
	if len(ps.Program) > 0 {
		rows = append(rows, Offer{"Write a config file", "every setting, commented out", func() tea.Cmd {
			return ps.inTerminal(append(slices.Clone(ps.Program), "config", "init"), ps.again)
		}})
	}
	return append(rows, Offer{"Scan again", "after installing or starting something", func() tea.Cmd {
		ps.Tell("looking for models…")
		return ps.Look(ps.Survey)
	}})
}

// briefly returns why a seat is unavailable, without the remedy: Enter runs it.
func briefly(why string) string {
	why, _, _ = strings.Cut(why, ":")
	return why
}

const tourNote = "offline, 90 seconds: debate, edit, undo, check"

// Tour hands the terminal to the tour.
func (ps *People) Tour() tea.Cmd {
	return ps.inTerminal(append(slices.Clone(ps.Program), "demo"), ps.again)
}

// rehearsal offers a rule-based debate: about this folder if its files contain both answers to a question, else
// about a sample.
func (ps *People) rehearsal(ideas []idea.Idea) Offer {
	for _, i := range ideas {
		if i.Rivals {
			return Offer{"Watch a debate about this folder", "offline, rule-based: " + line.One(ps.Clean(i.Text)),
				func() tea.Cmd { return ps.desk.Rehearsal(i.Text) }}
		}
	}
	return Offer{"Watch a rehearsal debate", "offline, rule-based, about a sample project",
		func() tea.Cmd { return ps.desk.Rehearsal("") }}
}

// some lists the first of several names.
func some(items []picker.Item) string {
	const named = 3
	var out []string
	for _, i := range items[:min(len(items), named)] {
		out = append(out, i.Title)
	}
	if more := len(items) - named; more > 0 {
		out = append(out, spelling.Many(more, "other"))
	}
	return strings.Join(out, ", ")
}
