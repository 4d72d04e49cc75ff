package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

const result = `< {"is_error":false,"result":"fine","subtype":"success","usage":{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":5},"total_cost_usd":0.5,"type":"result"}`

func hi(session string) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.UserText("hi")}, Session: session}
}

func next(req llm.Request, end *llm.End, text string) llm.Request {
	req.Messages = append(append([]llm.Message(nil), req.Messages...), end.Message, llm.UserText(text))
	return req
}

func TestWhatAProgramSays(t *testing.T) {
	broken := `< {"type":"result","is_er`
	for name, c := range map[string]struct {
		lines []string
		kind  trouble.Kind
		says  string // in the answer or in the error
	}{
		"answer":                    {[]string{"> ", result}, "", "fine"},
		"noise and unknown types":   {[]string{"> ", "< Warning: noise", `< {"type":"news","message":"odd"}`, `< {"type":"stream_event","event":7}`, result}, "", "fine"},
		"a line of 2 MiB":           {[]string{"> ", "! long 2097152", result}, "", "fine"},
		"a line without end":        {[]string{"> ", "! endless"}, trouble.Malformed, "line of more than 64 MiB"},
		"broken JSON":               {[]string{"> ", broken}, trouble.Malformed, "broken line"},
		"error in a success":        {[]string{"> ", `< {"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: Overloaded"}`}, trouble.Overloaded, "Overloaded"},
		"error text as the answer":  {[]string{"> ", `< {"type":"result","subtype":"success","is_error":false,"result":"API Error: 500 boom"}`}, trouble.Overloaded, "boom"},
		"synthetic answer":          {[]string{"> ", `< {"type":"assistant","message":{"model":"<synthetic>","content":[]}}`, `< {"type":"result","subtype":"success","result":"Credit balance is too low"}`}, trouble.Quota, "Credit balance"},
		"failed with no word":       {[]string{"> ", `< {"type":"result","subtype":"error_during_execution","is_error":false,"result":"half an answer"}`}, trouble.BadRequest, "half"},
		"success with no text":      {[]string{"> ", `< {"type":"result","subtype":"success","result":" \n"}`}, trouble.Empty, ""},
		"death in mid answer":       {[]string{"> ", `! stderr "\x1b[31mout of\x07 luck\x1b[0m\n"`, "! exit 7"}, trouble.Crash, "exit status 7: out of luck"},
		"death before anything":     {[]string{"! exit 1"}, trouble.Crash, "exit status 1"},
		"a calm end without answer": {[]string{"> ", "! exit 0"}, trouble.Crash, "exit status 0"},
		"no login":                  {[]string{"> ", `! stderr "Not logged in · Please run /login"`, "! exit 1"}, trouble.Auth, "/login"},
		"a permission is asked":     {[]string{"> ", `< {"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool"}}`, `? "subtype":"error"`, result}, "", "fine"},
	} {
		t.Run(name, func(t *testing.T) {
			pid := filepath.Join(t.TempDir(), "pid")
			m := acting(t, "claude", script(t, append([]string{"! pid " + pid}, c.lines...)...), cli.Options{})
			h := listen(t.Context(), m, hi(""))
			if c.kind == "" {
				if h.err != nil || h.end.Message.Text() != c.says || !strings.HasSuffix(h.text, c.says) && !strings.HasPrefix(h.text, "xxx") {
					t.Fatalf("got %.80q, %v", h.text, h.err)
				}
			} else if e := trouble.As(h.err); e == nil || e.Kind != c.kind || !strings.Contains(e.Message, c.says) {
				t.Fatalf("got %.80q and %v, want %s with %q", h.text, h.err, c.kind, c.says)
			}
			gone(t, pids(t, pid)...)
		})
	}
}

func TestOnlyWhatIsNewIsSaid(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	lines := []string{"! pid " + pid, `? "text":"hi"`, result, `? "text":"more"`, strings.Replace(result, "0.5", "0.7", 1), `> `, result}
	m := acting(t, "claude", script(t, lines...), cli.Options{})
	req := hi("one")
	first := listen(t.Context(), m, req)
	if first.err != nil {
		t.Fatal(first.err)
	}
	req = next(req, first.end, "more")
	second := listen(t.Context(), m, req)
	if second.err != nil {
		t.Fatal(second.err)
	}
	want := cost.Usage{Input: 3, Output: 2, CacheRead: 5, USD: second.end.Usage.USD, Source: cost.Provider}
	if u := second.end.Usage; u != want || u.USD < 0.19 || u.USD > 0.21 {
		t.Errorf("second turn used %+v, want what it added: $0.2", u)
	}
	if n := pids(t, pid); len(n) != 1 {
		t.Fatalf("%d processes for two turns of one session", len(n))
	}
	for name, change := range map[string]func(*llm.Request){
		"another session":   func(r *llm.Request) { r.Session = "two" },
		"another system":    func(r *llm.Request) { r.System = "be brief" },
		"a changed history": func(r *llm.Request) { r.Messages = []llm.Message{llm.UserText("no"), llm.UserText("hi")} },
	} {
		other := next(req, second.end, "again")
		change(&other)
		before := len(pids(t, pid))
		listen(t.Context(), m, other) // the script does not expect this text, which is not what is tested
		if len(pids(t, pid)) != before+1 {
			t.Errorf("%s: no new process", name)
		}
	}
	m.(io.Closer).Close()
	gone(t, pids(t, pid)...)
	if e := trouble.As(listen(t.Context(), m, hi("one")).err); e == nil || e.Kind != trouble.Crash {
		t.Errorf("a closed model answered with %v", e)
	}
}

func TestAColdProcessIsToldTheHistory(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{llm.UserText("</message> trick"), llm.AssistantText("no"), llm.UserText("go on")}}
	want := `\u003cmessage-2 from=\"user\"\u003e\n\u003c/message\u003e trick\n\u003c/message-2\u003e\n\u003cmessage-2 from=\"assistant\"\u003e\nno`
	m := acting(t, "claude", script(t, "? "+want, result), cli.Options{})
	if h := listen(t.Context(), m, req); h.err != nil {
		t.Fatal(h.err)
	}
}

func TestCallsOfOneSessionTakeTurns(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	m := acting(t, "claude", script(t, "! pid "+pid, "> ", result), cli.Options{})
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if h := listen(t.Context(), m, hi("one")); h.err != nil {
				t.Error(h.err)
			}
		})
	}
	calls.Wait()
	n := pids(t, pid)
	gone(t, n[:len(n)-1]...) // each call repeats the history, so each needs a process of its own, after the last one's end
}

func TestNothingIsLeftBehind(t *testing.T) {
	for name, lines := range map[string][]string{
		"silent":                           {"> ", "! hang"},
		"not reading":                      {"! hang"},
		"deaf to TERM":                     {"! deaf", "> ", "! hang"},
		"with a deaf child":                {"! child CHILD", "> ", "! hang"},
		"dead, with its child":             {"! child CHILD", "> ", "! exit 1"},
		"with a child that left the group": {"! leaver CHILD", "> ", "! hang"},
		"dead, with a child that left":     {"! leaver CHILD", "! await UP", "> ", "! exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(name, "TERM") {
				t.Skip("there is no TERM")
			}
			if _, err := exec.LookPath("setsid"); strings.Contains(name, "left") && (runtime.GOOS != "linux" || err != nil) {
				t.Skip("elsewhere it is not found, or cannot leave")
			}
			pid, up := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "up")
			child := script(t, "! deaf", "! pid "+pid, "! pid "+up, `< {"type":"child"}`, "! hang")
			for i := range lines {
				lines[i] = strings.NewReplacer("CHILD", child, "UP", up).Replace(lines[i])
			}
			script := script(t, append([]string{"! pid " + pid, `< {"type":"up"}`}, lines...)...)
			m := acting(t, "claude", script, cli.Options{Grace: 100 * time.Millisecond})
			ctx, cancel := context.WithCancel(t.Context())
			want := 1
			if strings.Contains(name, "child") {
				want = 2
			}
			if name != "dead, with its child" {
				go func() { // once all are up
					for raw := ""; strings.Count(raw, "\n") < want && ctx.Err() == nil; <-time.After(time.Millisecond) {
						b, _ := os.ReadFile(pid)
						raw = string(b)
					}
					cancel()
				}()
			}
			h := listen(ctx, m, hi("one"))
			if ctx.Err() != nil && !errors.Is(h.err, context.Canceled) || h.err == nil {
				t.Errorf("ended with %v", h.err)
			}
			cancel()
			gone(t, pids(t, pid)...)
		})
	}
}

func TestAStalledProgramIsGivenUp(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	for idle := 200 * time.Millisecond; ; idle *= 3 {
		m := acting(t, "claude", script(t, "! pid "+pid, "> ", `< {"type":"system"}`, "! hang"), cli.Options{Grace: 50 * time.Millisecond})
		h := listen(t.Context(), retry.Guard(m, retry.Patience{Tries: 1, Idle: idle}), hi("one"))
		if e := trouble.As(h.err); e == nil || e.Kind != trouble.Stall {
			t.Fatalf("got %v", h.err)
		}
		if _, err := os.Stat(pid); err == nil { // else it was given up before it had come up, on a busy machine
			break
		}
	}
	gone(t, pids(t, pid)...)
}

func TestAnUnusedProcessEnds(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	m := acting(t, "claude", script(t, "! pid "+pid, "> ", result), cli.Options{Keep: 20 * time.Millisecond})
	if h := listen(t.Context(), m, hi("one")); h.err != nil {
		t.Fatal(h.err)
	}
	gone(t, pids(t, pid)...)
}

func TestAProgramDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a program ends when it reads the end of its input, or with its job")
	}
	pid := filepath.Join(t.TempDir(), "pid")
	self, _ := os.Executable()
	c := exec.Command(self)
	c.Env = append(os.Environ(), "SEAT_PARENT="+script(t, "! deaf", "! pid "+pid, "! hang"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for raw := []byte(nil); len(raw) == 0; <-time.After(time.Millisecond) {
		raw, _ = os.ReadFile(pid)
	}
	c.Process.Kill()
	c.Wait()
	gone(t, pids(t, pid)...)
}

func TestRetriesAreToldAndBounded(t *testing.T) {
	lines := []string{"> "}
	for i := range 9 {
		lines = append(lines, fmt.Sprintf(`< {"type":"system","subtype":"api_retry","attempt":%d,"retry_delay_ms":500,"error_status":529,"error":"overloaded"}`, i+1))
	}
	h := listen(t.Context(), acting(t, "claude", script(t, append(lines, result)...), cli.Options{}), hi(""))
	if e := trouble.As(h.err); len(h.retries) != 2 || e == nil || e.Kind != trouble.Overloaded || e.Status != 529 {
		t.Fatalf("%d retries told, then %v", len(h.retries), h.err)
	}
	if r := h.retries[1]; r.Attempt != 2 || r.Wait != 500*time.Millisecond {
		t.Errorf("second retry: %+v", r)
	}
}

func TestWhatAProgramIsStartedWith(t *testing.T) {
	for name, value := range map[string]string{"GITHUB_TOKEN": "s", "AWS_SECRET_ACCESS_KEY": "s", "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli",
		"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/c", "ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "MY_KEY": "m"} {
		t.Setenv(name, value)
	}
	for _, c := range []struct {
		name, dir  string
		has, hides []string
	}{
		{"claude", "d", []string{"--permission-mode\ndontAsk", "--tools\nRead,Grep,Glob\n", "--model\nm1", "ANTHROPIC_API_KEY=a", "CLAUDE_CODE_EFFORT_LEVEL=high",
			"CLAUDE_CODE_MAX_RETRIES=2", "TERM=dumb"}, []string{"GITHUB_TOKEN", "AWS_SECRET", "CLAUDECODE=", "ENTRYPOINT", "OPENAI_API_KEY", "MY_KEY"}},
		{"claude", "", []string{"--tools\n\n"}, []string{"Read,Grep"}},
		{"codex", "d", []string{"app-server", "OPENAI_API_KEY=o", "MY_KEY=m", "features.apps=false"}, []string{"GITHUB_TOKEN", "AWS_SECRET", "ANTHROPIC", "shell_tool"}},
		{"codex", "", []string{"features.shell_tool=false"}, nil},
	} {
		file, home, dir := filepath.Join(t.TempDir(), "told"), filepath.Join(t.TempDir(), "home"), c.dir
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(home, "config.toml"), []byte("[model_providers.x]\nenv_key = \"MY_KEY\"\n"), 0o600)
		if dir != "" {
			dir = t.TempDir()
		}
		m := acting(t, c.name, script(t, "! tell "+file, "! exit 1"), cli.Options{Home: home, Model: "m1", Effort: "high"})
		req := hi("")
		req.Dir = dir
		listen(t.Context(), m, req)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		told := string(raw)
		for _, s := range append(c.has, "cwd="+dir, "="+home) {
			if !strings.Contains(told, s) {
				t.Errorf("%s in %q is not told %q:\n%s", c.name, c.dir, s, told)
			}
		}
		for _, s := range append(c.hides, "bypass", "dangerous", "danger-full", "skip-permissions", "yolo", "workspace-write", "never-ask") {
			if strings.Contains(told, s) {
				t.Errorf("%s in %q is told %q", c.name, c.dir, s)
			}
		}
	}
}

func TestKeysAreNotInErrors(t *testing.T) {
	m := acting(t, "claude", script(t, "> ", `! stderr "bad key sk-very-secret here"`, "! exit 1"), cli.Options{Env: []string{"ANTHROPIC_API_KEY=sk-very-secret"}})
	h := listen(t.Context(), m, hi(""))
	if h.err == nil || strings.Contains(h.err.Error(), "very-secret") || !strings.Contains(h.err.Error(), "bad key") {
		t.Fatalf("got %v", h.err)
	}
}

func TestAPrivateHomeIsPrivate(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a", "home")
	listen(t.Context(), acting(t, "claude", script(t, "> ", result), cli.Options{Home: home}), hi(""))
	if info, err := os.Stat(home); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
}

// begun is what codex says until a turn runs.
var begun = []string{"? initialize", `< {"id":1,"result":{}}`, "? initialized", "? config/read",
	`< {"id":2,"result":{"config":{"mcp_servers":{"mine":{"command":"x"}}}}}`, `? "mcp_servers":{"mine":{"enabled":false}}`,
	`< {"id":3,"result":{"model":"m2","thread":{"id":"t1"}}}`, "? turn/start", `< {"id":4,"result":{"turn":{"id":"u1"}}}`}

func TestCodexIsRefusedWhatItAsksFor(t *testing.T) {
	lines := begun
	for method, answer := range map[string]string{
		"item/commandExecution/requestApproval": `"decision":"decline"`,
		"item/fileChange/requestApproval":       `"decision":"decline"`,
		"execCommandApproval":                   `"denied"`,
		"item/permissions/requestApproval":      `"permissions":{}`,
		"mcpServer/elicitation/request":         `"action":"decline"`,
		"item/tool/call":                        `-32601`,
		"something/new":                         `-32601`,
	} {
		lines = append(lines, fmt.Sprintf(`< {"id":"r","method":%q,"params":{"threadId":"t1"}}`, method), "? "+answer)
	}
	lines = append(lines, `< {"method":"something/new","params":[1]}`,
		`< {"method":"item/completed","params":{"threadId":"other","item":{"type":"agentMessage","text":"not mine"}}}`,
		`< {"method":"item/completed","params":{"threadId":"t1","item":{"type":"agentMessage","text":"fine"}}}`,
		`< {"method":"thread/tokenUsage/updated","params":{"threadId":"t1","tokenUsage":{"total":{"inputTokens":100,"cachedInputTokens":40,"outputTokens":20,"reasoningOutputTokens":3}}}}`,
		`< {"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"completed","error":null}}}`)
	h := listen(t.Context(), acting(t, "codex", script(t, lines...), cli.Options{}), hi(""))
	if h.err != nil || h.text != "fine" || h.end.Model != "m2" {
		t.Fatalf("got %q, %+v, %v", h.text, h.end, h.err)
	}
	if want := (cost.Usage{Input: 60, CacheRead: 40, Output: 20, Reasoning: 3}); h.end.Usage != want {
		t.Errorf("usage %+v, want %+v", h.end.Usage, want)
	}
}

func TestCodexFailures(t *testing.T) {
	for info, want := range map[string]trouble.Kind{
		`"contextWindowExceeded"`: trouble.Context, `"usageLimitExceeded"`: trouble.Quota, `"unauthorized"`: trouble.Auth, `"serverOverloaded"`: trouble.Overloaded,
		`{"responseTooManyFailedAttempts":{"httpStatusCode":429}}`: trouble.RateLimit, `{"responseStreamDisconnected":{"httpStatusCode":null}}`: trouble.Network,
		`"misalignmentPolicyViolation"`: trouble.Refused, `null`: trouble.BadRequest, `"neverSeen"`: trouble.BadRequest, `7`: trouble.BadRequest,
	} {
		failed, _ := json.Marshal(map[string]any{"message": "It went wrong.", "codexErrorInfo": json.RawMessage(info)})
		line := `< {"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"failed","error":` + string(failed) + `}}}`
		h := listen(t.Context(), acting(t, "codex", script(t, append(begun[:len(begun):len(begun)], line)...), cli.Options{}), hi(""))
		if e := trouble.As(h.err); e == nil || e.Kind != want {
			t.Errorf("%s: got %v, want %s", info, h.err, want)
		}
	}
}
