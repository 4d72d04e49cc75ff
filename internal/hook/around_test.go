package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/tool"
)

func TestAround(t *testing.T) {
	type words struct {
		Command string `json:"command"`
	}
	plain := tool.New("bash", "runs", tool.Runs, func(_ context.Context, w words, _ tool.Env) (tool.Output, error) {
		if w.Command == "fail" {
			return tool.Output{}, errors.New("it failed")
		}
		return tool.Output{Text: "ran " + w.Command}, nil
	})
	after := func(h hook.Hook) hook.Hook {
		h.On = []hook.Event{hook.AfterTool}
		return h
	}
	says := func(answer string, err error) func(context.Context, tool.Question) (string, error) {
		return func(_ context.Context, q tool.Question) (string, error) {
			if q.Text != "The hook say asks whether bash may run: sure?" {
				t.Error(q.Text)
			}
			return answer, err
		}
	}
	ask := say(t, `{"decision":"ask","reason":"sure?"}`, "0", "")
	for name, c := range map[string]struct {
		hooks             []hook.Hook
		ask               func(context.Context, tool.Question) (string, error)
		args, text, wrong string
	}{
		"none":      {nil, nil, "ls", "ran ls", ""},
		"denies":    {[]hook.Hook{say(t, "", "2", "no")}, nil, "ls", "", "refused by the hook say: no"},
		"changes":   {[]hook.Hook{say(t, `{"args":{"command":"pwd"},"context":"look"}`, "0", "")}, nil, "ls", "ran pwd\n\nHooks of the person say:\nThe arguments were changed to {\"command\":\"pwd\"}\nlook", ""},
		"nobody":    {[]hook.Hook{ask}, nil, "ls", "", "refused: the hook say wants a person to be asked, and nobody is there: sure?"},
		"yes":       {[]hook.Hook{ask}, says("yes", nil), "ls", "ran ls", ""},
		"no":        {[]hook.Hook{ask}, says("no", nil), "ls", "", "refused: the person said no"},
		"gone":      {[]hook.Hook{ask}, says("", errors.New("gone")), "ls", "", "refused: the hook say wants a person to be asked: gone"},
		"after":     {[]hook.Hook{after(say(t, "", "2", "vet fails"))}, nil, "ls", "ran ls\n\nHooks of the person say:\nvet fails", ""},
		"a failure": {[]hook.Hook{after(say(t, `{"context":"try again"}`, "0", ""))}, nil, "fail", "", "it failed\n\nHooks of the person say:\ntry again"},
	} {
		t.Run(name, func(t *testing.T) {
			one := hook.Set{Hooks: c.hooks, Dir: t.TempDir()}.Around([]tool.Tool{plain}, func(w string) { t.Error(w) })[0]
			raw, _ := json.Marshal(words{c.args})
			out, err := one.Run(t.Context(), raw, tool.Env{Ask: c.ask})
			if out.Text != c.text || err == nil && c.wrong != "" || err != nil && err.Error() != c.wrong {
				t.Errorf("%q %v", out.Text, err)
			}
		})
	}
	var warned []string
	broken := hook.Set{Hooks: []hook.Hook{say(t, "", "1", "")}, Dir: t.TempDir()}.Around([]tool.Tool{plain}, func(w string) { warned = append(warned, w) })[0]
	if out, err := broken.Run(t.Context(), json.RawMessage(`{"command":"ls"}`), tool.Env{}); err != nil || out.Text != "ran ls" || !strings.Contains(strings.Join(warned, ""), "came to no answer") {
		t.Errorf("%v %+v %v", err, out, warned)
	}
}
