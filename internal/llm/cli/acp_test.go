package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// shake is what an agent that speaks ACP says until a turn runs.
var shake = []string{`? "initialize"`, `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":false}}}}`,
	`? "session/new"`, `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1","modes":{"currentModeId":"default","availableModes":[{"id":"default"}]}}}`}

// turn is a turn in which an agent says lines, and ends well.
func turn(lines ...string) []string {
	out := append(slices.Clone(shake), `? "session/prompt"`)
	return append(append(out, lines...), `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`)
}

func update(kind, rest string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":%q,%s}}}`, kind, rest)
}

func piece(text string) string {
	return update("agent_message_chunk", fmt.Sprintf(`"content":{"type":"text","text":%q}`, text))
}

func TestWhatAnAgentSays(t *testing.T) {
	fine := piece("fine")
	ended := func(result string) []string {
		return append(slices.Clone(shake), "> ", fine, `< {"jsonrpc":"2.0","id":3,`+result+`}`)
	}
	for name, c := range map[string]struct {
		lines []string
		kind  trouble.Kind
		says  string // the answer, or in the error
	}{
		"answer":              {turn(fine), "", "fine"},
		"noise":               {turn("< Warning: noise", "< \x1b[2J\x1b[31m", "< {}", `< {"method":7}`, `< {"jsonrpc":"2.0","method":"session/update","params":[1]}`, fine), "", "fine"},
		"unknown news":        {turn(`< {"jsonrpc":"2.0","method":"_x/odd","params":{}}`, update("odd_update", `"x":1`), fine), "", "fine"},
		"another session":     {turn(strings.Replace(piece("not mine"), "s1", "s2", 1), fine), "", "fine"},
		"a block of no text":  {turn(update("agent_message_chunk", `"content":{"type":"image","data":"x"}`), fine), "", "fine"},
		"a long line":         {turn("! longer 2097152"), "", "xxx"},
		"a line without end":  {append(slices.Clone(shake), "> ", "! endless"), trouble.Malformed, "line of more than 64 MiB"},
		"broken JSON":         {append(slices.Clone(shake), "> ", `< {"jsonrpc":"2.0","id":3,"resu`), trouble.Malformed, "broken line"},
		"nothing said":        {turn(), trouble.Empty, ""},
		"acts and falls mute": {turn(piece("I shall look."), update("tool_call", `"toolCallId":"c1","title":"look","kind":"read"`)), trouble.Empty, ""},
		"refusal with words":  {ended(`"result":{"stopReason":"refusal"}`), "", "fine"},
		"too long":            {ended(`"result":{"stopReason":"max_tokens"}`), "", "fine"},
		"too many steps":      {ended(`"result":{"stopReason":"max_turn_requests"}`), trouble.Crash, "max_turn_requests"},
		"an odd end":          {ended(`"result":[]`), trouble.Malformed, "cannot be read"},
		"an error":            {ended(`"error":{"code":-32603,"message":"Internal error","data":{"error":"Error code: 429 - rate limit"}}`), trouble.RateLimit, "429"},
		"details":             {ended(`"error":{"code":-32603,"message":"Internal error","data":{"details":"insufficient_quota"}}`), trouble.Quota, "insufficient_quota"},
		"auth":                {ended(`"error":{"code":-32000,"message":"Authentication required"}`), trouble.Auth, "required"},
		"a code of HTTP":      {ended(`"error":{"code":429,"message":"Try again later."}`), trouble.RateLimit, "later"},
		"another version":     {[]string{"> ", `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}`}, trouble.Malformed, "version 2 of ACP, not 1"},
		"no session":          {append(slices.Clone(shake[:3]), `< {"jsonrpc":"2.0","id":2,"result":{}}`), trouble.Malformed, "without an id"},
		"dies at once":        {[]string{"! stderr \"no such model\\n\"", "! exit 3"}, trouble.Crash, "exit status 3: no such model before it answered initialize"},
		"leaves calmly":       {append(slices.Clone(shake), "> ", piece("half"), "! exit 0"), trouble.Crash, "exit status 0"},
		"a child keeps pipes": {append(slices.Clone(shake), "> ", piece("half"), "! child CHILD", "! exit 1"), trouble.Crash, "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			pid := filepath.Join(t.TempDir(), "pid")
			child := script(t, "! deaf", "! pid "+pid, "! hang")
			for i := range c.lines {
				c.lines[i] = strings.Replace(c.lines[i], "CHILD", child, 1)
			}
			m := acting(t, "kimi", script(t, append([]string{"! pid " + pid}, c.lines...)...), cli.Options{Home: t.TempDir(), Grace: 200 * time.Millisecond})
			h := listen(t.Context(), m, hi(""))
			if c.kind == "" {
				if h.err != nil || !strings.HasPrefix(h.end.Message.Text(), c.says) || strings.Contains(h.text, "mine") {
					t.Fatalf("got %.80q, %v", h.text, h.err)
				}
			} else if e := trouble.As(h.err); e == nil || e.Kind != c.kind || !strings.Contains(e.Message, c.says) {
				t.Fatalf("got %.80q and %v, want %s with %q", h.text, h.err, c.kind, c.says)
			}
			m.(io.Closer).Close()
			gone(t, pids(t, pid)...)
		})
	}
}

func TestAnAgentThatNeverBeginsIsGivenUp(t *testing.T) {
	t.Parallel()
	for step, c := range map[string]struct {
		lines    []string
		patience time.Duration // enough, on a busy machine, for the steps before
	}{"initialize": {[]string{"> ", "! hang"}, 100 * time.Millisecond}, "session/new": {[]string{shake[0], shake[1], "> ", "! hang"}, 5 * time.Second}} {
		m := acting(t, "kimi", script(t, c.lines...), cli.Options{Home: t.TempDir(), Handshake: c.patience, Grace: 50 * time.Millisecond})
		if e := trouble.As(listen(t.Context(), m, hi("")).err); e == nil || e.Kind != trouble.Stall || !strings.Contains(e.Message, "did not answer "+step) {
			t.Errorf("%s: got %v", step, e)
		}
	}
}

func TestAnAgentIsRefusedWhatItAsksFor(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(os.TempDir(), filepath.Join(dir, "out")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	const all = `[{"optionId":"a","kind":"allow_always"},{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]`
	quoted := func(name string) string { return fmt.Sprintf("%q", filepath.ToSlash(filepath.Join(dir, name))) }
	var lines []string
	for _, c := range []struct{ call, options, answer string }{
		{`"kind":"execute","title":"rm -rf /"`, all, `"optionId":"n"`},
		{`"kind":"edit","locations":[{"path":` + quoted("a") + `}]`, all, `"optionId":"n"`},
		{`"kind":"fetch","rawInput":{"url":"http://x"}`, all, `"optionId":"n"`},
		{`"kind":"think"`, all, `"optionId":"n"`},
		{`"kind":"never seen"`, all, `"optionId":"n"`},
		{`"title":"no kind at all"`, all, `"optionId":"n"`},
		{`"kind":"read","locations":[{"path":` + quoted("a") + `}]`, all, `"optionId":"y"`},
		{`"kind":"search","rawInput":{"pattern":"x","path":"sub"}`, all, `"optionId":"y"`},
		{`"kind":"read"`, all, `"optionId":"n"`},
		{`"kind":"read","locations":[{"path":"/etc/passwd"}]`, all, `"optionId":"n"`},
		{`"kind":"read","locations":[{"path":` + quoted("out/x") + `}]`, all, `"optionId":"n"`},
		{`"kind":"read","rawInput":{"path":"../../x"}`, all, `"optionId":"n"`},
		{`"kind":"read","rawInput":{"path":"~/.ssh/id_rsa"}`, all, `"optionId":"n"`},
		{`"kind":"search","locations":[{"path":` + quoted("a") + `}],"rawInput":{"path":"/etc"}`, all, `"optionId":"n"`},
		{`"kind":"execute"`, `[{"optionId":"y","kind":"allow_once"},{"optionId":"never","kind":"reject_always"}]`, `"optionId":"never"`},
		{`"kind":"execute"`, `[{"optionId":"y","kind":"allow_once"}]`, `"outcome":"cancelled"`},
		{`"kind":"execute"`, `[]`, `"outcome":"cancelled"`},
		{`"kind":7`, `8`, `"outcome":"cancelled"`},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.call, "/etc") {
			continue // is not absolute there
		}
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":"r","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c",%s},"options":%s}}`,
			c.call, c.options), "? "+c.answer)
	}
	for _, method := range []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "craft/drainMidTurnQueue"} {
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":0,"method":%q,"params":{"sessionId":"s1","path":"/etc/passwd"}}`, method), "? -32601")
	}
	req := hi("")
	req.Dir = dir
	h := listen(t.Context(), acting(t, "kimi", script(t, turn(append(lines, piece("fine"))...)...), cli.Options{Home: t.TempDir()}), req)
	if h.err != nil || h.end.Message.Text() != "fine" {
		t.Fatalf("got %q, %v", h.text, h.err)
	}
	if h.end.Usage != (cost.Usage{}) {
		t.Errorf("an agent that counts nothing used %+v", h.end.Usage)
	}
}

func TestASessionOfAnAgent(t *testing.T) {
	lines := append(slices.Clone(shake[:3]), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}`)
	lines[1] = `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"id":"browser"},{"id":"cached_token"}]}}`
	lines = append(lines, `? "methodId":"cached_token"`, `< {"jsonrpc":"2.0","id":3,"result":{}}`,
		`? "session/new"`, `< {"jsonrpc":"2.0","id":4,"result":{"sessionId":"s1","configOptions":[{"id":"model","currentValue":"m1"},{"id":"mode","currentValue":"u#agent","options":[{"value":"u#agent"},{"value":"u#plan"}]}]}}`,
		`? "value":"u#plan"`, `< {"jsonrpc":"2.0","id":5,"result":{}}`,
		`? instructions for the whole conversation:\n\nBe brief.\n\nThe instructions end here. The first message follows.\n\nlook at (at)/etc/passwd`,
		update("agent_thought_chunk", `"content":{"type":"text","text":"hm"}`), piece("I shall look."),
		update("tool_call", `"toolCallId":"c1","title":"look","kind":"read","status":"pending"`), piece("I "), piece("saw."),
		update("usage_update", `"cost":{"amount":0.5,"currency":"USD"}`),
		`< {"jsonrpc":"2.0","id":6,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":2,"totalTokens":12,"cachedReadTokens":4}}}`,
		`? "text":"The message begins on the next line.\n/cost"`, piece("more"), update("usage_update", `"cost":{"amount":0.75,"currency":"USD"}`),
		`< {"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":2,"totalTokens":16,"cachedReadTokens":4}}}`)
	m := acting(t, "kimi", script(t, lines...), cli.Options{Home: t.TempDir()})
	req := llm.Request{System: "Be brief.", Session: "one", Messages: []llm.Message{llm.UserText("look at @/etc/passwd")}}
	h := listen(t.Context(), m, req)
	if h.err != nil || h.text != "I shall look.\n\nI saw." || h.end.Message.Text() != "I saw." || h.think != "hm" || len(h.notes) != 1 || h.end.Model != "m1" {
		t.Fatalf("got %+v", h)
	}
	if want := (cost.Usage{Input: 6, CacheRead: 4, Output: 2, USD: 0.5, Source: cost.Provider}); h.end.Usage != want {
		t.Errorf("used %+v, want %+v", h.end.Usage, want)
	}
	h = listen(t.Context(), m, next(req, h.end, "/cost"))
	if h.err != nil || h.text != "more" {
		t.Fatalf("second turn: %q, %v", h.text, h.err)
	}
	if want := (cost.Usage{Input: 10, CacheRead: 4, Output: 2, USD: 0.25, Source: cost.Provider}); h.end.Usage != want {
		t.Errorf("the second turn used %+v, want %+v", h.end.Usage, want)
	}
}

// What a program tells of its tries on stderr is heard, and one too many ends the turn.
func TestTriesToldOnStderrAreBounded(t *testing.T) {
	lines := append(slices.Clone(shake), "> ")
	for i := range 3 {
		lines = append(lines, fmt.Sprintf(`! stderr "[now] [WARN] Attempt %d failed with status 429. Retrying with backoff...\n"`, i+1))
	}
	h := listen(t.Context(), acting(t, "gemini", script(t, append(lines, "! hang")...), cli.Options{Home: t.TempDir()}), hi(""))
	if e := trouble.As(h.err); len(h.retries) != 2 || e == nil || e.Kind != trouble.RateLimit || e.Status != 429 {
		t.Fatalf("%d retries told, then %v", len(h.retries), h.err)
	}
}

func TestABrokenOffTurnOfAnAgent(t *testing.T) {
	lines := append(slices.Clone(shake), "> ", piece("one two"), `? "session/cancel"`, `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`,
		`? "go on"`, piece("more"), `< {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`)
	m := acting(t, "kimi", script(t, lines...), cli.Options{Home: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := hi("one")
	for d := range m.Stream(ctx, req) {
		if d.Text != "" {
			cancel()
		}
	}
	req.Messages = append(req.Messages, llm.AssistantText("one two"), llm.UserText("go on"))
	if h := listen(t.Context(), m, req); h.err != nil || h.text != "more" {
		t.Fatalf("got %q, %v", h.text, h.err)
	}
}

func TestKimiThatAsksNothingIsNotSeated(t *testing.T) {
	home := t.TempDir()
	os.WriteFile(filepath.Join(home, "config.toml"), []byte("default_model = \"m\"\ndefault_yolo = true\n"), 0o600)
	h := listen(t.Context(), acting(t, "kimi", script(t, turn(piece("fine"))...), cli.Options{Home: home}), hi(""))
	if e := trouble.As(h.err); e == nil || e.Kind != trouble.BadRequest || !strings.Contains(e.Message, "default_yolo") {
		t.Fatalf("got %q, %v", h.text, h.err)
	}
}

func TestAnyCommandCanBeAnAgent(t *testing.T) {
	t.Setenv("MY_AGENT_URL", "u")
	t.Setenv("OTHER_AGENT_URL", "secret")
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv("ANTHROPIC_BASE_URL", "a") // a gateway
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "g")
	file := filepath.Join(t.TempDir(), "told")
	self, _ := os.Executable()
	argv := []string{"/opt/my-agent.sh", "acp", "a b"}
	p := cli.Agent(argv)
	if p.Name != "my-agent" || p.Lineage != "my-agent" || p.Command() != argv[0] {
		t.Errorf("%s of %s, started by %s", p.Name, p.Lineage, p.Command())
	}
	m := p.New(cli.Options{Bin: self, Env: []string{"SEAT_PLAY=" + script(t, append([]string{"! tell " + file}, turn(piece("fine"))...)...)}})
	defer m.(io.Closer).Close()
	if h := listen(t.Context(), m, hi("")); h.err != nil || !m.Info().Acts {
		t.Fatal(h.err)
	}
	raw, _ := os.ReadFile(file)
	for s, want := range map[string]bool{"acp\na b\n": true, "MY_AGENT_URL=u": true, "OPENAI_API_KEY=k": true, "ANTHROPIC_BASE_URL=a": true, "GOOGLE_GEMINI_BASE_URL=g": true, "OTHER_AGENT_URL": false} {
		if strings.Contains(string(raw), s) != want {
			t.Errorf("told %q: %t, want %t", s, !want, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string]string{
		`goose acp`:              `goose|acp`,
		`  a   b  `:              `a|b`,
		`"a b" 'c d' e" "f`:      `a b|c d|e f`,
		`a\ b \"c\" \\d`:         `a b|"c"|\d`,
		`'a\ b' "a\"b"`:          `a\ b|a"b`,
		`C:\x\agent.exe --acp`:   `C:\x\agent.exe|--acp`,
		`sh -c "$(rm -rf /)"; x`: `sh|-c|$(rm -rf /);|x`,
		`a "" b`:                 `a||b`,
		`"open`:                  `error: a quote is not closed`,
		` `:                      `error: the command is missing`,
		`""`:                     `error: the command is missing`,
	} {
		words, err := cli.Split(line)
		got := strings.Join(words, "|")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
