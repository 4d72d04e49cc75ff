package permission

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Request is what a person is asked: what a tool wants to do, and what of it needs asking.
type Request struct {
	Tool     string
	Acts     []tool.Act
	Decision Decision
}

// Answer is what a person says to a Request.
type Answer struct {
	Choice string // once, session, project or deny
	Reason string // of a denial, for the model
}

// Refused is the error of what may not happen. Its text is told to the model, so that it can go another way.
type Refused struct {
	Decision Decision
	Reason   string
	// Told is what the person said to it; empty: nobody was asked.
	Told string
	// Nobody says that a person would have been asked, and none was there.
	Nobody bool
}

// Error is what the model is told. What a person said replaces our own advice.
func (r *Refused) Error() string {
	if advice := r.Decision.Advice(); advice != "" && r.Told == "" {
		return "refused: " + r.Reason + ". Instead: " + advice
	}
	return "refused: " + r.Reason
}

// Gate stands between tools and the world. It is shared by everything that runs in one conversation.
type Gate struct {
	// Policy is what holds now.
	Policy func() Policy
	// Ask asks the person and waits; nil: nobody is there, and what would be asked is refused.
	Ask func(ctx context.Context, r Request) (Answer, error)
	// Before is called before the first act of a call that may change something; an error refuses the call.
	Before func(ctx context.Context) error
	// Unseen says that nobody can look again while a call runs: what would only be known then is asked about before.
	Unseen bool
	// Record keeps every decision; given are the grants a person's answer makes, and how far they go.
	Record func(ctx context.Context, r Request, a Answer, given []Grant) error
}

// Call is the gate for one call of a tool: what is allowed once is allowed as long as the call lasts. Make a new
// one for each.
func (g *Gate) Call(name string) *Pass { return &Pass{gate: g, tool: name} }

// Insist asks the person about a call whatever the rules say, and refuses it where nobody is there. The answer
// holds for this call alone, whatever its choice says.
func (g *Gate) Insist(ctx context.Context, name, text, reason string) error {
	r := Request{Tool: name, Decision: decide([]Part{{Text: text, Verdict: Ask, Reason: reason, Tool: name}})}
	answer, err := (&Pass{gate: g, tool: name}).resolve(ctx, r)
	return errors.Join(err, g.Record(ctx, r, answer, nil))
}

// Pass is the gate as one call of a tool meets it.
type Pass struct {
	gate *Gate
	tool string

	mu            sync.Mutex
	once          []Grant
	changed       bool // Before was called
	scriptDecided bool // a script was decided on as a whole: what of it is as expected is not recorded again
	// settled are the commands of that script of which all was known, and tainted whether untrusted text was read by then. A script that
	// goes on in the background is not stopped by what it fetches itself, nor by what is read later; what was unknown then is decided
	// by what holds when it runs.
	settled []shell.Command
	tainted bool
	// consents are who allowed the commands that were decided on as they were about to run, by their words and folder.
	consents map[string]consent.Level
	decided  map[string][]string // and the files they were decided about
}

// Decided are the files, with links followed, that a command which is about to run was decided about: what its words lead
// to by now may be others. Nil: it was not decided on.
func (c *Pass) Decided(argv []string, dir string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.decided[commandKey(argv, dir)]
}

// Consent says who allowed a command that is about to run.
func (c *Pass) Consent(argv []string, dir string) consent.Level {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.consents[commandKey(argv, dir)]
}

// commandKey tells commands apart by their words and the folder they run in.
func commandKey(argv []string, dir string) string {
	return strings.Join(argv, "\x00") + "\x00\x00" + dir
}

// Allow decides about acts, and asks the person where that is needed. One question at a time: Allow, Decided and
// Consent of the same call wait while a person thinks. It returns nil if the acts may happen now, else a *Refused
// or an error of Ask, Record or Before.
func (c *Pass) Allow(ctx context.Context, acts ...tool.Act) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	policy := c.gate.Policy()
	policy.Grants = append(slices.Clip(policy.Grants), c.once...)
	c.settle(&policy, acts)
	r := Request{c.tool, acts, policy.Judge(c.tool, acts...)}
	for i := range r.Decision.Parts {
		r.Decision.Parts[i].Later = r.Decision.Parts[i].Later && !c.gate.Unseen
	}
	answer, err := c.resolve(ctx, r)
	var given []Grant
	if err == nil && answer.Choice != "" {
		given = c.grant(r, answer)
	}
	if !c.scriptDecided || err != nil || answer.Choice != "" || r.Decision.Brings() {
		// What is not on record must not happen, even if the person allowed it.
		if lost := c.gate.Record(ctx, r, answer, given); lost != nil {
			return errors.Join(err, lost)
		}
	}
	c.scriptDecided = c.scriptDecided || len(acts) == 1 && acts[0].Script != nil
	if len(acts) == 1 && acts[0].Command != nil && err == nil {
		by := consent.Asked
		if answer.Choice == "" {
			by = r.Decision.consent()
		}
		if c.consents == nil {
			c.consents, c.decided = map[string]consent.Level{}, map[string][]string{}
		}
		key := commandKey(acts[0].Command.Argv, acts[0].Command.Dir)
		c.consents[key], c.decided[key] = by, []string{}
		for _, part := range r.Decision.Parts {
			c.decided[key] = append(c.decided[key], part.touched...)
		}
	}
	if err != nil || c.changed || !r.Decision.changes() || c.gate.Before == nil {
		return err
	}
	c.changed = true
	return c.gate.Before(ctx)
}

// settle notes what a script's decision settles, and decides about a settled command as of then.
func (c *Pass) settle(policy *Policy, acts []tool.Act) {
	for _, a := range acts {
		switch {
		case a.Script != nil:
			c.tainted = policy.Tainted
			for _, k := range a.Script.Commands {
				if k.Unknown == "" && k.Name == "" && k.Dir != "" {
					c.settled = append(c.settled, k)
				}
			}
		case len(acts) == 1 && a.Command != nil && slices.ContainsFunc(c.settled, func(k shell.Command) bool {
			return slices.Equal(k.Argv, a.Command.Argv) && k.Dir == a.Command.Dir
		}):
			policy.Tainted = c.tainted
		}
	}
}

// changes says whether files may be other than before once this has happened.
func (d Decision) changes() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return !p.Reads && p.Act.Effect != tool.Keeps })
}

// resolve turns a decision into an answer, asking the person if it has to. An empty answer with no error: nobody
// was asked.
func (c *Pass) resolve(ctx context.Context, r Request) (Answer, error) {
	switch {
	case r.Decision.Verdict == Allow, r.Decision.Verdict == Ask && r.Decision.Waits():
		return Answer{}, nil
	case r.Decision.Verdict == Deny:
		return Answer{}, &Refused{Decision: r.Decision, Reason: r.Decision.Reason}
	case c.gate.Ask == nil:
		return Answer{}, &Refused{Decision: r.Decision, Nobody: true,
			Reason: "it needs approval, but nobody can be asked: " + r.Decision.Reason}
	}
	a, err := c.gate.Ask(ctx, r)
	if err != nil {
		return a, err
	}
	if a.Choice == "deny" || a.Choice == "" {
		a.Choice = "deny"
		reason := "the person said no"
		if a.Reason != "" {
			reason += ": " + a.Reason
		}
		return a, &Refused{Decision: r.Decision, Reason: reason, Told: reason}
	}
	return a, nil
}

// grant makes grants of what was asked and allowed: each says exactly what was shown.
func (c *Pass) grant(r Request, a Answer) []Grant {
	var out []Grant
	for _, p := range r.Decision.Parts {
		if p.Verdict != Ask {
			continue
		}
		if g, ok := p.Remember("once", time.Now()); ok {
			c.once = append(c.once, g)
		}
		if g, ok := p.Remember(a.Choice, time.Now()); ok && a.Choice != "once" {
			out = append(out, g)
		}
	}
	return out
}
