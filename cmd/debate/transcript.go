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
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// said is one thing that was said in a debate, word for word.
type said struct {
	By     string       `json:"by"` // a seat, or "person"
	Act    exchange.Act `json:"act,omitempty"`
	Round  int          `json:"round"`
	State  string       `json:"state,omitempty"` // of an answer: answered, or what went wrong
	Reason string       `json:"reason,omitempty"`
	Text   string       `json:"text"`
	// Labels are the letters and claims as the seat was shown them, to what they mean in the debate.
	Labels map[string]string `json:"labels,omitempty"`
}

// showTranscript shows what seats and persons said, in order.
// A text that a purge removed from the store is shown as nothing; any other failure ends it.
func (a *commands) showTranscript(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result) error {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	list := []said{}
	labels := map[string]map[string]string{}
	for _, n := range nodes {
		var s said
		hash := ""
		switch b := scene.RoomBody(n).(type) {
		case exchange.Asked:
			// A question comes before its answer, with the letters that the answer uses.
			labels[b.Key] = b.Labels
			continue
		case exchange.Reply:
			s, hash = said{By: b.Seat, Act: b.Act, Round: b.Round, State: string(b.State), Reason: b.Reason, Labels: labels[b.Key]}, b.Text
		case scene.Addendum:
			s, hash = said{By: b.Seat, Act: b.Act, Round: b.Round, State: "late", Reason: b.Reason, Labels: labels[b.Key]}, b.Text
		case people.Message:
			words := slices.DeleteFunc([]string{"/" + b.Verb, b.Seat, b.Spec, b.Claim, b.Option, b.Gist()},
				func(w string) bool { return w == "" })
			s = said{By: "person", Text: strings.Join(words, " ")}
		default:
			continue
		}
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
			head = fmt.Sprintf("%s · %s · round %d", s.By, s.Act, s.Round)
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

// legend says what the letters of an answer mean: each seat is shown the options in an order of its own, and claims without their authors.
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
