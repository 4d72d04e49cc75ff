package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tool"
)

// Decision is what a hook says of a call.
type Decision string

// The decisions. Allow, like none, leaves it to the rules.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Set is the hooks of one session, in the order in which they run. The zero value is none.
type Set struct {
	Hooks   []Hook
	Dir     string // the project folder
	Session string
}

// Call is a tool call as the model wants it.
type Call struct {
	Tool string
	Args json.RawMessage
	// Changes are what arguments do to files, one by one, where they say it in a form of their own; nil: they do not. A hook of
	// another agent's form is asked about each.
	Changes func(args json.RawMessage) ([]tool.Change, error)
}

// Result is what a call came to.
type Result struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed"`
}

// Answer is what the hooks of an event say together.
type Answer struct {
	// Decision is Ask, Deny or empty: the rules decide. An Ask or Deny of the rules holds whatever it is.
	Decision Decision
	Reason   string // of Ask and Deny
	By       string // the hook it is from
	// Args are the arguments as hooks changed them; nil: they did not. The caller judges them like any others.
	Args     json.RawMessage
	Context  string   // for the model
	Text     string   // of a phase of a run, as hooks made it
	Warnings []string // for the person: hooks that came to no answer
}

// Before asks the hooks about a call that is about to be judged. Each hook that would judge sees the arguments as they are
// in the end: where one changes them, those that were asked before are asked again. An error is the context's: the call
// must not happen. Hooks that keep undoing each other's changes are stopped after three runs each, and the call
// denied.
func (s Set) Before(ctx context.Context, c Call) (Answer, error) {
	var hooks []Hook
	for _, h := range s.Hooks {
		if h.wants(BeforeTool, c.Tool) {
			hooks = append(hooks, h)
		}
	}
	version := 1
	seen, said, warned := make([]int, len(hooks)), make([]reply, len(hooks)), make([]string, len(hooks))
	args := c.Args
	for runs := 0; ; runs++ {
		next := -1
		for i := range hooks {
			if seen[i] < version {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		h := hooks[next]
		if runs > 3*len(hooks) {
			return Answer{Decision: Deny, By: h.Name, Reason: "hooks keep changing each other's arguments"}, nil
		}
		r, err := h.run(ctx, input{Event: BeforeTool, Session: s.Session, Cwd: s.Dir, Tool: c.Tool, Args: args, changes: c.Changes})
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		seen[next], said[next], warned[next] = version, r, ""
		if err != nil {
			warned[next] = fmt.Sprintf("the hook %s gave no answer: %v", h.Name, err)
			if h.Guard {
				return Answer{Decision: Deny, By: h.Name, Reason: fmt.Sprintf("the guard hook %s gave no answer: %v",
					h.Name, err)}, nil
			}
		}
		if r.Decision == Deny {
			return Answer{Decision: Deny, By: h.Name, Reason: because(r, h)}, nil
		}
		if r.Args != nil && !same(r.Args, args) {
			args = r.Args
			version++
			seen[next] = version
		}
	}
	a := collect(hooks, said, warned)
	if version > 1 {
		a.Args = args
	}
	return a, nil
}

// collect is what replies that deny nothing come to together.
func collect(hooks []Hook, said []reply, warned []string) Answer {
	var a Answer
	var told []string
	for i, r := range said {
		if r.Decision == Ask && a.Decision == "" {
			a.Decision, a.By, a.Reason = Ask, hooks[i].Name, because(r, hooks[i])
		}
		if r.Context != "" {
			told = append(told, r.Context)
		}
		if warned[i] != "" {
			a.Warnings = append(a.Warnings, warned[i])
		}
	}
	a.Context = strings.Join(told, "\n")
	return a
}

// because is the reason of a reply, or who gave it.
func because(r reply, h Hook) string {
	if r.Reason != "" {
		return r.Reason
	}
	return "the hook " + h.Name + " says so"
}

// same says whether two JSON texts are equal but for blanks.
func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// After tells the hooks what a call came to. What one denies has happened all the same: its reason is told to the model.
func (s Set) After(ctx context.Context, c Call, r Result) (Answer, error) {
	return s.tell(ctx, input{Event: AfterTool, Tool: c.Tool, Args: c.Args, Result: &r, changes: c.Changes})
}

// Start tells the hooks that a session begins.
func (s Set) Start(ctx context.Context) (Answer, error) {
	return s.tell(ctx, input{Event: SessionStart})
}

// Phase tells the hooks that a conversation goes from one phase to another, before the model is told; from is empty where it begins. What
// they say is for the model.
func (s Set) Phase(ctx context.Context, from, to string) (Answer, error) {
	var left Answer
	if from != "" {
		var err error
		if left, err = s.tell(ctx, input{Event: PhaseEnd, Phase: from}); err != nil {
			return left, err
		}
	}
	a, err := s.tell(ctx, input{Event: PhaseStart, Phase: to})
	a.Context = strings.Trim(left.Context+"\n"+a.Context, "\n")
	a.Warnings = append(left.Warnings, a.Warnings...)
	return a, err
}

// Wants says whether a hook is there for an event that is about no tool.
func (s Set) Wants(e Event) bool {
	return slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.wants(e, "") })
}

// Rewrite shows the hooks what a phase of a run is told (PhaseStart), or what it came to (PhaseEnd). Each sees the text as the one before
// made it; Deny, or a hook that answers with an empty text, ends the phase.
func (s Set) Rewrite(ctx context.Context, e Event, phase, text string) (Answer, error) {
	a := Answer{Text: text}
	for _, h := range s.Hooks {
		if !h.wants(e, "") {
			continue
		}
		r, err := h.run(ctx, input{Event: e, Session: s.Session, Cwd: s.Dir, Phase: phase, Text: a.Text})
		switch {
		case ctx.Err() != nil:
			return a, ctx.Err()
		case err != nil:
			a.Warnings = append(a.Warnings, fmt.Sprintf("the hook %s failed: %v", h.Name, err))
		case r.Decision == Deny:
			a.Decision, a.By, a.Reason = Deny, h.Name, because(r, h)
			return a, nil
		case r.Text != nil && strings.TrimSpace(*r.Text) == "":
			a.Decision, a.By, a.Reason = Deny, h.Name, "it left no text"
			return a, nil
		case r.Text != nil:
			a.Text = *r.Text
		}
		if r.Context != "" {
			a.Text = strings.TrimRight(a.Text, "\n") + "\n\n" + r.Context
		}
	}
	return a, nil
}

// Prompt tells the hooks what a person says, before a model is told. Deny means that it must not be.
func (s Set) Prompt(ctx context.Context, text string) (Answer, error) {
	return s.tell(ctx, input{Event: Prompt, Prompt: text})
}

// Permission tells the hooks what a person is about to be asked to allow. Deny is an answer; without one the person is asked.
func (s Set) Permission(ctx context.Context, tool string, wants []string) (Answer, error) {
	return s.tell(ctx, input{Event: Permission, Tool: tool, Wants: wants})
}

// Compact tells the hooks that a summary is about to take the place of a conversation. What they say is for the model, after the summary.
func (s Set) Compact(ctx context.Context) (Answer, error) {
	return s.tell(ctx, input{Event: Compact})
}

// TurnDone tells the hooks what the model says at the end of its turn. Deny means that it is not done, and Reason what is
// missing; it is for the caller to see to it that this comes to an end.
func (s Set) TurnDone(ctx context.Context, answer string) (Answer, error) {
	return s.tell(ctx, input{Event: TurnDone, Answer: answer})
}

// denies are the events, besides that before a tool, at which a denial changes what happens.
var denies = map[Event]bool{Prompt: true, Permission: true, TurnDone: true}

// tell runs the hooks of an event that is no question, one after the other. A denial counts only at the events in
// denies; at others its reason is told to the model.
func (s Set) tell(ctx context.Context, in input) (Answer, error) {
	var a Answer
	var told []string
	in.Session, in.Cwd = s.Session, s.Dir
	for _, h := range s.Hooks {
		if !h.wants(in.Event, in.Tool) {
			continue
		}
		r, err := h.run(ctx, in)
		switch {
		case ctx.Err() != nil:
			return Answer{}, ctx.Err()
		case err != nil:
			a.Warnings = append(a.Warnings, fmt.Sprintf("the hook %s failed: %v", h.Name, err))
		case r.Decision == Deny && denies[in.Event] && a.Decision == "":
			a.Decision, a.By, a.Reason = Deny, h.Name, because(r, h)
		case r.Decision == Deny && r.Reason != "":
			told = append(told, r.Reason)
		}
		if r.Context != "" {
			told = append(told, r.Context)
		}
	}
	a.Context = strings.Join(told, "\n")
	return a, nil
}
