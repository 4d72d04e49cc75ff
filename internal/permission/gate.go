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

// Request is a question to a person: what a tool wants to do, and what of it needs approval.
type Request struct {
	Tool     string
	Acts     []tool.Act
	Decision Decision
}

// Answer is a person's answer to a Request.
type Answer struct {
	Choice string // once, session, project or deny
	Reason string // of a denial, for the model
}

// Refused is the error for what may not happen. The model is shown its text, so that it can try another way.
type Refused struct {
	Decision Decision
	Reason   string
	// Told is the person's answer, with their reason; empty: nobody was asked.
	Told string
	// Nobody means that a person would have been asked, but none was there.
	Nobody bool
}

// Error is what the model is told. A person's answer replaces our own advice.
func (r *Refused) Error() string {
	if advice := r.Decision.Advice(); advice != "" && r.Told == "" {
		return "refused: " + r.Reason + ". Instead: " + advice
	}
	return "refused: " + r.Reason
}

// Gate decides for the tools of one conversation, which all share it.
type Gate struct {
	// Policy returns the current policy.
	Policy func() Policy
	// Ask asks the person and waits; nil: nobody is there, and what needs approval is refused.
	Ask func(ctx context.Context, r Request) (Answer, error)
	// Before is called before the first act of a call that may change something; an error refuses the call.
	Before func(ctx context.Context) error
	// Unseen means that nothing can be decided while a call runs: what would only be known then needs approval in advance.
	Unseen bool
	// Record records every decision; given are the grants that follow from a person's answer, with their scope.
	Record func(ctx context.Context, r Request, a Answer, given []Grant) error
}

// Call returns the gate for one call of a tool: what is allowed once is allowed for as long as the call lasts. Each call needs a new one.
func (g *Gate) Call(name string) *Pass { return &Pass{gate: g, tool: name} }

// Insist asks the person about a call whatever the rules say, and refuses it if nobody is there. The answer applies to
// this call only, whatever its choice says.
func (g *Gate) Insist(ctx context.Context, name, text, reason string) error {
	r := Request{Tool: name, Decision: decide([]Part{{Text: text, Verdict: Ask, Reason: reason, Tool: name}})}
	answer, err := (&Pass{gate: g, tool: name}).resolve(ctx, r)
	return errors.Join(err, g.Record(ctx, r, answer, nil))
}

// Pass is the gate for one call of a tool.
type Pass struct {
	gate *Gate
	tool string

	mu            sync.Mutex
	once          []Grant
	changed       bool // Before was called
	scriptDecided bool // a script was decided on as a whole: expected parts of it are not recorded again
	// settled are the commands of that script that were completely known, and tainted whether untrusted text had been read by then. A
	// script that continues in the background is not stopped by what it fetches itself, nor by what is read later; what was unknown then
	// is decided by the policy at run time.
	settled []shell.Command
	tainted bool
	// consents says who allowed the commands that were decided on just before they ran, by their words and folder.
	consents map[string]consent.Level
	decided  map[string][]string // and the files that were decided on
}

// Decided returns the files, with links followed, that the decision about a command covered: its words may lead to others by the time it
// runs. Nil: it was not decided on.
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

// commandKey identifies a command by its words and the folder it runs in.
func commandKey(argv []string, dir string) string {
	return strings.Join(argv, "\x00") + "\x00\x00" + dir
}

// Allow decides about acts, and asks the person if needed. It asks one question at a time: Allow, Decided and Consent
// of the same call wait for the person's answer. It returns nil if the acts may happen now, otherwise a *Refused or an
// error of Ask, Record or Before.
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
	if err == nil && answer.Choice != "" {
		err = unchanged(r.Decision, policy.Judge(c.tool, acts...))
	}
	var given []Grant
	if err == nil && answer.Choice != "" {
		given = c.grant(r, answer)
	}
	if !c.scriptDecided || err != nil || answer.Choice != "" || r.Decision.Brings() {
		// What is not recorded must not happen, even if the person allowed it.
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

// unchanged refuses a command of which a file that it executes has changed since the person was asked: they allowed what it did then.
func unchanged(asked, now Decision) error {
	for i, p := range asked.Parts {
		if p.Verdict != Ask || i >= len(now.Parts) {
			continue
		}
		for path, hash := range p.executes {
			if now.Parts[i].executes[path] != hash {
				reason := path + " changed while the person was asked; run it again, and they are asked about what it does now"
				return &Refused{Decision: asked, Reason: reason, Told: reason}
			}
		}
	}
	return nil
}

// settle records the commands that a script's decision settles, and restores the policy's state of that time for a settled command.
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

// changes reports whether a call may change files.
func (d Decision) changes() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return !p.Reads && p.Act.Effect != tool.Keeps })
}

// resolve turns a decision into an answer, asking the person if needed. An empty answer without an error means that nobody was asked.
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

// grant makes grants of what was asked and allowed: each covers exactly what was shown.
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
