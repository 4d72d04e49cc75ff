package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// write puts a script into a new folder, beside a file named answer.json.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{"stubborn.yaml": text, "answer.json": `{"from": "a file"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "stubborn.yaml")
}

func load(t *testing.T, text string) llm.Model {
	t.Helper()
	m, err := script.Load(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	blind  = "<question>\nPool or writer?\n</question>\n<options>\nA: a  Pool\nB: one writer\n</options>\n<task>\nvote\n</task>\n"
	verify = "<evidence>\n{\"item\":1}\n</evidence>\n<task>\njudge\n</task>\n"
	cross  = "<question>\nq\n</question>\n<options>\nA: one writer\nB: a pool\n</options>\n<ledger>\n" +
		`{"id":"c10","peer":"Peer A"}` + "\n" + `{"id":"c3","peer":"you"}` + "\n" + `{"id":"c2","peer":"Peer B"}` + "\n</ledger>\n<task>\nargue\n</task>\n"
	propose = "<question>\nq\n</question>\n<task>\nname them\n</task>\n"
)

// answer asks with messages and returns the text, or the kind of failure in angle brackets after what had come.
func answer(t *testing.T, m llm.Model, messages ...llm.Message) string {
	t.Helper()
	var text strings.Builder
	for d, err := range m.Stream(t.Context(), llm.Request{Messages: messages}) {
		if err != nil {
			return text.String() + "<" + string(trouble.As(err).Kind) + ">"
		}
		text.WriteString(d.Text)
	}
	return text.String()
}

func TestRules(t *testing.T) {
	for name, tc := range map[string]struct{ rules, prompt, want string }{
		"by act":               {"[{act: blind, reply: b}, {act: cross, reply: c}, {act: verify, reply: v}, {act: propose, reply: p}]", verify, "v"},
		"cross is not blind":   {"[{act: blind, reply: b}, {act: cross, reply: c}]", cross, "c"},
		"propose":              {"[{act: blind, reply: b}, {act: propose, reply: p}]", propose, "p"},
		"any fits all":         {"[{act: any, reply: a}]", blind, "a"},
		"the first that fits":  {"[{contains: Writer, reply: no}, {contains: one writer, reply: yes}, {reply: late}]", blind, "yes"},
		"no rule fits":         {"[{act: verify, reply: v}]", "Hello", "<bad-request>"},
		"a chat":               {"[{reply: hello}]", "Hello", "hello"},
		"a file":               {"[{reply_file: answer.json}]", blind, `{"from": "a file"}`},
		"option":               {`[{reply: '{{option "a pool"}} {{option "One Writer"}}'}]`, blind, "A B"},
		"option of this seat":  {`[{reply: '{{option "a pool"}}'}]`, cross, "B"},
		"option that is none":  {`[{reply: '{{option "x"}}'}]`, cross, "<bad-request>"},
		"claims of others":     {`[{reply: '[{{claims}}] {{claim 1}} {{claim 2}}'}]`, cross, `["c2", "c10"] c2 c10`},
		"no claims are shown":  {`[{reply: '[{{claims}}]'}]`, blind, "[]"},
		"claim that is none":   {`[{reply: '{{claim 3}}'}]`, cross, "<bad-request>"},
		"error":                {"[{error: auth}]", blind, "<auth>"},
		"error after so much":  {"[{error: overloaded, cut: 3, reply: 'abcdef'}]", blind, "abc<overloaded>"},
		"cut":                  {"[{cut: 4, reply: 'abcdef'}]", blind, "abcd<network>"},
		"cut in a letter":      {"[{cut: 3, reply: 'aöö'}]", blind, "aö<network>"},
		"cut beyond the reply": {"[{cut: 9, reply: 'ab'}]", blind, "ab<network>"},
		"empty":                {"[{error: empty}]", blind, "<empty>"},
	} {
		if got := answer(t, load(t, "rules: "+tc.rules), llm.UserText(tc.prompt)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestTimesAndRepairs(t *testing.T) {
	m := load(t, "rules: [{act: blind, times: 1, reply: nonsense}, {act: blind, reply: better}]")
	first := answer(t, m, llm.UserText(blind))
	repaired := answer(t, m, llm.UserText(blind), llm.AssistantText(first), llm.UserText("Your reply cannot be used."))
	if first != "nonsense" || repaired != "better" {
		t.Errorf("%q, then %q", first, repaired)
	}
}

func TestCallsComeFirst(t *testing.T) {
	m := load(t, "rules: [{times: 1, calls: [{tool: grep, args: {pattern: writer}}, {tool: ls}], reply: done}]")
	end, err := llm.Collect(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText(blind)}}))
	if err != nil {
		t.Fatal(err)
	}
	calls := end.Message.Calls()
	if end.Stop != llm.StopTools || len(calls) != 2 || calls[0].Name != "grep" || string(calls[0].Args) != `{"pattern":"writer"}` || string(calls[1].Args) != "{}" {
		t.Fatalf("%+v", end)
	}
	results := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Result{ID: calls[0].ID}, llm.Result{ID: calls[1].ID}}}
	if got := answer(t, m, llm.UserText(blind), end.Message, results); got != "done" {
		t.Errorf("after the results: %q", got)
	}
	if got := answer(t, m, llm.UserText(blind)); got != "<bad-request>" {
		t.Errorf("the rule was used up, yet %q", got)
	}
}

func TestInfoAndUsage(t *testing.T) {
	m := load(t, "info: {tier: big, window: 8000, acts: true, price: {input: 2, output: 10}}\nrules: [{act: blind, reply: x, usage: {input: 1000000, output: 100000}}, {reply: "+strings.Repeat("long ", 40)+"}]")
	want := llm.Info{ID: "stubborn", Lineage: "stubborn", Tier: llm.Big, Window: 8000, Acts: true, Price: cost.Price{Input: 2, Output: 10, Known: true}}
	if m.Info() != want {
		t.Errorf("%+v, want %+v", m.Info(), want)
	}
	end, err := llm.Collect(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText(blind)}}))
	if err != nil || end.Usage.USD != 3 || end.Usage.Source != cost.Table {
		t.Errorf("%+v, %v", end.Usage, err)
	}
	pieces := 0
	for d, err := range m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText(verify)}}) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			pieces++
		}
		if d.End != nil && (d.End.Usage.Input != len(verify)/4 || d.End.Usage.Output != 49) {
			t.Errorf("estimated %+v", d.End.Usage)
		}
	}
	if pieces < 3 {
		t.Errorf("the reply came in %d pieces", pieces)
	}
}

func TestFaultsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := script.New(llm.Info{ID: "s"}, script.Rule{Contains: "slow", DelayMS: 3000, Reply: "at last"},
			script.Rule{Contains: "paced", PaceMS: 5, Piece: 3, Reply: "one by one"},
			script.Rule{Contains: "limit", Times: 1, Error: trouble.RateLimit, RetryAfterMS: 20_000}, script.Rule{Contains: "stall", Cut: 2, Reply: "well", Error: trouble.Stall}, script.Rule{Reply: "fine"})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got := answer(t, m, llm.UserText("slow")); got != "at last" || time.Since(start) != 3*time.Second {
			t.Errorf("%q after %v", got, time.Since(start))
		}
		start = time.Now()
		if got := answer(t, m, llm.UserText("paced")); got != "one by one" || time.Since(start) != 4*5*time.Millisecond {
			t.Errorf("%q after %v", got, time.Since(start))
		}
		start = time.Now()
		if got := answer(t, retry.Guard(m, retry.Patience{}), llm.UserText("limit")); got != "fine" || time.Since(start) != 20*time.Second {
			t.Errorf("%q after %v", got, time.Since(start))
		}
		for _, text := range []string{"slow", "stall"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := llm.Collect(m.Stream(ctx, llm.Request{Messages: []llm.Message{llm.UserText(text)}})); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", text, err)
			}
			cancel()
		}
		if got := answer(t, retry.Guard(m, retry.Patience{Idle: time.Minute}), llm.UserText("stall")); got != "wewewewe<stall>" { // every try is told of
			t.Errorf("%q", got)
		}
	})
}

func TestMistakesNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"rules:\n  - reply: x\n  - rply: y\n":                         "line 3: field rply not found",
		"info: {colour: red}\nrules: [{reply: x}]":                    "line 1: field colour not found",
		"rules:\n  - reply: x\n\n  - act: vote\n    reply: x":         `line 4: act is "vote"`,
		"rules:\n  - error: tired":                                    `line 2: error is "tired"`,
		"rules:\n  - act: blind":                                      "line 2: it needs reply",
		"rules:\n  - reply: 'a {{clam 1}}'":                           "line 2: unknown placeholder {{clam 1}}",
		"rules:\n  - {reply: x, reply_file: answer.json}":             "line 2: it has both",
		"rules:\n  - reply_file: nowhere.json":                        "line 2: read reply_file",
		"rules:\n  - {reply: x, times: -1}":                           "line 2: times, delay_ms, pace_ms, piece, cut and retry_after_ms must not be negative",
		"rules:\n  - {reply: x, retry_after_ms: 5}":                   "line 2: retry_after_ms",
		"rules:\n  - {error: auth, cut: 5}":                           "line 2: cut needs",
		"rules:\n  - {reply: x, calls: [{args: {}}]}":                 "line 2: a call names no tool",
		"rules:\n  - {reply: x, steps: [[{tool: ls}, {args: {}}]]}":   "line 2: a call names no tool",
		"rules:\n  - {reply: x, calls: [{tool: t, args: {n: .nan}}]}": "line 2: the arguments of t",
		"info: {price: {input: .nan}}\nrules: [{reply: x}]":           "line 1: price must be numbers, not negative",
		"info: {price: {output: -1}}\nrules: [{reply: x}]":            "line 1: price must be numbers, not negative",
		"rules:\n  - {reply: x, usage: {usd: .nan}}":                  "line 2: usage must be numbers, not negative",
		"rules:\n  - {reply: x, usage: {usd: .inf}}":                  "line 2: usage must be numbers, not negative",
		"rules:\n  - {reply: x, usage: {cache_read: -1}}":             "line 2: usage must be numbers, not negative",
		"rules:\n  - {reply: x, delay_ms: soon}":                      "line 2: cannot unmarshal",
		"\n\ninfo: {tier: huge}\nrules: [{reply: x}]":                 `line 3: tier is "huge"`,
		"":                                      "no rules",
		"rules: [{reply: x}]\n---\nrules: []\n": "more than one document",
		"rules: [{reply: x}]\nrules: [{reply: x}]": "line 2: mapping key",
	} {
		_, err := script.Load(write(t, text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "script.") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := script.Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a script that is not there: %v", err)
	}
}
