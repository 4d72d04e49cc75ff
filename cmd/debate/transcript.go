package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// said is one utterance in a debate, word for word.
type said struct {
	By     string       `json:"by"` // a seat, or "person"
	Act    exchange.Act `json:"act,omitempty"`
	Round  int          `json:"round"`
	State  string       `json:"state,omitempty"` // of an answer: answered, or the failure
	Reason string       `json:"reason,omitempty"`
	Text   string       `json:"text"`
	// Labels map the letters and claims that the seat was shown to their meaning in the debate.
	Labels map[string]string `json:"labels,omitempty"`
	stage  string            // its name for people
}

// showTranscript shows what seats and persons said, in order. A text that a purge removed from the store is shown as
// empty; any other failure is an error.
func (a *commands) showTranscript(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result) error {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	r := scene.NewRoom()
	for _, n := range nodes {
		r.Node(n)
	}
	list := []said{}
	for _, sp := range r.Spoken {
		s, hash := spoken(sp)
		if hash != "" {
			if s.Text, err = e.Text(ctx, hash); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		s.Text = a.Out.Clean(strings.TrimSpace(s.Text))
		list = append(list, s)
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(list)
	}
	var b strings.Builder
	for _, s := range list {
		head := s.By
		if s.Act != "" {
			head = s.By + " · " + s.stage
		}
		if s.State != "" && s.State != string(exchange.Answered) {
			head += " · " + strings.TrimSuffix(s.State+": "+clean.Line(s.Reason), ": ")
		}
		fmt.Fprintf(&b, "## %s\n\n%s%s\n\n", head, legend(s.Labels, res.Options), cmp.Or(s.Text, "(nothing)"))
	}
	if len(list) == 0 {
		a.Out.Tell("No seat has answered yet.\n")
	}
	a.Out.Tell("Prompts and tool calls as well: socrates debate export " + res.Room + " --format folder\n")
	return a.Out.Raw(b.String())
}

// spoken returns a speech without its text, and the hash of that text if a seat spoke.
func spoken(sp scene.Speech) (s said, hash string) {
	if sp.Reply == nil {
		m := sp.Message
		words := slices.DeleteFunc([]string{"/" + m.Verb, m.Seat, m.Spec, m.Claim, m.Option, m.Gist()},
			func(w string) bool { return w == "" })
		return said{By: "person", Text: strings.Join(words, " ")}, ""
	}
	b := sp.Reply
	s = said{By: b.Seat, Act: b.Act, Round: b.Round, State: string(b.State), Reason: b.Reason,
		stage: scene.Stage(exchange.Asked{Key: b.Key, Act: b.Act})}
	if sp.Late {
		s.State = "late"
	}
	if sp.Turn != nil {
		s.Labels = sp.Turn.Asked.Labels
	}
	return s, b.Text
}

// legend explains the letters of an answer: each seat is shown the options in an order of its own, and claims without
// their authors.
func legend(labels map[string]string, options []verdict.Option) string {
	var letters, claims []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		means := labels[label]
		if i := slices.IndexFunc(options, func(o verdict.Option) bool { return o.Key == means }); i >= 0 {
			letters = append(letters, label+" = "+clean.Line(options[i].Text))
		} else {
			claims = append(claims, label+" = "+means)
		}
	}
	if len(letters)+len(claims) == 0 {
		return ""
	}
	return "> Shown as: " + strings.Join(append(letters, claims...), " · ") + "\n\n"
}
