// Package hook runs programs of the user's around what an agent does: they may forbid a call, have it asked about,
// change its arguments or tell the model something. They can only tighten: no hook allows what the rules do not.
//
// A [Hook] is a program with the events it wants. A [Set] runs those of a session in order, and puts their replies
// together into an [Answer]. The program reads one JSON object on its standard input and may write one on its
// output; exit code 2 denies, with the reason on standard error. Hooks written for Claude Code are served in that
// form (claude.go): events, tools and arguments are renamed on the way in and out.
//
// What a caller may assume:
//
//   - Before is asked ahead of the permission gate. A denial ends the call; new arguments are judged like any others, and every hook
//     has seen the arguments that are used in the end.
//   - A hook that fails, is too slow or cannot be understood changes nothing and is a warning for the person, unless it is a guard:
//     then the call is denied.
//   - What hooks say is cleaned and bounded. Context is for the model, warnings are for the person.
//   - An error is only ever that of ctx: nothing may happen then.
//   - Programs run in the project folder, with the environment that package process gives, in a group that is ended whole. They
//     are the user's own: no sandbox holds them. What a project's file wants to run must have been approved before (package trust,
//     Hook.Still).
//
// Hooks of one event run one after the other. A Set is not changed by running it and may be used by several
// goroutines.
package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Event is when a hook runs.
type Event string

// The events.
const (
	SessionStart Event = "session_start"
	Prompt       Event = "prompt"
	BeforeTool   Event = "before_tool"
	AfterTool    Event = "after_tool"
	Permission   Event = "permission"
	Compact      Event = "compact"
	TurnDone     Event = "turn_done"
	PhaseStart   Event = "phase_start"
	PhaseEnd     Event = "phase_end"
)

// Events are all of them.
func Events() []Event {
	return []Event{SessionStart, Prompt, BeforeTool, AfterTool, Permission, Compact, TurnDone, PhaseStart, PhaseEnd}
}

// usual is how long a hook may take that says nothing of it; longest what it may say.
const (
	usual   = 10 * time.Second
	longest = 10 * time.Minute
)

// Hook is one program.
type Hook struct {
	Name    string
	On      []Event
	Tools   []string // names of tools, or globs such as mcp__*; empty: all
	Command []string // words: no shell reads them. A path is relative to the project
	Timeout time.Duration
	// Guard means that a call it cannot judge is denied: it crashed, took too long or said what cannot be understood.
	Guard bool
	// Form is what it reads and answers: empty, ours; else that of hooks written for another agent.
	Form string
	// Origin is who wants it: the user's settings or a file of the project.
	Origin string
	// Still is asked right before each run and says in an error why it must not run any more; nil: nothing can change it.
	Still func() error
}

// Parse reads a hook as a project's file has it, as JSON. Nothing in it is passed over. An unknown field is an
// error: a guard that is misspelt would guard nothing.
func Parse(name string, definition []byte) (Hook, error) {
	var said struct {
		On      []Event  `json:"on"`
		Tools   []string `json:"tools"`
		Command []string `json:"command"`
		Timeout string   `json:"timeout"`
		Guard   bool     `json:"guard"`
		Form    string   `json:"form"`
	}
	d := json.NewDecoder(bytes.NewReader(definition))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return Hook{}, fmt.Errorf("the hook %s has %s; it may have on, tools, command, timeout, guard and form", name, field)
		}
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return Hook{}, fmt.Errorf("%s of the hook %s must not be a %s", e.Field, name, e.Value)
		}
		return Hook{}, fmt.Errorf("the hook %s: %w", name, err)
	}
	h := Hook{Name: name, On: said.On, Tools: said.Tools, Command: said.Command, Guard: said.Guard, Form: said.Form}
	if said.Timeout != "" {
		var err error
		if h.Timeout, err = time.ParseDuration(said.Timeout); err != nil {
			return Hook{}, fmt.Errorf("timeout of the hook %s must be a duration such as 5s, not %q", name, said.Timeout)
		}
	}
	return h, h.Check()
}

// Check says in a sentence what is wrong with a hook.
func (h Hook) Check() error {
	fail := func(text string, args ...any) error {
		return fmt.Errorf("the hook %s "+text, append([]any{h.Name}, args...)...)
	}
	for _, e := range h.On {
		if !slices.Contains(Events(), e) {
			var names []string
			for _, known := range Events() {
				names = append(names, string(known))
			}
			return fail("has the unknown event %q; use %s", e, strings.Join(names, ", "))
		}
	}
	for _, t := range h.Tools {
		if _, err := path.Match(t, ""); err != nil || t == "" {
			return fail("has %q among its tools, which is neither a name nor a glob such as mcp__*", t)
		}
	}
	switch {
	case h.Form != "" && h.Form != formClaude:
		return fail("has the unknown form %q; use claude, or leave it out", h.Form)
	case len(h.On) == 0:
		return fail("has no events; add on: [before_tool]")
	case len(h.Command) == 0 || h.Command[0] == "":
		return fail("has no command")
	case h.Timeout < 0 || h.Timeout > longest:
		return fail("needs a timeout between 0s and %s", "10m")
	case h.Guard && !slices.Contains(h.On, BeforeTool):
		return fail("is a guard, but guards run before tools; add before_tool to on")
	case len(h.Tools) > 0 && !slices.Contains(h.On, BeforeTool) && !slices.Contains(h.On, AfterTool) && !slices.Contains(h.On, Permission):
		return fail("names tools, but runs on none of before_tool, after_tool and permission")
	}
	return nil
}

// wants says whether a hook is for an event, and for a tool if the event is about one.
func (h Hook) wants(e Event, tool string) bool {
	if !slices.Contains(h.On, e) {
		return false
	}
	if e != BeforeTool && e != AfterTool && e != Permission || len(h.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(h.Tools, func(pattern string) bool {
		ok, err := path.Match(pattern, tool)
		return ok && err == nil
	})
}
