// Package test holds what runs the real program: the scripts of testdata/script, the pages of docs/, the examples, and real programs
// at one table.
package test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/socrates-cli/socrates/cmd"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/terminal"
	hub "github.com/socrates-cli/socrates/socrates-hub/program"
)

// TestMain lets scripts run the real program, and one that hears of events: this test binary under other names.
func TestMain(m *testing.M) {
	testscript.Main(atTop{m}, map[string]func(){"socrates": func() { os.Exit(cmd.Main(os.Args[1:])) },
		"socrates-hub": func() { os.Exit(cmd.MainWith(os.Args[1:], hub.Program())) }, "hear": hear, "loop-claude": loopClaude,
		"doer": doerProgram, "loop-pi": loopPi, "notes": notes, "npm": packageManager,
		"xdg-open": browse, "open": browse})
}

// atTop runs tests where the module begins, so that they name files as everybody does. Most of them wait for programs, so at least four
// run at once: on two processors this package would else come close to the ten minutes that go test gives it.
type atTop struct{ *testing.M }

func (m atTop) Run() int {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))); err != nil {
			panic(err)
		}
	}
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	return m.M.Run()
}

// loopClaude is a program that can be seated: it asks the server that its vendor's variable names.
func loopClaude() {
	model := "loop-1"
	if i := slices.Index(os.Args, "--model"); i >= 0 && i+1 < len(os.Args) {
		model = os.Args[i+1]
	}
	llmtest.Program(os.Stdin, os.Stdout, os.Getenv("ANTHROPIC_BASE_URL"), model)
}

// loopPi is a pi that sits without a server.
func loopPi() {
	sits := llmtest.Panelist(rehearsal.Panel()...)
	llmtest.Pi(os.Stdin, os.Stdout, "pi-loop", func(said []llm.Message) llmtest.Reply {
		return sits(llmtest.Ask{Model: "pi-loop", Messages: said})
	})
}

// TestScripts runs test/testdata/script. Each script has an empty home, a loopback model server, and no other network.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "test/testdata/script",
		Setup: setup,
		Cmds:  commands(),
		Condition: func(name string) (bool, error) {
			switch name {
			case "claude":
				return guest.Path("SOCRATES_TEST_CLAUDE") != "", nil
			case "codex":
				return guest.Path("SOCRATES_TEST_CODEX") != "", nil
			case "namespaces":
				return sandbox.Probe(context.Background()).Protect.Level == sandbox.Held, nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// commands are what scripts can say besides what every testscript can.
func commands() map[string]terminal.Command {
	out := terminal.Commands("test/testdata/screen", *update)
	maps.Copy(out, map[string]terminal.Command{"json": jsonCommand, "between": between, "plant": plant, "exits": exits, "silent": silent,
		"start": start, "await": await, "signal": signalTo(out["signal"]), "ended": ended, "stream": stream, "valid": valid, "sql": sqlCommand,
		"mcp": agents, "acp": edits, "act": act, "picture": picture, "web": web,
		"expand": expand, "absent": absent, "room": room, "plain": plain, "helps": helps, "distinct": distinct})
	return out
}

// setup gives a script its home, its server, and the programs that were named.
func setup(e *testscript.Env) error {
	answer := llmtest.Panelist(rehearsal.Panel()...)
	s := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		r := answer(a)
		if i := strings.LastIndex(a.Model, "--"); i >= 0 {
			r.Fault = fault.Fault(a.Model[i+2:])
		}
		if strings.HasPrefix(a.Model, "tells") { // which process asked, and how many messages it sent
			r = llmtest.Reply{Text: fmt.Sprintf("process %s, %d messages", a.Header.Get("Seat-Process"), len(a.Messages))}
		}
		if strings.HasPrefix(a.Model, "shows") { // what it was sent besides text
			r = llmtest.Reply{Text: "sent: " + attached(a)}
		}
		if strings.HasPrefix(a.Model, "keyed") { // under which key the vendor keeps the beginning
			r = llmtest.Reply{Text: string(regexp.MustCompile(`"prompt_cache_key":"[^"]*"`).Find(a.Body))}
		}
		if strings.HasPrefix(a.Model, "clumsy") && (len(a.Messages) == 1 || strings.Contains(a.Last(), `"judgements"`)) {
			r = llmtest.Reply{Text: "I would rather say it in words."}
		}
		if strings.HasPrefix(a.Model, "looks") {
			r = looks(a, r.Fault == "drops")
		}
		if r.Fault == "later" { // a rate limit nobody waits for
			r.Fault, r.RetryAfter = fault.Limited, "3600"
		}
		return r
	})
	e.Defer(s.Close)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized) // as vendors do that repeat the key they refuse
		fmt.Fprintf(w, `{"error": {"message": "you sent %s", "type": "invalid_request_error"}}`, r.Header.Get("Authorization"))
	}))
	e.Defer(echo.Close)
	remote := notesOverHTTP()
	e.Defer(remote.Close)
	e.Setenv("NOTES_URL", remote.URL)
	vouches, err := issuer()
	if err != nil {
		return err
	}
	e.Setenv("ISSUER", vouches.URL)
	gate := gatekeeper()
	e.Defer(gate.Close)
	hosting := gitHost(filepath.Join(e.WorkDir, "hosted"))
	e.Defer(hosting.Close)
	e.Setenv("GITHOST", strings.TrimPrefix(hosting.URL, "http://"))
	files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(e.WorkDir, "public"))))
	e.Defer(files.Close)
	e.Setenv("FILES", strings.TrimPrefix(files.URL, "http://"))
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	vars := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_DATA_HOME": filepath.Join(home, ".local/share"), "SERVER": s.URL, "HOST": strings.TrimPrefix(s.URL, "http://"), "ECHO": echo.URL, "GATE": gate.URL, "SOCRATES_KEYRING": "file",
		"ANTHROPIC_BASE_URL": s.URL, "OPENAI_BASE_URL": s.URL + "/v1", "GOOGLE_GEMINI_BASE_URL": s.URL, "XAI_BASE_URL": s.URL + "/v1", "OPENROUTER_BASE_URL": s.URL + "/v1",
		"OLLAMA_BASE_URL": "http://127.0.0.1:1/v1", "LMSTUDIO_BASE_URL": "http://127.0.0.1:1/v1", "GIT_CONFIG_NOSYSTEM": "1"}
	// What go has built for these tests need not be built again by checks, where a script says so.
	if cache, err := os.UserCacheDir(); err == nil {
		vars["REAL_GOCACHE"], vars["REAL_GOFLAGS"] = cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")), os.Getenv("GOFLAGS")
	}
	path := e.Getenv("PATH")
	if node, err := exec.LookPath("node"); err == nil {
		path += string(os.PathListSeparator) + filepath.Dir(node)
	}
	vars["PATH"] = path
	for k, v := range vars {
		e.Setenv(k, v)
	}
	terminal.Setup(e)
	e.Values[runsKey{}] = map[string]*running{}
	e.Values[browsersKey{}] = map[string]*browser{}
	e.Values[agentsKey{}] = map[string]*agent{}
	e.Values[editorKey{}] = map[string]*editor{}
	return nil
}

// looks is a model that reads a file and lists a folder before it answers. It never comes to that where its vendor drops
// what tools gave.
func looks(a llmtest.Ask, drops bool) llmtest.Reply {
	given := func(m llm.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p llm.Part) bool { _, is := p.(llm.Result); return is })
	}
	if !drops && slices.ContainsFunc(a.Messages, given) {
		return llmtest.Reply{Text: "seen"}
	}
	return llmtest.Reply{Calls: []llm.Call{{Name: "read", Args: json.RawMessage(`{"path": "twice.txt"}`)}, {Name: "ls", Args: json.RawMessage(`{}`)}}}
}

// jsonCommand compares a value in a JSON file: json FILE path.to.0.value EXPECTED. Without EXPECTED it must exist.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	v := jsonValue(ts, args[0], args[1])
	got := fmt.Sprint(v)
	if len(args) > 2 && (got == args[2]) == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
	if len(args) == 2 && (v != nil) == neg {
		ts.Fatalf("%s is %v", args[1], v)
	}
}

// between wants a number of a JSON file in a range: between FILE path.to.0.value LOW HIGH.
func between(ts *testscript.TestScript, neg bool, args []string) {
	var low, high float64
	fmt.Sscan(args[2], &low)
	fmt.Sscan(args[3], &high)
	got, ok := jsonValue(ts, args[0], args[1]).(float64)
	if !ok || (got >= low && got <= high) == neg {
		ts.Fatalf("%s is %v", args[1], got)
	}
}

// jsonValue finds a value in a JSON file by its path; nil if there is none.
func jsonValue(ts *testscript.TestScript, file, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	for _, part := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			var i int
			if _, err := fmt.Sscanf(part, "%d", &i); err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			v = nil
		}
	}
	return v
}

// plant makes files that a script's text cannot hold: plant zeros FILE BYTES, plant pipe FILE, plant bytes FILE HEX.
func plant(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[1])
	switch args[0] {
	case "zeros":
		var n int
		fmt.Sscan(args[2], &n)
		ts.Check(os.WriteFile(path, make([]byte, n), 0o644))
	case "text":
		var n int
		fmt.Sscan(args[2], &n)
		ts.Check(os.WriteFile(path, []byte(strings.Repeat("why? ", n/5)), 0o644))
	default:
		ts.Fatalf("plant %s is not known", args[0])
	}
}
