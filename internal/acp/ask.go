package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// ask asks the person a question of the turn, in the background. The first answer, here or elsewhere, counts. An
// editor that cannot show the question counts as a no: the turn must not hang.
func (v *teller) ask(ctx context.Context, beside *sync.WaitGroup, now *answering, id tree.ID, need asking.Need) {
	ctx, end := context.WithCancel(ctx)
	v.needs[id] = end
	beside.Go(func() {
		defer end()
		a := turns.Answer{To: id}
		var err error
		if need.Question != nil {
			a.Choice, err = v.question(ctx, *need.Question)
		} else {
			a.Choice, err = v.permission(ctx, id, need)
		}
		if ctx.Err() != nil || now.cancelled() { // it was answered elsewhere, or the turn is over
			return
		}
		if err != nil {
			a.Choice, a.Reason = "deny", "the editor did not ask: "+err.Error()
		}
		v.Engine.Do(context.WithoutCancel(ctx), a) // a store that cannot be written ends the turn
	})
}

// permission asks whether acts may happen; the answer is a choice of turns.Answer.
func (v *teller) permission(ctx context.Context, id tree.ID, need asking.Need) (string, error) {
	call := toolCall{ID: v.callOf(need.Tool, id), Title: told.Heading(need), Sort: sortOf(need.Tool), Status: "pending",
		Content: []toolContent{words(consequences(need))}}
	for _, act := range need.Acts {
		if act.Effect == tool.Writes && strings.Contains(act.Text, "\n@@ ") {
			call.Content = append(call.Content, v.diffs(act.Text)...)
		}
	}
	once := "Allow once"
	if told.Gravest(need) == told.Grave {
		once = "Allow once: this cannot be undone"
	}
	ways := []way{{"once", once, "allow_once"}}
	for _, scope := range told.Scopes(need) {
		ways = append(ways, way{scope, map[string]string{"session": "Allow in this session", "project": "Allow in this project"}[scope],
			"allow_always"})
	}
	ways = append(ways, way{"deny", "Deny", "reject_once"})
	return v.pick(ctx, call, ways)
}

// callOf returns the call that a question is about; if no call is open, the question itself.
func (v *teller) callOf(tool string, question tree.ID) string {
	for id, name := range v.calls {
		if name == tool {
			return id
		}
	}
	return string(question)
}

// consequences describes what would happen, each part with its consequences.
func consequences(need asking.Need) string {
	var b strings.Builder
	if tally := told.Tally(need); tally != "" {
		fmt.Fprintf(&b, "%s\n\n", tally)
	}
	for _, p := range need.Parts {
		b.WriteString(fenced(p.Text) + "\n")
		if p.Asked {
			for _, text := range told.Consequences(p) {
				fmt.Fprintf(&b, "- %s\n", clean.Line(text))
			}
		}
		for _, path := range p.Paths {
			fmt.Fprintf(&b, "- → %s\n", clean.Line(path))
		}
		if p.Asked && p.Covers != "" && len(told.Scopes(need)) > 0 {
			fmt.Fprintf(&b, "- more than once covers: %s\n", clean.Line(p.Covers))
		}
	}
	if len(need.Parts) == 0 {
		b.WriteString(need.Reason)
	}
	return b.String()
}

// pick lets the person choose one of several ways to continue a call.
func (s *session) pick(ctx context.Context, call toolCall, ways []way) (string, error) {
	var out permissionOutcome
	call.Kind = "" // it is no update
	if err := s.conn.ask(ctx, "session/request_permission", permissionRequest{s.id, call, ways}, &out); err != nil {
		return "", err
	}
	for _, w := range ways {
		if out.Outcome.Outcome == "selected" && w.ID == out.Outcome.OptionID {
			return w.ID, nil
		}
	}
	return "", errors.New("no answer was chosen")
}

// permit is pick for a prompt: its end, or a cancel, ends the question.
func (s *session) permit(now *answering, call toolCall, ways []way) (string, error) {
	ctx, end := context.WithCancel(s.ctx)
	defer end()
	go func() {
		select {
		case <-now.stop:
			end()
		case <-ctx.Done():
		}
	}()
	return s.pick(ctx, call, ways)
}

// question asks a tool's question: in a form, if the editor has forms; else the person picks an option.
func (v *teller) question(ctx context.Context, q tool.Question) (string, error) {
	if v.able().Elicitation.Form != nil {
		return v.form(ctx, q)
	}
	if len(q.Options) == 0 {
		return "(this editor cannot ask: put the question into your answer, and the person will answer there)", nil
	}
	call := toolCall{ID: string(tree.NewID()), Title: q.Text, Sort: "think", Status: "pending"}
	var ways []way
	for i, o := range q.Options {
		ways = append(ways, way{fmt.Sprint(i), o, "allow_once"})
	}
	ways = append(ways, way{"none", "None of these", "reject_once"})
	picked, err := v.pick(ctx, call, ways)
	for i, o := range q.Options {
		if picked == fmt.Sprint(i) {
			return o, err
		}
	}
	return "none of these", err
}

// form asks for one answer in a form.
func (s *session) form(ctx context.Context, q tool.Question) (string, error) {
	field := map[string]any{"type": "string", "title": "Answer"}
	if len(q.Options) > 0 {
		field["description"] = "For example: " + strings.Join(q.Options, "; ")
	}
	in := map[string]any{"sessionId": s.id, "mode": "form", "message": q.Text, "requestedSchema": map[string]any{"type": "object",
		"properties": map[string]any{"answer": field}, "required": []string{"answer"}}}
	var out struct {
		Action  string `json:"action"`
		Content struct {
			Answer string `json:"answer"`
		} `json:"content"`
	}
	err := s.conn.ask(ctx, "elicitation/create", in, &out)
	if err == nil && (out.Action != "accept" || strings.TrimSpace(out.Content.Answer) == "") {
		return "the person gave no answer", nil
	}
	return out.Content.Answer, err
}
