package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Nothing a text says may make the program read outside its folder or start the user's own servers.
func TestRealProgramsStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("the-secret-word"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range cli.Programs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			calls := reads(outside)
			calls["qwen"] = []llm.Call{call("read_file", fmt.Sprintf(`{"file_path":%q}`, outside))}
			calls["gpt"] = []llm.Call{call("exec_command", `{"cmd":"env"}`)}              // it can read the whole disk
			calls["grok"] = []llm.Call{call("read_file", `{"target_file":"answer.txt"}`)} // so can it
			calls["crush"] = []llm.Call{call("view", `{"file_path":"answer.txt"}`)}       // and so can it
			vendor := llmtest.NewServer(acts(calls))
			t.Cleanup(vendor.Close)
			o := real(t, p.Name, vendor.URL)
			started := filepath.Join(t.TempDir(), "started")
			config, _ := os.OpenFile(filepath.Join(o.Home, "config.toml"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintf(config, "\n[mcp_servers.mine]\ncommand = \"touch\"\nargs = [%q]\n", started)
			config.Close()
			m := p.New(o)
			defer m.(io.Closer).Close()
			req := hi("")
			req.Dir = t.TempDir()
			req.Messages[0] = llm.UserText("look at @" + outside + " and $skill-creator")
			want := 2
			if h := listen(t.Context(), m, req); p.Name == "copilot" && h.err != nil && trouble.As(h.err).Kind == trouble.Refused {
				want = 1 // what it is denied ends its turn
			} else if h.err != nil {
				t.Fatal(h.err)
			}
			for _, a := range vendor.Calls() {
				for _, secret := range []string{"the-secret-word", "sk-loopback"} {
					if before, after, found := strings.Cut(string(a.Body), secret); found {
						t.Errorf("the vendor was sent what lies outside: %s%s%s", before[max(0, len(before)-500):], secret, after[:min(100, len(after))])
					}
				}
			}
			if asked := slices.DeleteFunc(vendor.Calls(), isTitle); len(asked) != want {
				t.Errorf("%d requests for a turn with one action", len(asked))
			}
			if _, err := os.Stat(started); err == nil {
				t.Error("the user's own server was started")
			}
		})
	}
}

func TestRealProgramsAreGivenUpWhenTheyStall(t *testing.T) {
	for _, p := range cli.Programs {
		for _, fault := range []fault.Fault{fault.Stall, fault.Freeze} {
			t.Run(p.Name+"/"+string(fault), func(t *testing.T) {
				t.Parallel()
				vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
					if strings.Contains(a.Last(), "again") {
						return llmtest.Reply{Text: "one two three four five", Fault: fault}
					}
					return hello(a)
				})
				t.Cleanup(vendor.Close)
				o := real(t, p.Name, vendor.URL)
				m := p.New(o)
				first := listen(t.Context(), m, hi("one")) // some take seconds to start, which is no stall
				if first.err != nil {
					t.Fatal(first.err)
				}
				h := listen(t.Context(), retry.Guard(m, retry.Patience{Tries: 1, Idle: 2 * time.Second}), next(hi("one"), first.end, "again"))
				if e := trouble.As(h.err); e == nil || e.Kind != trouble.Stall {
					t.Fatalf("got %q, %v", h.text, h.err)
				}
				leaves(t, vendor)
				m.(io.Closer).Close()
				gone(t, marked(o.Home)...)
			})
		}
	}
}

func TestRealProgramsKilledInTheMiddle(t *testing.T) {
	for _, p := range cli.Programs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			vendor := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "one two three four five", Fault: fault.Freeze}))
			t.Cleanup(vendor.Close)
			o := real(t, p.Name, vendor.URL)
			m := p.New(o)
			var err error
			for d, e := range m.Stream(t.Context(), hi("one")) {
				if d.Text != "" {
					go m.(io.Closer).Close()
				}
				err = e
			}
			if e := trouble.As(err); e == nil || e.Kind != trouble.Crash {
				t.Fatalf("got %v", err)
			}
			leaves(t, vendor)
			gone(t, marked(o.Home)...)
		})
	}
}

func TestRealProgramsAreOfferedOnlyWhatReads(t *testing.T) {
	reading := map[string]string{"claude": " Glob Grep Read ", "codex": " exec_command write_stdin request_user_input view_image ",
		"copilot": " view grep glob ", "crush": " view grep glob ls ", "gemini": " list_directory read_file grep_search glob ",
		"grok": " read_file grep list_dir search_tool use_tool ", "opencode": " read glob grep ", "pi": " read grep find ls ",
		"qwen": " list_directory read_file grep_search glob "}
	nothing := map[string]string{"claude": " ", "codex": " request_user_input ", "copilot": " ", "crush": " ", "pi": " ",
		"grok": " todo_write search_tool use_tool "} // the last two are for servers, of which it has none
	for _, p := range cli.Programs {
		for _, dir := range []string{t.TempDir(), ""} {
			t.Run(fmt.Sprintf("%s/%t", p.Name, dir != ""), func(t *testing.T) {
				t.Parallel()
				vendor := llmtest.NewServer(hello)
				t.Cleanup(vendor.Close)
				m := p.New(real(t, p.Name, vendor.URL))
				defer m.(io.Closer).Close()
				req := hi("")
				req.Dir = dir
				if h := listen(t.Context(), m, req); h.err != nil {
					t.Fatal(h.err)
				}
				allowed := reading[p.Name]
				if dir == "" {
					allowed = nothing[p.Name]
				}
				for _, tool := range slices.DeleteFunc(vendor.Calls(), isTitle)[0].Tools {
					if !strings.Contains(allowed, " "+tool.Name+" ") {
						t.Errorf("the model is offered %s", tool.Name)
					}
				}
			})
		}
	}
}

// leaves waits until the vendor saw its client go. Some programs end so quickly that it never notices one; that none of
// them is left is what gone says.
func leaves(t *testing.T, vendor *llmtest.Server) {
	t.Helper()
	select {
	case <-vendor.Left():
	case <-time.After(15 * time.Second):
		t.Log("the vendor saw nobody leave")
	}
}
