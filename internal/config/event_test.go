package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/config"
)

func TestEvents(t *testing.T) {
	t.Setenv("HOME", filepath.FromSlash("/home/me"))
	t.Setenv("USERPROFILE", filepath.FromSlash("/home/me"))
	describe := func(c *config.Config) (out []string) {
		for _, e := range c.Events() {
			secret, err := e.Secret.Reveal(func(name string) (string, bool) { return "value of " + name, true })
			if err != nil {
				t.Error(err)
			}
			out = append(out, fmt.Sprintf("%s|%v|%s|%s|%s", e.Name, e.On, strings.Join(e.Command, ","), e.Webhook, secret))
		}
		return out
	}
	list := "events:\n- on: [debate_ended]\n  command: [notify, --loud, 'a b']\n- {on: [person_needed, debate_started], webhook: 'https://h.example/x?y=z', secret: '${SIGN}'}\n"
	for range 9 {
		list += "- {on: [debate_ended], command: [~/bin/tell]}\n"
	}
	c, _ := load(t, sources(t, list, ""))
	got := describe(c)
	if want := []string{"1|[debate_ended]|notify,--loud,a b||", "2|[person_needed debate_started]||https://h.example/x?y=z|value of SIGN"}; !slices.Equal(got[:2], want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if last := got[10]; !strings.HasPrefix(last, "11|") || !strings.Contains(last, filepath.Join(string(filepath.Separator)+"home", "me", "bin", "tell")) {
		t.Errorf("the last of eleven: %q", last)
	}
	c, _ = load(t, sources(t, "events:\n  b: {on: [debate_ended], webhook: 'http://127.0.0.1:1/canary', secret: env:X}\n  a: {on: [debate_ended], command: [x]}", ""))
	if got := describe(c); !slices.Equal(got, []string{"a|[debate_ended]|x||", "b|[debate_ended]||http://127.0.0.1:1/canary|value of X"}) {
		t.Errorf("by name: %q", got)
	}
	if text := fmt.Sprintf("%v %+v", c.All(), c.Explain("events.b.webhook")); strings.Contains(text, "canary") || !strings.Contains(text, "http://127.0.0.1:1/…") {
		t.Errorf("a webhook is shown as %s", text)
	}
}

func TestEventsOfAProject(t *testing.T) {
	c, warnings := load(t, sources(t, "", "events: [{on: [debate_ended], command: [evil]}, {on: [debate_ended], webhook: 'https://evil'}]"))
	if len(c.Events()) > 0 || len(warnings) != 4 || !strings.Contains(warnings[0].String(), "a project may not set it") {
		t.Errorf("%v, %v", c.Events(), warnings)
	}
	c, _ = load(t, sources(t, "events: [{on: [debate_ended], command: [mine]}]", "events: [{on: [debate_started], command: [evil], webhook: 'https://evil'}]"))
	if got := c.Events(); len(got) != 1 || got[0].Command[0] != "mine" || got[0].On[0] != "debate_ended" || got[0].Webhook != "" {
		t.Errorf("%+v", got)
	}
}

func TestEventMistakes(t *testing.T) {
	for _, c := range []struct {
		text    string
		line    int
		message string
	}{
		{"events:\n- on: [debate_ended]\n  comand: [x]", 3, "unknown key events.1.comand (did you mean events.1.command?)"},
		{"events:\n- on: [debate_finished]\n  command: [x]", 2, `each entry must be debate_started, consensus_reached, person_needed, debate_ended, turn_done, permission_asked, run_started, task_done, task_failed, conflict or run_done, not "debate_finished"`},
		{"events:\n- command: [x]\n- on: [debate_ended]", 2, "events.1: has no events"},
		{"events:\n- on: []\n  command: [x]", 2, "has no events"},
		{"events:\n- {on: [debate_ended], command: [x]}\n- on: [debate_ended]", 3, "events.2: has no target"},
		{"events:\n- on: [debate_ended]\n  command: [x]\n  webhook: https://h", 2, "has both a command and a webhook"},
		{"events:\n- on: [debate_ended]\n  command: [x]\n  secret: env:X", 2, "only webhooks use"},
		{"events:\n- on: [debate_ended]\n  command: [./x]", 2, "must be a name or an absolute path"},
		{"events:\n- on: [debate_ended]\n  command: notify", 3, "must be a list"},
		{"events:\n- on: [debate_ended]\n  webhook: http://h.example/canary", 3, "must be an https URL, or http to this machine"},
		{"events:\n- on: [debate_ended]\n  webhook: http://127.0.0.1.example/canary", 3, "must be an https URL"},
		{"events:\n- on: [debate_ended]\n  webhook: https://me:canary@h", 3, "user or a password"},
		{"events:\n- on: [debate_ended]\n  webhook: file:///etc/canary", 3, "must be an https URL"},
		{"events:\n- on: [debate_ended]\n  webhook: https://h\n  secret: ${no name}", 4, "a variable name"},
		{"events:\n- debate_ended", 2, "events.1: must be a mapping"},
		{"events: yes", 1, "is a section"},
		{"providers:\n- base_url: https://h", 1, "is a section"},
	} {
		s := sources(t, c.text, "")
		_, _, err := config.Load(s)
		e, ok := errors.AsType[*config.Error](err)
		if !ok || e.File != s.UserFile || e.Line != c.line || !strings.Contains(e.Error(), c.message) || strings.Contains(e.Error(), "canary") {
			t.Errorf("%q: %v; want line %d, %s", c.text, err, c.line, c.message)
		}
	}
}

func TestSetBesideAListOfEvents(t *testing.T) {
	const text = "# whom to tell\nevents:\n  - on: [debate_ended]\n    command: [x] # loud\n"
	file := write(t, filepath.Join(t.TempDir(), "config.yaml"), text)
	if err := config.Set(file, "debate.rounds", "1"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(raw), text) {
		t.Errorf("%v:\n%s", err, raw)
	}
	if err := config.Set(file, "events.1.webhook", "https://h"); err == nil || !strings.Contains(err.Error(), "is a list") {
		t.Errorf("%v", err)
	}
	if err := config.Set(filepath.Join(t.TempDir(), "config.yaml"), "events.ci.webhook", "https://h"); err != nil {
		t.Error(err)
	}
}
