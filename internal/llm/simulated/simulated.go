// Package simulated is a model that knows the truth and errs on purpose: its settings say how often it is right, how
// strongly its errors correlate with those of others, and how it fails. It takes part in a debate through the same
// prompts and replies as any model, so that protocol, store and statistics can be measured against a known truth.
// Nothing it does says anything about real models.
//
// A seat is a pure function of its settings and the request: the same seat gives the same answer to the same
// question, in any room or arm, unless it follows the order of options. Which options are right and which mislead is
// drawn by question and seed; seats of one seed share errors only through that.
//
// The parts: a [Profile] holds the assumptions, in Go or as people write them ([Parse]); [New] makes the model;
// request.go reads the question from the blocks of a prompt, as a model would; belief.go draws what it believes, and
// reply.go says it. Every draw comes from [Lot], which is keyed by the seed and by what is drawn, so that an
// additional draw changes no other: two arms of an experiment differ by what they do and not by luck.
//
// Errors are correlated by a one-factor model in two levels, on a latent scale where a seat is right if its ability
// exceeds what the question asks: Common is the share of variance that all seats have, Within what those of one
// lineage have besides, and the rest is a seat's own. The chance of being right, over all questions, is Accuracy
// whatever the shares are. With Ease set the chance depends on the question, equally for all seats.
//
// What a caller may assume: the model is safe for concurrent use if truth is, uses no network, costs nothing unless a
// price is set, and waits for nothing but Latency and, of its faults, the one that waits for the end of the context.
// A request that it cannot understand, or whose truth is unknown, is a trouble.BadRequest. Usage is a quarter of the
// bytes.
package simulated

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/simulated/fault"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Profile holds the assumptions about a simulated model. The zero value is always wrong. Chances and shares are from
// 0 to 1, and Common and Within together are at most 1; whoever does not use Parse must ensure that.
type Profile struct {
	Name       string  // distinguishes seats of equal settings; empty: what follows the last slash of Request.Session
	Lineage    string  // seats of one lineage share Within; empty: "a"
	Accuracy   float64 // chance to be right
	Ease       Beta    // zero: Accuracy applies; else each question draws from it the chance that every seat is right
	Common     float64 // share of a seat's latent ability it has in common with all seats of the seed
	Within     float64 // share it has in common with its lineage, on top of Common
	Distractor float64 // chance that a wrong answer is the one most wrong seats give
	First      float64 // chance that it takes the option that comes first, if its prompt lists any
	// Susceptibility is the chance that, after it saw the answers of peers, it adopts one of them, whatever it is.
	Susceptibility float64
	// Stubborn is the chance that it keeps an answer whose evidence was refuted.
	Stubborn   float64
	Checkable  float64       // share of the questions on which its claims point at evidence
	Evidence   string        // what they point at: command or quote; empty: never anything
	Judge      Judge         // how it judges others' evidence; zero: it never errs
	Confidence float64       // its stated confidence; 0: .9, as models do
	Words      int           // how many extra words it says
	Latency    time.Duration // before it says anything
	Price      cost.Price    // zero: free
	Fault      fault.Fault   // how it fails; empty: it does not
	At         Act           // where it fails; empty: where it is asked for its own answer, in a debate or outside
	Seed       uint64        // of the world; seats that share anything need the same one
}

// Judge is how often a seat says that evidence shows a claim: of right claims, and of wrong ones.
type Judge struct{ TruePass, FalsePass float64 }

// LineagePrefix begins the lineages of simulated models, so that none is mistaken for a vendor's.
const LineagePrefix = "simulated-"

// New makes the model. truth returns the right answer to a question, as the text of an option; false means that it is
// unknown, and the call fails. It must be safe for concurrent use, as the model is.
func New(seat Profile, truth func(question string) (option string, ok bool)) llm.Model {
	if seat.Lineage == "" {
		seat.Lineage = "a"
	}
	if seat.Confidence == 0 {
		seat.Confidence = .9
	}
	if seat.Judge == (Judge{}) {
		seat.Judge.TruePass = 1
	}
	if seat.Price == (cost.Price{}) {
		seat.Price.Known = true
	}
	return &model{seat, truth}
}

// model is a seat with the truth. It does not change once made.
type model struct {
	Profile
	truth func(string) (string, bool)
}

// Info puts the accuracy into the id, so that results distinguish seats by it.
func (m *model) Info() llm.Info {
	return llm.Info{ID: fmt.Sprintf("simulated-%g", m.Accuracy), Lineage: LineagePrefix + m.Lineage, Tier: llm.Small, Price: m.Price}
}

// Stream yields the whole reply as one delta. A fault damages it on the way; a truncated one ends without an End.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		a, err := m.read(req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if !retry.Pause(ctx, m.Latency) {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		text := m.reply(a)
		if m.breaks(a.act) {
			if text, err = m.Fault.Spoil(ctx, text); err != nil {
				yield(llm.Delta{}, err)
				return
			}
		}
		d := draft.New(m.Info(), yield)
		d.Usage.Input, d.Usage.Output = a.size/4, len(text)/4
		if m.Fault == fault.Truncated && m.breaks(a.act) {
			if d.Text(text) {
				yield(llm.Delta{}, &trouble.Error{Kind: trouble.Network, Message: "the stream broke off (simulated)"})
			}
			return
		}
		if d.Text(text) {
			d.End()
		}
	}
}

// breaks reports whether the seat's fault shows in an act.
func (s Profile) breaks(act Act) bool {
	return s.Fault != "" && (s.At == act || s.At == "" && (act == Blind || act == Answer))
}

// read interprets a request and finds the truth of its question.
func (m *model) read(req llm.Request) (asked, error) {
	a, ok := readRequest(req)
	if !ok {
		return a, &trouble.Error{Kind: trouble.BadRequest, Message: "a simulated seat can only take part in a debate"}
	}
	if a.truth, ok = m.truth(a.question); !ok {
		return a, &trouble.Error{Kind: trouble.BadRequest,
			Message: "a simulated seat must be told the right answer, but this question has no known answer"}
	}
	a.name = m.Name
	if a.name == "" {
		a.name = req.Session[strings.LastIndexByte(req.Session, '/')+1:]
	}
	return a, nil
}
