package tui

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// bits are what hostile texts are made of: sequences of every kind, whole and cut, C1 in both spellings, what turns text
// around or hides it, what is wide or has no width, and what Markdown, diffs and JSON are made of.
var bits = []string{"\x1b[31m", "\x1b[2J", "\x1b[", "\x1b", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]", "\x1bP1$q\x1b\\", "\x1b_Gi=1\x1b\\",
	"\x1b^x\x1b\\", "\x1bX", "\x1b[200~", "\x1b[201~", "\x1b[6n", "\x1bc", "\u009b31m", "\u009d52;c;\u009c", "\x9b31m", "\u0090x", "\x00", "\x07", "\b\b\b", "\r", "\v", "\f", "\x7f", "\t", "\n", "\n\n", "\r\n",
	"\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\u2028", "\u2029", "\u00ad", "\U000e0041", "\U0010eeee\u0305\u0305", "\ufe0f", "e\u0301\u0302\u0303", "漢字", "👩‍👩‍👧", "🇩🇪", "𝕏", "\xff\xfe", "\xed\xa0\x80",
	"word ", "a longer word that wraps ", strings.Repeat("x", 90), strings.Repeat("漢", 50), secret, "# ", "- ", "1. ", "> ", "```go\n", "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "**", "`", "[a](b)", "![](", "<b>", "&lt;",
	"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "@@ -1,9999 +1 @@\n", `{"option": "A", "summary": "`, `", "claims": [{"text": "`, `"}], "options": [`, `\u001b[31m`, `\`, `"`, "/help", "/", "@", "!"}

var hostileText = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, 12).Draw(t, "bits"), "")
})

// name is a text that a file can be called.
func fileName(text string) string {
	return "n" + strings.NewReplacer("/", "∕", "\x00", "").Replace(text[:min(len(text), 120)])
}

// What anybody sends never reaches the terminal as anything but letters: frames are as large as the screen, and hold no
// escape but our inks, whatever models, tools, files and people do, in whatever order and size.
func TestHostileFrames(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 7)
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == seed.DefValue && os.Getenv("SOCRATES_STRESS") == "" {
		flag.Set("rapid.seed", "7") // the suite says the same each time; SOCRATES_STRESS redraws
		defer flag.Set("rapid.seed", seed.DefValue)
	}
	n := 0
	synctest.Test(t, func(t *testing.T) {
		top := t.TempDir()
		rapid.Check(struct{ testing.TB }{t}, func(r *rapid.T) {
			n++
			s := newStage(r, filepath.Join(top, fmt.Sprint(n)))
			defer s.close()
			s.hostile(r)
		})
	})
}

// hostile has everybody do what they like.
func (s *stage) hostile(r *rapid.T) {
	text := func() string { return hostileText.Draw(r, "text") }
	s.worker()
	rule := script.Rule{Reply: text(), DelayMS: rapid.SampledFrom([]int{0, 100}).Draw(r, "delay"), Cut: rapid.IntRange(0, 200).Draw(r, "cut")}
	rule.Error = rapid.SampledFrom([]trouble.Kind{"", trouble.Stall, trouble.Auth}).Draw(r, "error")
	s.file(fileName(text()), text())
	switch rapid.IntRange(0, 4).Draw(r, "tool") {
	case 0:
		s.file("f.txt", text())
		rule.Calls = []script.Call{call("read", "path", "f.txt"), call("ls", "path", "."), call("write", "path", fileName(text()), "content", text())}
	case 1:
		rule.Calls = []script.Call{call("bash", "command", "curl '"+text()+"'")}
	case 2:
		rule.Calls = []script.Call{call("ask", "question", text(), "options", []string{text(), text()})}
	case 3:
		rule.Calls = []script.Call{call("todo", "items", []any{map[string]any{"text": text(), "state": "open"}}), call(text(), text(), text())}
	}
	s.models["scripted"] = nil
	if m, err := script.New(llm.Info{ID: line.One(text()) + "m", Lineage: text()}, rule); err == nil {
		s.models["scripted"] = m
	} else {
		s.script("scripted", script.Rule{Reply: "so " + strings.NewReplacer("{{", "", "}}", "").Replace(text())})
	}
	s.panel()
	s.next.Frame.Question = "q" + text()
	s.next.Frame.Seats[0].Persona.Name = text()
	blind, _ := json.Marshal(text())
	s.script("acme", script.Rule{Reply: `{"option": "A", "summary": ` + string(blind) + `, "claims": [{"text": ` + string(blind) + `, "kind": "logic", "impact": 3, "option": "A", "supports": true}]}`})
	s.script("zeta", script.Rule{Reply: strings.NewReplacer("{{", "", "}}", "").Replace("so " + text() + text())})
	for range rapid.IntRange(1, 12).Draw(r, "acts") {
		s.oneAct(r, text)
		if s.quit {
			return
		}
		w, h := max(s.Width, screen.LeastWidth), max(s.Height, screen.LeastHeight)
		lines, _ := s.draw(w, h)
		s.sound(lines, w, h)
		title := s.View().WindowTitle
		s.sound([]string{title}, 10_000, 1)
		for _, l := range append(lines, title) {
			if strings.Contains(l, secret) {
				s.t.Fatalf("a secret is shown: %q", l)
			}
		}
	}
}

// oneAct is one thing that a person, a terminal or time does.
func (s *stage) oneAct(r *rapid.T, text func() string) {
	var keys []string
	for _, a := range s.keys.all {
		if a.Name != "chat-edit" {
			keys = append(keys, a.Keys...)
		}
	}
	keys = append(keys, "enter", "esc", "up", "down", "tab", "backspace", "space", "y", "n", "a", "/", "@", "ctrl+c", "ctrl+w", "ctrl+j", "left", "home")
	unsecret := func(s string) string { return strings.ReplaceAll(s, secret, "") } // what a person types is theirs
	switch rapid.IntRange(0, 10).Draw(r, "act") {
	case 0:
		s.tell(tea.WindowSizeMsg{Width: rapid.IntRange(1, 200).Draw(r, "w"), Height: rapid.IntRange(1, 60).Draw(r, "h")})
	case 1:
		s.tell(tea.PasteMsg{Content: unsecret(text())})
	case 2:
		s.tell(tea.PasteMsg{Content: unsecret("say " + text())}, keyOf("enter"))
		s.wait(300 * time.Millisecond)
		s.press("ctrl+o")
	case 3:
		s.tell(tea.PasteMsg{Content: "/debate x" + unsecret(text())}, keyOf("enter"))
		s.wait(time.Second)
	case 4:
		s.tell(tea.MouseClickMsg{X: rapid.IntRange(-1, 200).Draw(r, "x"), Y: rapid.IntRange(-1, 60).Draw(r, "y"), Button: tea.MouseLeft})
	case 5:
		s.tell(tea.MouseWheelMsg{Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}).Draw(r, "wheel")})
	case 6:
		s.wait(500 * time.Millisecond)
	case 7:
		s.Fail(&engine.Refusal{Message: text(), Hint: text()})
	case 8:
		s.tell(screen.Update(func() tea.Cmd {
			s.Push(dialog.Write(s.Screen, s.dir, slash.File{Path: fileName(text()), Text: text()}))
			return nil
		}))
	case 9:
		s.run(rapid.SampledFrom(s.keys.all).Filter(func(a Action) bool { return a.Name != "chat-edit" }).Draw(r, "action").Do(s.Desk))
		s.settle()
	default:
		s.press(rapid.SampledFrom(keys).Draw(r, "key"))
	}
}

// A paste of ten megabytes is a block on one line; it is never sent by itself, and the screen stays as it is.
func TestHugePaste(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.tell(tea.PasteMsg{Content: strings.Repeat("a line with an end\x1b[201~\nrm -rf /\n", 300_000)})
		s.wait(time.Second)
		lines, _ := s.frame(80, 24)
		s.sound(lines, 80, 24)
		if p := s.current().(*chatpage.Page); p.State().Mark == screen.Working || len(p.Scene().Entries) > 0 || p.State().Input.Empty() {
			t.Error("the paste was sent, or is lost")
		}
		s.golden("paste-huge")
		s.press("ctrl+c")
		s.tell(tea.PasteMsg{Content: strings.Repeat("a line that is too much\n", 500_000)})
		s.golden("paste-refused")
	})
}

// A reply of one line of five megabytes is shown as it grows and when it is there, and can be scrolled through.
func TestHugeLine(t *testing.T) {
	onStage(t, func(s *stage) {
		s.models["scripted"] = flood{text: strings.Repeat("no end of this line ", 250_000), piece: 1 << 20}
		s.say("Go on.")
		for _, keys := range [][]string{nil, {"pgup", "pgup"}, {"ctrl+home"}, {"tab"}, {"ctrl+end"}} {
			s.press(keys...)
			lines, _ := s.frame(80, 24)
			s.sound(lines, 80, 24)
		}
		s.golden("line-huge")
	})
}

// A conversation of 2,000 messages opens at its end, and goes to its beginning and back.
func TestManyMessages(t *testing.T) {
	onStage(t, func(s *stage) {
		s.do(conversation.NewTree{Name: "long", Dir: s.dir})
		for i := range 1000 {
			for _, role := range []string{"user", "assistant"} {
				s.do(conversation.Remark{Tree: "long", Role: role, Text: fmt.Sprintf("%s number %d", role, i)})
			}
		}
		s.run(s.pages.openChat("long"))
		s.wait(time.Second)
		s.golden("many-end")
		s.press("ctrl+home")
		s.golden("many-begin")
		s.press("pgdown", "pgdown", "pgdown")
		s.tell(tea.WindowSizeMsg{Width: 20, Height: 6})
		lines, _ := s.frame(20, 6)
		s.sound(lines, 20, 6)
	})
}

// A terminal that shrinks in the middle of a stream, and grows again, shows what it showed before.
func TestShrinkWhileStreaming(t *testing.T) {
	onStage(t, func(s *stage) {
		s.panel()
		s.worker()
		s.say("Let it grow.")
		before, _ := s.frame(140, 40)
		for _, size := range [][2]int{{20, 6}, {20, 60}, {1, 1}, {139, 3}, {300, 100}} {
			s.tell(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			w, h := max(size[0], screen.LeastWidth), max(size[1], screen.LeastHeight)
			lines, cursor := s.draw(w, h)
			s.sound(lines, w, h)
			if cursor != nil && (cursor.X >= size[0] || cursor.Y >= size[1]) {
				t.Errorf("the cursor is at %d,%d on a screen of %v", cursor.X, cursor.Y, size)
			}
		}
		after, _ := s.frame(140, 40)
		if strings.Join(after, "\n") != strings.Join(before, "\n") {
			t.Errorf("it looks different:\n%s", strings.Join(after, "\n"))
		}
	})
}

// flood answers at once with a long text, a piece at a time.
type flood struct {
	text  string
	piece int
}

func (flood) Info() llm.Info { return llm.Info{ID: "flood", Lineage: "flood"} }

func (f flood) Stream(_ context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		d := draft.New(f.Info(), yield)
		for text := f.text; text != ""; text = text[min(f.piece, len(text)):] {
			if !d.Text(text[:min(f.piece, len(text))]) {
				return
			}
			time.Sleep(100 * time.Microsecond) // of the bubble: ten thousand pieces a second
		}
		d.End()
	}
}

// Five seats that stream ten thousand pieces a second are drawn a few times a second, and come to their end.
func TestFiveFloods(t *testing.T) {
	onStage(t, func(s *stage) {
		for i := range 5 {
			s.models[fmt.Sprint("m", i)] = flood{text: strings.Repeat(fmt.Sprintf("Seat %d says more and more. ", i), 4000), piece: 8}
		}
		s.table("council", "m0", "m1", "m2", "m3", "m4")
		s.begin(500 * time.Millisecond)
		for _, size := range sizes {
			lines, _ := s.frame(size[0], size[1])
			s.sound(lines, size[0], size[1])
		}
		if n := s.told; n > 100 {
			t.Errorf("the screen was told %d times in half a second", n)
		}
		s.wait(30 * time.Second)
		s.golden("floods")
	})
}

// A store that another process deletes is said to be lost; the screen stays, and what is typed too.
func TestDeletedStore(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("What is better?")
		if err := os.RemoveAll(filepath.Dir(s.store.File())); err != nil {
			t.Skip("an open store cannot be deleted here")
		}
		s.say("And now?")
		s.wait(2 * time.Second)
		s.see("while open; nothing") // whether a read or the write meets it first
		if s.current().(*chatpage.Page).State().Input.Text() != "And now?" {
			t.Error("what was typed is lost")
		}
	})
}
