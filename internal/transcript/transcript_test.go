package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

var update = flag.Bool("update", false, "write the goldens anew")

var held = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)

// samples are what the programs wrote in a folder of two files, on 26 November 2026; those named branches have lines after that in
// the same form, with rewinds, summaries and unknown lines.
func samples(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	return files
}

func TestDocsTranscripts(t *testing.T) {
	for _, file := range samples(t) {
		c, err := ReadFile(file)
		if err != nil {
			t.Fatal(file, err)
		}
		got := describe(t, c)
		golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v\ngot:\n%s\nwant:\n%s", file, err, got, want)
		}
	}
}

// describe is a conversation for an eye: its outline, its branches, and what a model is shown of the main one.
func describe(t *testing.T, c Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s in %s; left out: %s\n", c.Program, c.Record.Name, c.Dir, c.Left())
	for _, l := range outline.Of(c.Record.Nodes) {
		fmt.Fprintln(&b, strings.TrimSpace(l.Rails+l.Role+" "+l.Text))
	}
	fmt.Fprintf(&b, "%d branches, %d labels\n", len(c.Record.Branches), len(c.Record.Labels))
	path, ok := tree.Path(c.Record.Nodes, c.Record.Branches["main"])
	if !ok {
		t.Fatal("no path to the main branch")
	}
	for _, n := range path {
		if n.At.Year() != 2026 {
			t.Error("a node has no time", n.Kind, n.At)
		}
	}
	for _, m := range view.Messages(path) {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", raw)
	}
	return b.String()
}

// Cut anywhere, a transcript is a conversation that holds together, or none.
func TestCutAnywhere(t *testing.T) {
	for _, file := range samples(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(raw); cut += 397 {
			checkSound(t, raw[:cut])
		}
	}
}

// checkSound fails if a transcript becomes a conversation that does not hold together.
func checkSound(t *testing.T, raw []byte) {
	c, err := Read(bytes.NewReader(raw), held)
	if err != nil {
		if !errors.Is(err, ErrForeign) {
			t.Fatalf("%v in %q", err, raw)
		}
		return
	}
	for _, head := range c.Record.Branches {
		path, ok := tree.Path(c.Record.Nodes, head)
		if !ok {
			t.Fatalf("a branch has no path: %q", raw)
		}
		called := map[string]bool{}
		for _, m := range view.Messages(path) {
			for _, p := range m.Parts {
				if r, ok := p.(llm.Result); ok && !called[r.ID] {
					t.Fatalf("a result without its call: %q", raw)
				}
			}
			for _, c := range m.Calls() {
				called[c.ID] = true
			}
		}
	}
	again, err := Read(bytes.NewReader(raw), held)
	same := func(a, b tree.Node) bool { return a.ID == b.ID }
	if err != nil || !slices.EqualFunc(c.Record.Nodes, again.Record.Nodes, same) {
		t.Fatalf("read twice it is not the same: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range samples(f) {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"type":"user","uuid":"a","parentUuid":"a","message":{"content":"x"}}`))
	for _, text := range beginnings {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkSound(t, raw) })
}

// beginnings go back to before their first message, or name it.
var beginnings = []string{
	`{"type":"session_meta","payload":{"id":"c","cwd":"/x"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`,
	`{"sessionId":"g","projectHash":"b","summary":"a\nb"}
{"id":"1","type":"user","content":"hello"}
{"$rewindTo":"1"}`,
	`{"sessionId":"g","projectHash":"b"}
{"id":"1","type":"user","content":""}
{"$rewindTo":"1"}
{"id":"1","type":"gemini","content":"x"}`,
	`{"type":"session","id":"p","cwd":"/x"}
{"type":"model_change","id":"m"}
{"type":"message","id":"a","message":{"role":"user","content":"yo"}}
{"type":"compaction","id":"b","summary":"s","firstKeptEntryId":"m"}
{"type":"label","id":"l","targetId":"m","label":"here"}`,
}

func TestTheBeginning(t *testing.T) {
	for _, text := range beginnings {
		c, err := Read(strings.NewReader(text), held)
		if err != nil || c.Left() != "" {
			t.Errorf("%s\n%v, left out: %s", text, err, c.Left())
		}
		for _, title := range margin.TitleKind.All(c.Record.Nodes) {
			if title.Text != "a b" {
				t.Errorf("%q", title.Text)
			}
		}
		checkSound(t, []byte(text))
	}
}

// A fault of ours is an error about that file.
func TestAFaultIsAnError(t *testing.T) {
	defer func(was []program) { programs = was }(programs)
	programs = []program{{name: "x", knows: func(map[string]json.RawMessage) bool { return true },
		line: func(b *builder, _ []byte) error { b.entries[0].say = "x"; return nil }}}
	if _, err := Read(strings.NewReader("{}"), held); err == nil || errors.Is(err, ErrForeign) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, ok := programs[0].peek(path, ""); ok {
		t.Error(f)
	}
}

// What a hostile file says of itself bounds nothing: ids, names and kinds are made plain, and long results lie beside.
func TestHostile(t *testing.T) {
	kinds := strings.Builder{}
	for i := range 100 {
		fmt.Fprintf(&kinds, `{"type":"k%d","uuid":"k%d"}`+"\n", i, i)
	}
	long := strings.Repeat("x", 200_000)
	c, err := Read(strings.NewReader(`{"type":"user","uuid":"u","sessionId":"../../\u001b[2J","message":{"content":"a\u0000b"}}
{"type":"assistant","uuid":"a","parentUuid":"u","message":{"content":[{"type":"tool_use","id":"../x y","name":"a b/é","input":[1]}]}}
{"type":"user","uuid":"r","parentUuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"../x y","content":"`+long+`"}]}}
{"type":"user","uuid":"q","parentUuid":"r","message":{"content":[{"type":"tool_result","tool_use_id":"nobody","content":"y"}]}}
`+kinds.String()), held)
	if err != nil {
		t.Fatal(err)
	}
	if c.Record.Name != "claude-2j" || len(c.Skipped) > 13 {
		t.Error(c.Record.Name, c.Left())
	}
	x := talk.ExchangeKind.All(c.Record.Nodes)[0]
	called := x.Messages[0].Calls()[0]
	if plain(called.ID) != called.ID || plain(called.Name) != called.Name || string(called.Args) != `{"input":"[1]"}` {
		t.Error(called.ID, called.Name, string(called.Args))
	}
	if hash := x.Whole[called.ID]; c.Record.Texts[hash] != long {
		t.Error("a long result is not kept whole")
	}
}

// Content nested without end is read in as many passes as any other.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("[", 9000) + `"` + strings.Repeat("x", 300_000) + `"` + strings.Repeat("]", 9000)
	c, err := Read(strings.NewReader(`{"type":"user","uuid":"u","sessionId":"s","message":{"content":`+deep+`}}`), held)
	if err != nil {
		t.Fatal(err)
	}
	if said := talk.SayKind.All(c.Record.Nodes); len(said) != 1 || !strings.HasPrefix(said[0].Text, "[[[") {
		t.Error("what is nested too deep is not as it was written")
	}
}

func TestFind(t *testing.T) {
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "shop[1]")
	put := func(path, text string) {
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, place := range map[string]string{"claude.jsonl": ".claude/projects/-shop/s.jsonl",
		"codex.jsonl": "alt/sessions/2026/11/26/rollout-x.jsonl", "gemini.jsonl": ".gemini/tmp/shop/chats/session-x.jsonl",
		"pi.jsonl": ".pi/agent/sessions/--shop--/x.jsonl"} {
		raw, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := json.Marshal(filepath.Join(dir, "web"))
		put(place, strings.ReplaceAll(string(raw), `"/home/me/shop"`, string(quoted)))
	}
	put(".gemini/tmp/shop/.project_root", dir)
	put(".claude/projects/-other/s.jsonl", `{"type":"user","uuid":"u","sessionId":"s","cwd":"/other","message":{"content":"elsewhere"}}`)
	put(".claude/projects/-other/empty.jsonl", "")
	env := func(name string) string {
		return map[string]string{"CODEX_HOME": filepath.Join(home, "alt")}[name]
	}
	var programs []string
	for _, f := range Find(env, home, dir) {
		programs = append(programs, f.Program)
		if !strings.HasPrefix(f.Title, "STUB-TOOL") || f.Session == "" {
			t.Error(f)
		}
	}
	slices.Sort(programs)
	if want := Programs(); !slices.Equal(programs, want) {
		t.Error(programs)
	}
	if all := Find(env, home, ""); len(all) != 5 {
		t.Error(all)
	}
}
