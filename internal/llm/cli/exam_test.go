package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

var recording = flag.Bool("record", false, "write testdata anew from the real programs")

// question is one case every program must pass, live against a loopback vendor and from a recording of that.
type question struct {
	name   string
	first  *llmtest.Reply // what the vendor answers once; nil: no such thing
	reply  func(a llmtest.Ask) llmtest.Reply
	turns  []string                // what is asked, one after the other in one session
	want   []string                // the answers
	kind   trouble.Kind            // how the last turn fails; empty: it does not
	but    map[string]trouble.Kind // how it fails in a program that differs
	schema string
	note   string // told while it works
	stop   string // the reader leaves at this text
	retry  bool   // a retry must be told
	mute   string // but not by this program
}

// silent is the kind of a program that tries again and again without a word, until it is given up.
const silent trouble.Kind = "silent"

func hello(llmtest.Ask) llmtest.Reply { return llmtest.Reply{Text: "Hello, I am a seat."} }

func failing(f fault.Fault) func(llmtest.Ask) llmtest.Reply {
	return llmtest.Say(llmtest.Reply{Text: "never whole", Fault: f})
}

// acts has the vendor ask each program for what calls holds for it, then answer with what came of that.
func acts(calls map[string][]llm.Call) func(llmtest.Ask) llmtest.Reply {
	return func(a llmtest.Ask) llmtest.Reply {
		for _, m := range a.Messages {
			for _, p := range m.Parts {
				if r, ok := p.(llm.Result); ok {
					if strings.Contains(r.Text, "forty-two") {
						return llmtest.Reply{Text: "It says forty-two."}
					}
					return llmtest.Reply{Text: "It did not work."}
				}
			}
		}
		for model, c := range calls {
			if strings.HasPrefix(a.Model, model) {
				return llmtest.Reply{Calls: c}
			}
		}
		return llmtest.Reply{Text: "Nobody says how " + a.Model + " acts."}
	}
}

// reads and writes are how each program's model would read and write, by what the model's name begins with.
func reads(file string) map[string][]llm.Call {
	quoted := strconv.Quote(file)
	return map[string][]llm.Call{
		"claude":   {call("Read", `{"file_path":`+quoted+`}`)},
		"copilot":  {call("view", `{"path":`+quoted+`}`)},
		"crush":    {call("view", `{"file_path":`+quoted+`}`)},
		"gemini":   {call("read_file", `{"file_path":`+quoted+`}`)},
		"gpt":      {call("exec_command", `{"cmd":"cat `+file+`"}`)},
		"grok":     {call("read_file", `{"target_file":`+quoted+`}`)},
		"opencode": {call("read", `{"filePath":`+quoted+`}`)},
		"pi":       {call("read", `{"path":`+quoted+`}`)},
		"qwen":     {call("read_file", `{"file_path":`+strconv.Quote("DIR/"+file)+`}`)},
	}
}

var writes = map[string][]llm.Call{
	"claude":  {call("Write", `{"file_path":"evil.txt","content":"x"}`), call("Bash", `{"command":"touch evil.txt"}`)},
	"copilot": {call("create", `{"path":"evil.txt","file_text":"x"}`), call("bash", `{"command":"touch evil.txt","description":"x"}`)},
	"crush":   {call("write", `{"file_path":"evil.txt","content":"x"}`), call("bash", `{"command":"touch evil.txt","description":"x"}`)},
	"gemini":  {call("write_file", `{"file_path":"evil.txt","content":"x"}`), call("run_shell_command", `{"command":"touch evil.txt"}`)},
	"gpt":     {call("exec_command", `{"cmd":"touch evil.txt"}`)},
	"grok": {call("write", `{"file_path":"evil.txt","content":"x"}`), call("search_replace", `{"file_path":"evil.txt","old_string":"","new_string":"x"}`),
		call("run_terminal_command", `{"command":"touch evil.txt","description":"x"}`)},
	"opencode": {call("write", `{"filePath":"evil.txt","content":"x"}`), call("bash", `{"command":"touch evil.txt","description":"x"}`)},
	"pi":       {call("write", `{"path":"evil.txt","content":"x"}`), call("bash", `{"command":"touch evil.txt"}`)},
	"qwen":     {call("write_file", `{"file_path":"evil.txt","content":"x"}`), call("run_shell_command", `{"command":"touch evil.txt","is_background":false}`)},
}

// isTitle recognises the calls by which grok and crush find a title for a session. Nothing turns that off.
func isTitle(a llmtest.Ask) bool {
	return len(a.Tools) == 1 && a.Tools[0].Name == "session_title" || strings.Contains(a.System, "generate a short title")
}

// inDir puts the folder of the seat in the place of DIR: some tools take only whole paths.
func inDir(r llmtest.Reply, dir string) llmtest.Reply {
	calls := make([]llm.Call, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = call(c.Name, strings.ReplaceAll(string(c.Args), "DIR", filepath.ToSlash(dir)))
	}
	r.Calls = calls
	return r
}

func call(name, args string) llm.Call { return llm.Call{Name: name, Args: json.RawMessage(args)} }

var questions = []question{
	{name: "hello", reply: hello, turns: []string{"Who are you?"}, want: []string{"Hello, I am a seat."}},
	{name: "warm", turns: []string{"first", "second"}, want: []string{"1: first", "3: second"},
		reply: func(a llmtest.Ask) llmtest.Reply {
			n, last := 0, ""
			for _, m := range a.Messages {
				if s := m.Text(); strings.Contains(s, "first") || strings.Contains(s, "second") {
					n++
					last = s[max(strings.LastIndex(s, "first"), strings.LastIndex(s, "second")):]
				}
			}
			last, _, _ = strings.Cut(last, "<") // grok puts messages between marks
			return llmtest.Reply{Text: fmt.Sprintf("%d: %s", n, strings.TrimSpace(last))}
		}},
	{name: "slash", turns: []string{"/cost"}, want: []string{"Hello, I am a seat."}, reply: hello},
	{name: "read", turns: []string{"What does the file say?"}, want: []string{"It says forty-two."}, note: "Read answer.txt",
		reply: acts(reads("answer.txt"))},
	{name: "write", turns: []string{"Write a file."}, want: []string{"It did not work."},
		reply: acts(writes)},
	{name: "schema", turns: []string{"Vote."}, want: []string{`{"vote":"yes"}`}, reply: llmtest.Say(llmtest.Reply{Text: `{"vote":"yes"}`}),
		schema: `{"type":"object","properties":{"vote":{"type":"string"}},"required":["vote"],"additionalProperties":false}`},
	{name: "leave", turns: []string{"Talk.", "Go on."}, want: []string{"", "Hello, I am a seat."}, stop: "one",
		reply: func(a llmtest.Ask) llmtest.Reply {
			if strings.Contains(a.Last(), "Go on.") {
				return hello(a)
			}
			return llmtest.Reply{Text: "one " + strings.Repeat("two three four ", 200), Fault: fault.Freeze}
		}},
	{name: "401", turns: []string{"hi"}, kind: trouble.Auth, reply: failing(fault.Unauthorized)},
	{name: "429", turns: []string{"hi"}, kind: trouble.RateLimit, but: map[string]trouble.Kind{"copilot": trouble.Overloaded, "qwen": silent}, reply: failing(fault.Limited)},
	{name: "500", turns: []string{"hi"}, kind: trouble.Overloaded, but: map[string]trouble.Kind{"qwen": silent}, reply: failing(fault.Broken)},
	{name: "quota", turns: []string{"hi"}, kind: trouble.Quota, but: map[string]trouble.Kind{"copilot": trouble.Overloaded, "qwen": silent}, reply: failing(fault.Exhausted)},
	{name: "context", turns: []string{"hi"}, kind: trouble.Context, reply: failing(fault.TooLong)},
	{name: "cut", turns: []string{"hi"}, want: []string{"Hello, I am a seat."}, but: map[string]trouble.Kind{"gemini": trouble.Network, "qwen": trouble.Network},
		first: &llmtest.Reply{Text: "never whole", Fault: fault.Cut}, reply: hello},
	{name: "cuts", turns: []string{"hi"}, kind: trouble.Network, but: map[string]trouble.Kind{"claude": trouble.Overloaded, "copilot": trouble.Overloaded, "gemini": trouble.Overloaded},
		retry: true, mute: "qwen",
		reply: func(a llmtest.Ask) llmtest.Reply {
			if strings.Contains(string(a.Body), `"stream":true`) {
				return llmtest.Reply{Text: "never whole", Fault: fault.Cut}
			}
			return llmtest.Reply{Fault: fault.Broken}
		}},
	{name: "refusal", turns: []string{"hi"}, kind: trouble.Refused, want: []string{"No."}, // gemini passes on what was said, as an answer
		but: map[string]trouble.Kind{"codex": trouble.Empty, "copilot": trouble.Empty, "gemini": "", "qwen": trouble.Empty}, reply: llmtest.Say(llmtest.Reply{Text: "No.", Fault: fault.Refused})},
	{name: "empty", turns: []string{"hi"}, kind: trouble.Empty, reply: llmtest.Say(llmtest.Reply{})},
}

// hang bounds a hang and nothing else: some programs take minutes to start where ten of them share a core.
const hang = 8 * time.Minute

// oneTurn are programs that take one prompt and print one text. They tell nothing of what they do.
var oneTurn = map[string]bool{"crush": true}

// ask asks m the question. A program that is silent is given up after patience.
func (q question) ask(t *testing.T, program string, m llm.Model, dir string, patience time.Duration) {
	if k, ok := q.but[program]; ok {
		q.kind = k
	}
	limit := hang
	if q.kind == silent {
		limit = patience
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req := llm.Request{System: "You are a seat at a table.", Dir: dir, Session: "one"}
	if q.schema != "" {
		req.Schema = json.RawMessage(q.schema)
	}
	for i, text := range q.turns {
		req.Messages = append(req.Messages, llm.UserText(text))
		last := i == len(q.turns)-1
		if q.stop != "" && !last {
			req.Messages = append(req.Messages, llm.AssistantText(leaveAt(ctx, t, m, req, q.stop)))
			continue
		}
		h := listen(ctx, m, req)
		if last && q.kind == silent {
			if !errors.Is(h.err, context.DeadlineExceeded) {
				t.Fatalf("got %q and error %v of a program that was silent", h.text, h.err)
			}
			return
		}
		if last && q.kind != "" {
			if h.err == nil || trouble.As(h.err).Kind != q.kind {
				t.Fatalf("got %q and error %v, want one of kind %s", h.text, h.err, q.kind)
			}
			if q.retry && len(h.retries) == 0 && program != q.mute {
				t.Error("no retry was told")
			}
			return
		}
		if h.err != nil {
			t.Fatal(h.err)
		}
		want := q.want[i]
		if oneTurn[program] {
			want = strings.Replace(want, "3: ", "1: ", 1) // the history came in one message
		}
		if got := h.end.Message.Text(); got != want || !strings.HasSuffix(strings.TrimSpace(h.text), want) {
			t.Fatalf("answer %q, streamed %q, want %q", got, h.text, want)
		}
		if q.note != "" && !oneTurn[program] && !strings.Contains(strings.Join(h.notes, "\n"), q.note) {
			t.Errorf("notes %q lack %q", h.notes, q.note)
		}
		if h.end.Usage.Output == 0 || h.end.Usage.Input == 0 {
			t.Errorf("usage %+v counts nothing", h.end.Usage)
		}
		req.Messages = append(req.Messages, h.end.Message)
	}
}

// leaveAt stops listening once the answer holds stop, and returns what was heard.
func leaveAt(ctx context.Context, t *testing.T, m llm.Model, req llm.Request, stop string) string {
	text := ""
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			t.Fatal(err)
		}
		if text += d.Text; strings.Contains(text, stop) {
			break
		}
	}
	return text
}

// notAtHand are programs no real one of which could be asked, so that nothing is recorded; acp_test.go acts kimi out
// after its source.
var notAtHand = map[string]bool{"kimi": true}

func TestRecordings(t *testing.T) {
	for _, p := range cli.Programs {
		if notAtHand[p.Name] {
			continue
		}
		if _, err := os.Stat(recordingOf(p.Name, questions[0].name)); err != nil {
			t.Errorf("%s is not recorded: record it, or add it to notAtHand; CONTRIBUTING.md says how (%v)", p.Name, err)
			continue
		}
		for _, q := range questions {
			t.Run(p.Name+"/"+q.name, func(t *testing.T) {
				file, _ := filepath.Abs(recordingOf(p.Name, q.name))
				q.ask(t, p.Name, acting(t, p.Name, file, cli.Options{Model: "some-model"}), t.TempDir(), 500*time.Millisecond)
			})
		}
	}
}

func recordingOf(program, question string) string {
	return filepath.Join("testdata", program+"-"+question+".jsonl")
}

// TestRealPrograms asks the programs all at once, since most of the time is spent waiting for their retries.
func TestRealPrograms(t *testing.T) {
	for _, p := range cli.Programs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			real(t, p.Name, "") // skips all if it is not there
			for _, q := range questions {
				if shortExam(p.Name) && !slices.Contains(essential, q.name) {
					continue
				}
				t.Run(q.name, func(t *testing.T) { askReal(t, p.Name, q) })
			}
		})
	}
}

// essential are the questions of a short exam.
var essential = []string{"hello", "warm", "write", "401"}

// shortExam says whether a program that takes seconds to start sits the short exam, as it does where SOCRATES_TEST_EXAM is
// short. The recordings sit the whole one everywhere.
func shortExam(program string) bool {
	return os.Getenv("SOCRATES_TEST_EXAM") == "short" && program != "claude" && program != "codex"
}

func askReal(t *testing.T, program string, q question) {
	dir, reply := t.TempDir(), q.reply
	if q.first != nil {
		reply = llmtest.Failing(1, *q.first, reply)
	}
	vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		if isTitle(a) {
			return llmtest.Reply{Text: "A title"}
		}
		return inDir(reply(a), dir)
	})
	t.Cleanup(vendor.Close)
	os.WriteFile(filepath.Join(dir, "answer.txt"), []byte("forty-two\n"), 0o600)
	o := real(t, program, vendor.URL)
	if *recording {
		o = recorded(t, o, program, q.name, dir, vendor.URL)
	}
	m := model(program, o)
	q.ask(t, program, m, dir, 8*time.Second)
	if err := m.(io.Closer).Close(); err != nil {
		t.Error(err)
	}
	gone(t, marked(o.Home)...)
	noTranscripts(t, o.Home)
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the seat left files behind: %v", left)
	}
}

// real are options for the real program against a vendor on loopback. The test is skipped if it is not installed.
func real(t testing.TB, name, url string) cli.Options {
	bin := os.Getenv("SOCRATES_TEST_" + strings.ToUpper(name))
	if bin == "" {
		bin = name
	}
	path, err := exec.LookPath(bin)
	if err != nil {
		t.Skipf("%s is not installed: put it on PATH or name it in SOCRATES_TEST_%s", name, strings.ToUpper(name))
	}
	if setUp[name] == nil {
		t.Skipf("%s is installed, but setUp does not say how it is pointed at a vendor on loopback", name)
	}
	o := cli.Options{Bin: path, Home: t.TempDir(), Handshake: hang}
	if sandbox.Cells() == nil && !*recording { // as they sit at a table; what records could not write there
		o.Hold = &cli.Hold{Cell: true}
	}
	setUp[name](t, &o, url)
	o.Env = append(o.Env, "SEAT_MARK="+o.Home) // finds what is left of it
	return o
}

// setUp points each program at a vendor on loopback.
var setUp = map[string]func(t testing.TB, o *cli.Options, url string){
	"claude": func(_ testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "claude-sonnet-4-5", []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-loopback"}
	},
	"codex": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "gpt-5.4", []string{"LOOPBACK_KEY=sk-loopback"}
		inHome(t, o, "config.toml", fmt.Sprintf("model_provider = \"loopback\"\n[model_providers.loopback]\nname = \"loopback\"\nbase_url = %q\n"+
			"env_key = \"LOOPBACK_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 1\n", url+"/v1"))
	},
	"copilot": func(_ testing.TB, o *cli.Options, url string) { // a key that no answer holds: it hides its key in what it says
		o.Model, o.Env = "copilot-loop", []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=sk-loopback-4f1c9be2",
			"COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_OFFLINE=true"}
	},
	"crush": func(t testing.TB, o *cli.Options, url string) {
		o.Model = "loopback/crush-loop"
		inHome(t, o, "crush.json", fmt.Sprintf(`{"options":{"disable_default_providers":true},"models":{"large":{"model":"crush-loop","provider":"loopback"},"small":{"model":"crush-loop","provider":"loopback"}},`+
			`"providers":{"loopback":{"type":"openai-compat","base_url":%q,"api_key":"sk-loopback","models":[{"id":"crush-loop","name":"crush-loop","context_window":200000,`+
			`"default_max_tokens":8000,"cost_per_1m_in":1,"cost_per_1m_out":2}]}}}`, url+"/v1"))
	},
	"gemini": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "gemini-loop", []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=sk-loopback"}
		inHome(t, o, ".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
	},
	"grok": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "grok-loop", []string{"XAI_API_KEY=sk-loopback"}
		inHome(t, o, "config.toml", fmt.Sprintf("[endpoints]\nmodels_base_url = %[1]q\n[model.grok-loop]\nmodel = \"grok-loop\"\nname = \"grok-loop\"\n"+
			"base_url = %[1]q\napi_key = \"sk-loopback\"\napi_backend = \"chat_completions\"\ncontext_window = 200000\n", url+"/v1"))
	},
	"opencode": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "loop/opencode-loop", []string{"OPENCODE_DISABLE_MODELS_FETCH=true"}
		inHome(t, o, "opencode/opencode.json", fmt.Sprintf(`{"enabled_providers":["loop"],"small_model":"loop/opencode-loop","provider":{"loop":{"npm":"@ai-sdk/openai-compatible",`+
			`"name":"loop","options":{"baseURL":%q,"apiKey":"sk-loopback"},"models":{"opencode-loop":{"name":"opencode-loop","limit":{"context":200000,"output":8000},"cost":{"input":1,"output":2}}}}}}`, url+"/v1"))
	},
	"pi": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "loopback/pi-loop", []string{"LOOPBACK_KEY=sk-loopback"}
		inHome(t, o, "models.json", fmt.Sprintf(`{"providers":{"loopback":{"baseUrl":%q,"api":"openai-completions","apiKey":"LOOPBACK_KEY",`+
			`"models":[{"id":"pi-loop","contextWindow":200000,"maxTokens":8000,"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":1}}]}}}`, url+"/v1"))
		inHome(t, o, "settings.json", `{"retry":{"baseDelayMs":100,"provider":{"maxRetries":0}}}`)
	},
	"qwen": func(t testing.TB, o *cli.Options, url string) {
		o.Model, o.Env = "qwen-loop", []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=sk-loopback", "OPENAI_MODEL=qwen-loop"}
		inHome(t, o, "settings.json", `{"security":{"auth":{"selectedType":"openai"}}}`)
	},
}

// inHome writes a file of a program's own configuration.
func inHome(t testing.TB, o *cli.Options, name, text string) {
	file := filepath.Join(o.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// noTranscripts checks that no session was written to the program's state folder.
func noTranscripts(t *testing.T, home string) {
	filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".db")) {
			t.Errorf("a transcript was left: %s", path)
		}
		return nil
	})
}

// recorded puts the recorder between us and the program.
func recorded(t *testing.T, o cli.Options, name, q, dir, url string) cli.Options {
	file, _ := filepath.Abs(recordingOf(name, q))
	host, _ := os.Hostname()
	real, _ := filepath.EvalSymlinks(o.Bin)
	if i := strings.Index(real, "node_modules"); i > 0 {
		real = real[:i]
	}
	scrub := []string{real, "/programs/", dir, "/project", o.Home, "/home", url, "http://127.0.0.1:1", `"serverName":"` + host + `"`, `"serverName":"host"`,
		strings.ReplaceAll(dir, "/", "-"), "-project", os.Getenv("HOME") + "/", "/home/"}
	o.Env = append(o.Env, "SEAT_RECORD="+file, "SEAT_REAL="+o.Bin, "SEAT_SCRUB="+strings.Join(scrub, "\n"))
	if oneTurn[name] {
		os.Remove(file)
		o.Env = append(o.Env, "SEAT_TEXT=1")
	}
	o.Bin, _ = os.Executable()
	return o
}

// BenchmarkTurn measures a whole turn against a vendor that answers at once: on a new process and on a warm one.
func BenchmarkTurn(b *testing.B) {
	for _, p := range cli.Programs {
		for _, warm := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/warm=%t", p.Name, warm), func(b *testing.B) {
				vendor := llmtest.NewServer(hello)
				defer vendor.Close()
				m := p.New(real(b, p.Name, vendor.URL))
				defer m.(io.Closer).Close()
				req := llm.Request{Dir: b.TempDir(), System: "You are a seat."}
				if warm {
					req.Session = "one"
				}
				turn := func() {
					req.Messages = append(req.Messages, llm.UserText("Who are you?"))
					end, err := llm.Collect(m.Stream(b.Context(), req))
					if err != nil {
						b.Fatal(err)
					}
					req.Messages = append(req.Messages, end.Message)
				}
				turn()
				for b.Loop() {
					if !warm {
						req.Messages = nil
					}
					turn()
				}
			})
		}
	}
}
