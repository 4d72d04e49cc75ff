// Package script is a model that follows a YAML file instead of thinking: for tests, examples and bug reports.
//
// Use script:FILE as a seat or as a conversation's model. The file describes the model and lists rules. Each call uses the
// first rule that matches; a call without a match fails. The whole format:
//
//	info:
//	  id: stubborn        # left out: the name of the file
//	  lineage: acme       # whose errors it shares; left out: the id
//	  tier: small         # small, mid or big; left out: unknown
//	  window: 8000        # tokens; left out: unknown
//	  output: 2000        # most tokens of an answer; left out: unknown
//	  pdf: false          # true: it takes PDFs
//	  acts: false         # true: it counts as a program that runs its own tools
//	  price: {input: 3, output: 15, cache_read: 0.3, cache_write: 3.75}   # dollars per million tokens; left out: free
//	rules:
//	  - act: blind        # propose, blind, verify, cross, any (also when left out), or of talk: talk, ballot, ready, moderate, estimate
//	    contains: store   # text the prompt must contain; left out: any prompt matches
//	    times: 1          # maximum uses; left out or 0: no limit
//	    calls:            # tools it calls first; the reply comes with their results in the history
//	      - {tool: grep, args: {pattern: writer}}
//	    steps:            # further calls, one list each time results arrive
//	      - [{tool: read, args: {path: a.go}}, {tool: ls}]
//	    think: I look.    # the reasoning before each of its answers; left out: none
//	    lead: I look.     # what it says before its calls; left out: nothing
//	    reply: |          # the answer; or reply_file: a file beside this one
//	      {"option": "{{option "use a pool"}}", "summary": "…", "claims": […]}
//	    usage: {input: 900, output: 80}   # tokens, also cache_read, cache_write, reasoning, usd; left out: a quarter of the bytes
//	  - act: cross
//	    delay_ms: 200     # silence before anything happens
//	    pace_ms: 1        # silence after the reasoning and each piece of the reply; left out: none
//	    piece: 40         # letters of a piece; left out: 40
//	    cut: 40           # bytes of the reply after which the stream breaks, with network unless error says how
//	    reply: |
//	      {"option": "A", "stances": [{"claim": "{{claim 1}}", "stance": "AGREE"}], "because": [{{claims}}]}
//	  - error: rate-limit # how it fails: any kind of failure, see below
//	    retry_after_ms: 500
//
// An error is one of auth, quota, rate-limit, overloaded, context, bad-request, network, malformed, crash, refused,
// empty, or stall, which stays silent until the call is cancelled.
//
// A reply may contain placeholders, filled in from the prompt: {{option "text"}} is the letter under which this seat is
// shown that option (each seat sees another order), {{claims}} the ids of all claims of other seats as comma-separated
// JSON strings in the order of their numbers, and {{claim 2}} the second of these ids without quotes.
//
// Uses are counted per model and not saved: a process that resumes a debate starts from zero.
package script

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Rule says how the model answers a call that matches. The zero Rule matches every call and answers nothing.
type Rule struct {
	Act          string       `yaml:"act"`      // the act; empty: any
	Contains     string       `yaml:"contains"` // in the last prompt
	Times        int          `yaml:"times"`    // most uses; 0: no limit
	Reply        string       `yaml:"reply"`    // may contain placeholders
	Calls        []Call       `yaml:"calls"`    // made before the reply
	Steps        [][]Call     `yaml:"steps"`    // made after those, each when the results of the previous one are there
	Think        string       `yaml:"think"`    // the reasoning before each answer
	Lead         string       `yaml:"lead"`     // what it says before its calls
	DelayMS      int          `yaml:"delay_ms"` // silence at the start of each call
	PaceMS       int          `yaml:"pace_ms"`  // silence after each piece of the reply
	Piece        int          `yaml:"piece"`    // letters of a piece; 0: usualPiece
	Error        trouble.Kind `yaml:"error"`    // how it fails; empty: it does not
	Cut          int          `yaml:"cut"`      // bytes of the reply after which it fails; 0: fails before it says anything
	RetryAfterMS int          `yaml:"retry_after_ms"`
	Usage        *cost.Usage  `yaml:"-"` // nil: a quarter of the bytes
}

// Call is a tool call in a script.
type Call struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// New makes a model that follows rules. It fails if a rule can never work.
func New(info llm.Info, rules ...Rule) (llm.Model, error) {
	for i, r := range rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	if info.Lineage == "" {
		info.Lineage = info.ID
	}
	return &model{info: info, rules: rules, used: make([]int, len(rules))}, nil
}

// model follows rules. Several goroutines may call it; mu guards which rules are used up.
type model struct {
	info  llm.Info
	rules []Rule
	mu    sync.Mutex
	used  []int // how often each rule was used completely
}

// Info returns what the script says about its model.
func (m *model) Info() llm.Info { return m.info }

// Stream answers by the first rule that matches and is not used up, and fails if there is none.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		p := readPrompt(req)
		r, ok := m.pick(p)
		if !ok {
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.BadRequest,
				Message: fmt.Sprintf("no rule of the script %s matches this call (act %s)", m.info.ID, p.act)})
			return
		}
		if !retry.Pause(ctx, time.Duration(r.DelayMS)*time.Millisecond) {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		d := draft.New(m.info, yield)
		if r.Usage != nil {
			d.Usage = *r.Usage
		} else {
			d.Usage.Input = requestBytes(req) / 4
		}
		if r.Think != "" && (!d.Think(r.Think) || !retry.Pause(ctx, time.Duration(r.PaceMS)*time.Millisecond)) {
			return
		}
		if all := r.exchanges(); p.rounds < len(all) {
			makeCalls(d, r, all[p.rounds], p.rounds)
			return
		}
		m.reply(ctx, d, r, p, yield)
	}
}

// pick returns the first rule that matches and is not used up. A rule with remaining calls is not counted as used.
func (m *model) pick(p prompt) (Rule, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.rules {
		if !r.fits(p) || r.Times > 0 && m.used[i] >= r.Times {
			continue
		}
		if p.rounds >= len(r.exchanges()) {
			m.used[i]++
		}
		return r, true
	}
	return Rule{}, false
}

// fits reports whether a rule matches a prompt.
func (r Rule) fits(p prompt) bool {
	return (r.Act == "" || r.Act == "any" || r.Act == p.act) && strings.Contains(p.text, r.Contains)
}

// exchanges returns the calls of a rule; those made at once are grouped.
func (r Rule) exchanges() [][]Call {
	if len(r.Calls) == 0 {
		return r.Steps
	}
	return append([][]Call{r.Calls}, r.Steps...)
}

// makeCalls ends an answer with tool calls. Their ids are unique in a history, since results are paired by them.
func makeCalls(d *draft.Draft, r Rule, calls []Call, round int) {
	if !d.Text(r.Lead) {
		return
	}
	for i, c := range calls {
		raw := c.raw()
		if r.Usage == nil {
			d.Usage.Output += len(raw) / 4
		}
		id := fmt.Sprintf("call-%d", i+1)
		if round > 0 {
			id = fmt.Sprintf("call-%d-%d", round+1, i+1)
		}
		if !d.Call(llm.Call{ID: id, Name: c.Tool, Args: raw}) {
			return
		}
	}
	d.End()
}

// usualPiece is how many letters of a reply come at once.
const usualPiece = 40

// reply sends the answer piece by piece, and stops where the rule says so.
func (m *model) reply(ctx context.Context, d *draft.Draft, r Rule, p prompt, yield func(llm.Delta, error) bool) {
	text, err := fill(r.Reply, p)
	if err != nil {
		yield(llm.Delta{}, &trouble.Error{Kind: trouble.BadRequest, Message: "script " + m.info.ID + ": " + err.Error()})
		return
	}
	if r.breaks() {
		text = text[:min(r.Cut, len(text))]
	}
	text = strings.ToValidUTF8(text, "")
	if r.Usage == nil {
		d.Usage.Output = len(text) / 4
	}
	for letters, piece := []rune(text), cmp.Or(r.Piece, usualPiece); len(letters) > 0; letters = letters[min(piece, len(letters)):] {
		if ctx.Err() != nil {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		if !d.Text(string(letters[:min(piece, len(letters))])) {
			return
		}
		retry.Pause(ctx, time.Duration(r.PaceMS)*time.Millisecond)
	}
	switch {
	case !r.breaks():
		d.End()
	case r.Error == trouble.Stall:
		<-ctx.Done()
		yield(llm.Delta{}, ctx.Err())
	default:
		yield(llm.Delta{}, r.failure())
	}
}

// breaks reports whether the rule ends in a failure.
func (r Rule) breaks() bool { return r.Error != "" || r.Cut > 0 }

// failure returns how the rule fails.
func (r Rule) failure() *trouble.Error {
	e := &trouble.Error{Kind: r.Error, RetryAfter: time.Duration(r.RetryAfterMS) * time.Millisecond, Message: "error set by the script"}
	if e.Kind == "" {
		e.Kind, e.Message = trouble.Network, "the stream broke off, as the script says"
	}
	return e
}
