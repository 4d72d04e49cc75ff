package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/hook"
)

// TestMain lets hooks run this binary as their program: act DEED ARGUMENT…
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "act" {
		os.Exit(act(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func act(deed string, args []string) int {
	switch deed {
	case "say": // TEXT CODE COMPLAINT
		io.Copy(io.Discard, os.Stdin)
		fmt.Print(args[0])
		fmt.Fprint(os.Stderr, args[2])
		code := 0
		fmt.Sscan(args[1], &code)
		return code
	case "keep": // FILE: what it was told and what it sees
		in, _ := io.ReadAll(os.Stdin)
		if os.WriteFile(args[0], []byte(string(in)+strings.Join(os.Environ(), "\n")), 0o600) != nil {
			return 1
		}
	case "hang": // ADDRESS: the other end sees when it is gone
		if c, err := net.Dial("tcp", args[0]); err == nil {
			io.ReadAll(c)
		}
	case "deny-word": // WORD: denies arguments that hold it
		in, _ := io.ReadAll(os.Stdin)
		var said struct{ Args json.RawMessage }
		json.Unmarshal(in, &said)
		if strings.Contains(string(said.Args), args[0]) {
			fmt.Fprintln(os.Stderr, "it says "+args[0])
			return 2
		}
	case "wrap": // puts what it is told into one more layer
		in, _ := io.ReadAll(os.Stdin)
		var said struct{ Args json.RawMessage }
		json.Unmarshal(in, &said)
		fmt.Printf(`{"args": {"in": %s}}`, said.Args)
	}
	return 0
}

func program(t *testing.T, deed string, args ...string) hook.Hook {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return hook.Hook{Name: deed, On: []hook.Event{hook.BeforeTool}, Command: append([]string{self, "act", deed}, args...)}
}

func say(t *testing.T, text, code, complaint string) hook.Hook {
	return program(t, "say", text, code, complaint)
}

func guard(h hook.Hook) hook.Hook {
	h.Guard = true
	return h
}

var call = hook.Call{Tool: "bash", Args: json.RawMessage(`{"command":"ls"}`)}

func TestBefore(t *testing.T) {
	slow := program(t, "hang", listen(t))
	slow.Timeout = 50 * time.Millisecond
	gone := hook.Hook{Name: "gone", On: slow.On, Command: []string{"no-such-program-anywhere"}}
	stale := say(t, "", "0", "")
	stale.Still = func() error { return errors.New("it has changed") }
	for name, c := range map[string]struct {
		hooks                  []hook.Hook
		decision               hook.Decision
		reason, args, warnings string
	}{
		"none":                        {nil, "", "", "", ""},
		"says nothing":                {[]hook.Hook{say(t, "", "0", "noise")}, "", "", "", ""},
		"allows":                      {[]hook.Hook{say(t, `{"decision":"allow"}`, "0", "")}, "", "", "", ""},
		"asks":                        {[]hook.Hook{say(t, `{"decision":"ask","reason":"look \u001b[31mtwice"}`, "0", "")}, hook.Ask, "look twice", "", ""},
		"denies":                      {[]hook.Hook{say(t, `{"decision":"deny","reason":"no"}`, "0", "")}, hook.Deny, "no", "", ""},
		"denies by code":              {[]hook.Hook{say(t, "", "2", "not\nhere")}, hook.Deny, "not\nhere", "", ""},
		"allows and denies":           {[]hook.Hook{say(t, `{"decision":"allow","reason":"fine"}`, "2", "no")}, hook.Deny, "fine", "", ""},
		"denies and fails":            {[]hook.Hook{say(t, `{"decision":"deny"}`, "1", "")}, hook.Deny, "the hook say says so", "", ""},
		"deny beats allow and ask":    {[]hook.Hook{say(t, `{"decision":"ask"}`, "0", ""), say(t, `{"decision":"allow"}`, "0", ""), say(t, "", "2", "no")}, hook.Deny, "no", "", ""},
		"fails":                       {[]hook.Hook{say(t, "", "1", "oh\ndear")}, "", "", "", "the hook say gave no answer: it ended with 1: dear"},
		"a guard fails":               {[]hook.Hook{guard(say(t, "", "1", ""))}, hook.Deny, "the guard hook say gave no answer: it ended with 1", "", ""},
		"is slow":                     {[]hook.Hook{slow}, "", "", "", "the hook hang gave no answer: it took longer than 50ms"},
		"a guard is slow":             {[]hook.Hook{guard(slow)}, hook.Deny, "the guard hook hang gave no answer: it took longer than 50ms", "", ""},
		"is gone":                     {[]hook.Hook{gone}, "", "", "", "the hook gone gave no answer: no-such-program-anywhere does not exist or cannot be run"},
		"a guard is gone":             {[]hook.Hook{guard(gone)}, hook.Deny, "the guard hook gone gave no answer: no-such-program-anywhere does not exist or cannot be run", "", ""},
		"has changed":                 {[]hook.Hook{guard(stale)}, hook.Deny, "the guard hook say gave no answer: it has changed", "", ""},
		"broken JSON":                 {[]hook.Hook{guard(say(t, `{"decision":`, "0", ""))}, hook.Deny, "the guard hook say gave no answer: its answer is not a valid JSON object: unexpected EOF", "", ""},
		"a misspelt key":              {[]hook.Hook{guard(say(t, `{"decison":"deny"}`, "0", ""))}, hook.Deny, `the guard hook say gave no answer: its answer is not a valid JSON object: json: unknown field "decison"`, "", ""},
		"an unknown decision":         {[]hook.Hook{guard(say(t, `{"decision":"block"}`, "0", ""))}, hook.Deny, `the guard hook say gave no answer: its decision is "block" and not allow, ask or deny`, "", ""},
		"lines around it":             {[]hook.Hook{guard(say(t, "checking\n"+`{"decision":"allow"}`, "0", ""))}, hook.Deny, "the guard hook say gave no answer: its answer is not a valid JSON object: invalid character 'c' looking for beginning of value", "", ""},
		"two answers":                 {[]hook.Hook{guard(say(t, `{"decision":"allow"}{"decision":"deny"}`, "0", ""))}, hook.Deny, "the guard hook say gave no answer: its answer is not a valid JSON object: extra data after it", "", ""},
		"changes arguments":           {[]hook.Hook{say(t, `{"args":{"command":"ls -l"}}`, "0", "")}, "", "", `{"command":"ls -l"}`, ""},
		"the same arguments":          {[]hook.Hook{say(t, `{"args": {"command": "ls"}}`, "0", "")}, "", "", "", ""},
		"arguments of another kind":   {[]hook.Hook{guard(say(t, `{"args":["ls"]}`, "0", ""))}, hook.Deny, "the guard hook say gave no answer: the args it wrote are not a JSON object", "", ""},
		"a guard before a change":     {[]hook.Hook{guard(program(t, "deny-word", "evil")), say(t, `{"args":{"command":"evil"}}`, "0", "")}, hook.Deny, "it says evil", "", ""},
		"a change that grows":         {[]hook.Hook{program(t, "wrap")}, "", "", `{"in": {"command":"ls"}}`, ""},
		"changes that never end":      {[]hook.Hook{program(t, "wrap"), program(t, "wrap")}, hook.Deny, "hooks keep changing each other's arguments", "", ""},
		"another tool's":              {[]hook.Hook{tools(say(t, "", "2", ""), "edit", "mcp__*")}, "", "", "", ""},
		"by a glob":                   {[]hook.Hook{tools(say(t, "", "2", "no"), "edit", "b*")}, hook.Deny, "no", "", ""},
		"a failure hides no decision": {[]hook.Hook{gone, say(t, "", "2", "no")}, hook.Deny, "no", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := hook.Set{Hooks: c.hooks, Dir: t.TempDir()}.Before(t.Context(), call)
			if err != nil || a.Decision != c.decision || a.Reason != c.reason || string(a.Args) != c.args || strings.Join(a.Warnings, "\n") != c.warnings {
				t.Errorf("%v %+v\nargs %s", err, a, a.Args)
			}
		})
	}
}

func tools(h hook.Hook, names ...string) hook.Hook {
	h.Tools = names
	return h
}

// listen returns an address; the test does not end before whoever dialled it is gone.
func listen(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadAll(c) // ends when the process does
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-gone })
	return l.Addr().String()
}

func TestWhatAHookIsTold(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	file := filepath.Join(t.TempDir(), "told")
	h := program(t, "keep", file)
	h.On = hook.Events()
	dir := t.TempDir()
	set := hook.Set{Hooks: []hook.Hook{h}, Dir: dir, Session: "s1"}
	quoted, _ := json.Marshal(dir)
	for want, tell := range map[string]func() (hook.Answer, error){
		`{"event":"before_tool","hook":"keep","session":"s1","cwd":` + string(quoted) + `,"tool":"bash","args":{"command":"ls"}}`: func() (hook.Answer, error) { return set.Before(t.Context(), call) },
		`{"event":"after_tool","hook":"keep","session":"s1","cwd":` + string(quoted) + `,"tool":"bash","args":{"command":"ls"},"result":{"text":"a","failed":true}}`: func() (hook.Answer, error) {
			return set.After(t.Context(), call, hook.Result{Text: "a", Failed: true})
		},
		`{"event":"session_start","hook":"keep","session":"s1","cwd":` + string(quoted) + `}`:                 func() (hook.Answer, error) { return set.Start(t.Context()) },
		`{"event":"turn_done","hook":"keep","session":"s1","cwd":` + string(quoted) + `,"answer":"all done"}`: func() (hook.Answer, error) { return set.TurnDone(t.Context(), "all done") },
	} {
		if a, err := tell(); err != nil || len(a.Warnings) > 0 {
			t.Fatal(err, a)
		}
		raw, _ := os.ReadFile(file)
		lines := strings.Split(string(raw), "\n")
		if lines[0] != want {
			t.Errorf("it was told\n%s, want\n%s", lines[0], want)
		}
		if strings.Contains(string(raw), "canary") || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "SOCRATES_HOOK=") }) {
			t.Errorf("it saw %q", lines[1:])
		}
	}
}

func TestTelling(t *testing.T) {
	on := func(h hook.Hook, e hook.Event) hook.Hook {
		h.On = []hook.Event{e}
		return h
	}
	set := hook.Set{Dir: t.TempDir(), Hooks: []hook.Hook{
		on(say(t, "formatted a.go", "0", ""), hook.AfterTool), on(say(t, `{"context":"vet says no"}`, "0", ""), hook.AfterTool),
		on(say(t, "", "2", "tests fail"), hook.AfterTool), on(say(t, "", "3", "x"), hook.AfterTool), on(say(t, "", "2", "tests fail"), hook.TurnDone)}}
	a, err := set.After(t.Context(), call, hook.Result{})
	if err != nil || a.Context != "vet says no\ntests fail" || len(a.Warnings) != 1 || a.Decision != "" {
		t.Errorf("%v %+v", err, a)
	}
	if a, err := set.TurnDone(t.Context(), ""); err != nil || a.Decision != hook.Deny || a.Reason != "tests fail" || a.By != "say" {
		t.Errorf("%v %+v", err, a)
	}
}

func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		l.Accept()
		cancel()
	}()
	a, err := hook.Set{Hooks: []hook.Hook{program(t, "hang", l.Addr().String())}, Dir: t.TempDir()}.Before(ctx, call)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v %+v", err, a)
	}
}

func TestParse(t *testing.T) {
	h, err := hook.Parse("x", []byte(`{"on":["before_tool"],"command":["a","b"],"timeout":"5s","guard":true,"tools":["mcp__*"]}`))
	if err != nil || h.Timeout != 5*time.Second || !h.Guard || len(h.Command) != 2 {
		t.Errorf("%v %+v", err, h)
	}
	for text, want := range map[string]string{
		`{"command":["a"]}`:                                       "has no events",
		`{"on":["before_tool"]}`:                                  "has no command",
		`{"on":["sometimes"],"command":["a"]}`:                    `unknown event "sometimes"`,
		`{"on":["turn_done"],"command":["a"],"guard":true}`:       "guards run before tools",
		`{"on":["before_tool"],"command":["a"],"tools":["["]}`:    "neither a name nor a glob",
		`{"on":["turn_done"],"command":["a"],"tools":["bash"]}`:   "runs on none of",
		`{"on":["before_tool"],"command":["a"],"timeout":"soon"}`: "must be a duration",
		`{"on":["before_tool"],"command":["a"],"timeout":"1h"}`:   "needs a timeout between",
		`{"on":["before_tool"],"command":["a"],"matcher":"Bash"}`: `has "matcher"`,
		`{"on":["before_tool"],"command":"a; b"}`:                 "command of the hook x must not be a string",
	} {
		if _, err := hook.Parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
