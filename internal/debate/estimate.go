package debate

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm"
)

// Estimate is the expected cost of a debate before anything is sent. It is a guess: four bytes per token and answers of usual length.
// The upper bounds include a cross-examination and all tool calls a seat may make, each of which sends everything again.
type Estimate struct {
	Tokens    int
	Most      int      // tokens
	Low, High float64  // dollars, for the seats whose price is known
	Known     int      // how many seats that is
	Unknown   []string // the others
}

// Usual sizes, in tokens, of what a seat writes and of what a program that acts adds.
const (
	usualBallot  = 1200
	usualReading = 6000
	usualStep    = 1500 // what a tool call adds
	actsOverhead = 20000
	// usualJudgements is how many judgements a judge without a seat gives, at most, in a debate in which seats differ.
	usualJudgements = 6
)

// Affordable counts the seats whose first question fits the limits on its own. For a seat without a price only the token limit
// applies. Whether all fit together shows only as they are asked.
func Affordable(f table.Frame, contextBytes int) int {
	n := 0
	for _, s := range f.Seats {
		p := budget.New(f.Limits.USD, f.Limits.Tokens, nil)
		shown := llm.UserText(strings.Repeat(" ", contextBytes+len(f.Question)))
		req := llm.Request{System: system(s) + page(blindPage), Messages: []llm.Message{shown}, MaxTokens: f.Limits.Longest()}
		if _, err := p.Reserve(llm.Info{Price: s.Price, Acts: s.Acts}, req); err == nil {
			n++
		}
	}
	return n
}

// EstimateCost guesses the cost of a room from its frame, its strategy and the size of its context block.
func EstimateCost(f table.Frame, s Strategy, contextBytes int) Estimate {
	var e Estimate
	least, most := 1, 1+f.Limits.Rounds
	if s.Turns != nil {
		least, most = s.Turns(f.Limits.Rounds)
	}
	prompt := (contextBytes + len(f.Question) + 4000) / 4
	for _, s := range f.Seats {
		in := prompt + len(s.Persona.Text)/4
		full := in
		if s.Acts {
			// A program adds its own prompt and the files it reads.
			in += actsOverhead
			full = in
		} else if calls := f.Limits.ToolCalls; calls > 0 {
			full = (calls+1)*in + calls*(calls+1)/2*usualStep
			in += usualReading
		}
		e.Tokens += (in + usualBallot) * least
		e.Most += full + usualBallot + (in+usualBallot)*most // reading is done in the first turn
		if !s.Price.Known {
			e.Unknown = append(e.Unknown, s.ID)
			continue
		}
		e.Known++
		once := (float64(in)*s.Price.Input + usualBallot*s.Price.Output) / 1e6
		e.Low += once * float64(least)
		e.High += once*float64(most) + (float64(full)*s.Price.Input+usualBallot*s.Price.Output)/1e6 // and one for judging evidence
	}
	return e.withJudge(f)
}

// withJudge adds the cost of a judge without a seat: nothing if all agree, else a few judgements of a few lines each.
func (e Estimate) withJudge(f table.Frame) Estimate {
	if f.Judge == nil {
		return e
	}
	tokens := usualJudgements * (usualStep + usualBallot)
	e.Most += tokens
	if p := f.Judge.Price; p.Known {
		e.Known++
		e.High += usualJudgements * (usualStep*p.Input + usualBallot*p.Output) / 1e6
	} else {
		e.Unknown = append(e.Unknown, f.Judge.ID)
	}
	return e
}
