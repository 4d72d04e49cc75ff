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
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// works is what the models of programs that ask do, step by step: they read, write, run a command that is refused, and one that is not.
var works = map[string][]llm.Call{
	"claude": {call("Read", `{"file_path":"answer.txt"}`), call("Write", `{"file_path":"DIR/new.txt","content":"new\n"}`),
		call("Bash", `{"command":"rm answer.txt","description":"x"}`), call("Bash", `{"command":"cat new.txt > copy.txt","description":"x"}`)},
	"codex": {call("exec_command", `{"cmd":"cat answer.txt"}`),
		call("exec_command", `{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\nEOF"}`),
		call("exec_command", `{"cmd":"rm answer.txt"}`), call("exec_command", `{"cmd":"cat \"new.txt\" > copy.txt && echo 'it is'"}`)},
	"gemini": {call("read_file", `{"file_path":"answer.txt"}`), call("write_file", `{"file_path":"DIR/new.txt","content":"new\n"}`),
		call("run_shell_command", `{"command":"rm answer.txt","description":"x"}`),
		call("run_shell_command", `{"command":"cat new.txt > copy.txt","description":"x"}`)},
	"opencode": {call("read", `{"filePath":"DIR/answer.txt"}`), call("write", `{"filePath":"DIR/new.txt","content":"new\n"}`),
		call("bash", `{"command":"rm answer.txt","description":"x"}`),
		call("bash", `{"command":"cat new.txt > copy.txt","description":"x"}`)},
	"copilot": {call("view", `{"path":"DIR/answer.txt"}`), call("create", `{"path":"DIR/new.txt","file_text":"new\n"}`),
		call("bash", `{"command":"cat new.txt > copy.txt","description":"x"}`),
		call("bash", `{"command":"rm answer.txt","description":"x"}`)},
}

// asked is what each of them asks for in our words, whatever it reads unasked.
var asked = map[string][]string{
	"claude": {`read {"path":"answer.txt"}`, `write {"content":"new\n","path":"new.txt"}`, `bash {"command":"rm answer.txt"}`,
		`bash {"command":"cat new.txt \u003e copy.txt"}`},
	"codex": {`bash {"command":"cat answer.txt"}`, `edit {"diff":"--- /dev/null\n+++ b/new.txt\n+new\n","path":"new.txt"}`,
		`bash {"command":"rm answer.txt"}`, `bash {"command":"cat \"new.txt\" \u003e copy.txt \u0026\u0026 echo 'it is'"}`},
	"gemini":   {writesNew, removes, copies},
	"opencode": {writesNew, removes, copies},
	"copilot":  {writesNew, copies, removes},
}

const (
	writesNew = `write {"content":"new\n","path":"new.txt"}`
	removes   = `bash {"command":"rm answer.txt"}`
	copies    = `bash {"command":"cat new.txt \u003e copy.txt"}`
)

// working answers a program's model with one step after the other, each once the one before has a result.
func working(program string, a llmtest.Ask) llmtest.Reply {
	done := 0
	for _, m := range a.Messages {
		for _, p := range m.Parts {
			if _, ok := p.(llm.Result); ok {
				done++
			}
		}
	}
	if steps := works[program]; done < len(steps) {
		return llmtest.Reply{Text: "Next.", Calls: steps[done : done+1]}
	}
	return llmtest.Reply{Text: "It is done."}
}

// put has a program work, and then answer once more: what it did itself is no news to it.
func put(t *testing.T, program string, m llm.Model, dir string) {
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	var leave []string
	req := llm.Request{System: "Work.", Dir: dir, Session: "one", Messages: []llm.Message{llm.UserText("Do it.")}}
	req.Leave = func(_ context.Context, c llm.Call) error {
		var args map[string]any
		json.Unmarshal(c.Args, &args)
		delete(args, "dir") // where its shell is
		raw, _ := json.Marshal(args)
		leave = append(leave, c.Name+" "+strings.ReplaceAll(string(raw), dir+"/", ""))
		if strings.HasPrefix(c.Gist(), "rm ") {
			return errors.New("the person keeps this")
		}
		return nil
	}
	var failed []string
	for d, err := range m.Stream(ctx, req) {
		switch {
		case err != nil:
			t.Fatal(err)
		case d.Result != nil:
			if d.Result.Failed {
				failed = append(failed, d.Call.Name+": "+d.Result.Text)
			}
			req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Parts: []llm.Part{*d.Call}},
				llm.Message{Role: llm.User, Parts: []llm.Part{*d.Result}})
		case d.End != nil:
			req.Messages = append(req.Messages, d.End.Message, llm.UserText("And?"))
			if d.End.Message.Text() != "It is done." {
				t.Errorf("it answered %q", d.End.Message.Text())
			}
		}
	}
	if !slices.Equal(leave, asked[program]) {
		t.Errorf("it asked for\n%s\nnot for\n%s", strings.Join(leave, "\n"), strings.Join(asked[program], "\n"))
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "bash: ") || !strings.Contains(failed[0], "the person keeps this") {
		t.Errorf("failed: %q", failed)
	}
	if h := listen(ctx, m, req); h.err != nil || h.end.Message.Text() != "It is done." {
		t.Errorf("then it answered %+v", h)
	}
}

// TestWorkRecordings has the programs that ask work as they were recorded.
func TestWorkRecordings(t *testing.T) {
	for program := range works {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			file, _ := filepath.Abs(recordingOf(program, "work"))
			m := acting(t, program, file, cli.Options{Model: "some-model"})
			put(t, program, m, t.TempDir())
		})
	}
}

// TestRealWork has the real programs that ask work, held, in a folder that they may write.
func TestRealWork(t *testing.T) {
	for program := range works {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply { return inDir(working(program, a), dir) })
			t.Cleanup(vendor.Close)
			os.WriteFile(filepath.Join(dir, "answer.txt"), []byte("forty-two\n"), 0o600)
			o := real(t, program, vendor.URL)
			if o.Hold != nil {
				o.Hold.Work = func(_ *exec.Cmd, at string, r *sandbox.Rules) error { r.Write = append(r.Write, at); return nil }
			}
			if *recording {
				o = recorded(t, o, program, "work", dir, vendor.URL)
			}
			m := model(program, o)
			put(t, program, m, dir)
			if err := m.(io.Closer).Close(); err != nil {
				t.Error(err)
			}
			gone(t, marked(o.Home)...)
			for name, want := range map[string]string{"answer.txt": "forty-two\n", "new.txt": "new\n", "copy.txt": "new\n"} {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s holds %q: %v", name, got, err)
				}
			}
		})
	}
}

// What codex has a shell run is judged as the shell reads it; where that is not sure, with the shell around it.
func TestScript(t *testing.T) {
	for quoted, want := range map[string]string{
		`/bin/bash -lc 'cat a.txt'`:           `cat a.txt`,
		`/bin/bash -lc ls`:                    `ls`,
		`bash -c "echo it's \"\$HOME\" \\ x"`: `echo it's "$HOME" \ x`,
		`/bin/zsh -lc 'a && b'`:               `a && b`,
		`/bin/bash -lc 'a'"b"`:                `/bin/bash -lc 'a'"b"`,
		`/bin/bash -lc "a $(b)"`:              `/bin/bash -lc "a $(b)"`,
		`/bin/bash -lc "a" "b"`:               `/bin/bash -lc "a" "b"`,
		`/bin/bash -lc 'a' 'b'`:               `/bin/bash -lc 'a' 'b'`,
		`/bin/bash -lc`:                       `/bin/bash -lc`,
		`rm -rf x`:                            `rm -rf x`,
		`/bin/bash -x -c 'a'`:                 `/bin/bash -x -c 'a'`,
	} {
		if got := cli.Script(quoted); got != want {
			t.Errorf("%s is %s, not %s", quoted, got, want)
		}
	}
}

// An agent's request is judged by what it would do, in our words, whatever it is called; a refused agent that breaks off is told why, once.
func TestAnAgentAtWork(t *testing.T) {
	var lines, want []string
	for i, c := range []struct{ call, want, answer string }{
		{`"kind":"execute","title":"Make it","rawInput":{"command":"make","cwd":"/project/sub"}`, `bash {"command":"make","dir":"sub"}`, "y"},
		{`"kind":"execute","title":"make all","content":[{"type":"content","content":{"text":"[in /tmp/x] (why)"}}]`,
			`bash {"command":"make all","dir":"/tmp/x"}`, "y"},
		{`"kind":"edit","content":[{"type":"diff","path":"/project/a","oldText":"1","newText":"2"}]`, `edit {"new":"2","old":"1","path":"a"}`, "y"},
		{`"kind":"edit","locations":[{"path":"/project/a"},{"path":"/project/b"}]`, `edit {"paths":["a","b"]}`, "y"},
		{`"kind":"delete","locations":[{"path":"/etc/x"}]`, `delete {"path":"/etc/x"}`, "n"},
		{`"kind":"fetch","rawInput":{"url":"http://x"}`, `fetch {"url":"http://x"}`, "n"},
		{`"title":"launch","rawInput":{"n":1}`, `other {"input":{"n":1},"title":"launch"}`, "n"},
	} {
		want = append(want, c.want)
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":"r%[1]d","method":"session/request_permission","params":{"sessionId":"s1","toolCall":`+
			`{"toolCallId":"c%[1]d",%s},"options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]}}`, i, c.call),
			fmt.Sprintf(`? "optionId":%q`, c.answer))
	}
	lines = append(slices.Clone(shake), append([]string{"> "}, append(lines, `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`,
		"? not with me", piece("fine"), `< {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`)...)...)
	self, _ := os.Executable()
	m := cli.Agent([]string{self}).New(cli.Options{Env: []string{"SEAT_PLAY=" + script(t, lines...)}})
	t.Cleanup(func() { m.(io.Closer).Close() })
	req := hi("")
	req.Dir = t.TempDir()
	var got []string
	req.Leave = func(_ context.Context, c llm.Call) error {
		got = append(got, c.Name+" "+strings.ReplaceAll(string(c.Args), req.Dir, "/project"))
		if slices.Contains([]string{"bash", "edit"}, c.Name) {
			return nil
		}
		return errors.New("not with me")
	}
	h := listen(t.Context(), m, req)
	if h.err != nil || h.end.Message.Text() != "fine" || !slices.Equal(got, want) {
		t.Errorf("%v, %+v; it asked for\n%s", h.err, h.end, strings.Join(got, "\n"))
	}
}
