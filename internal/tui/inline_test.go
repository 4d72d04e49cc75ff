package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// What is drawn below what the terminal keeps.
func TestInlineFrames(t *testing.T) {
	long := script.Rule{Contains: "long", PaceMS: 100, Piece: 10, Reply: "It begins.\n\n" + essay + strings.Repeat("And on it goes. ", 40)}
	for name, act := range map[string]func(s *stage){
		"empty":   func(s *stage) {},
		"growing": func(s *stage) { s.script("scripted", long); s.say("Be long."); s.wait(4 * time.Second); s.unprinted() },
		"asked": func(s *stage) {
			s.script("scripted", script.Rule{Calls: []script.Call{call("bash", "command", "rm -rf sub")}, Reply: "Done."})
			s.say("Do it.")
		},
		"answered": func(s *stage) { s.say("What is better?") },
		"side":     func(s *stage) { s.say("Mend the chair."); s.press("tab", "tab") },
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.Inline = true
				s.worker()
				act(s)
				s.golden("inline-" + name)
			})
		})
	}
}

// What of a reply is settled is printed while the rest grows, and the whole comes out once, at whatever width each part of it
// was printed.
func TestPrintedOnce(t *testing.T) {
	onStage(t, func(s *stage) {
		s.Inline = true
		words := strings.Repeat("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen. \n\n", 20)
		s.script("scripted", script.Rule{PaceMS: 50, Piece: 40, Reply: words})
		p := s.current().(*chatpage.Page)
		var out []string
		s.write("Tell.")
		s.press("enter")
		for i := range 60 {
			s.tell(tea.WindowSizeMsg{Width: []int{80, 80, 80, 60, 60, 100}[i/2%6], Height: 24})
			s.wait(50 * time.Millisecond)
			s.below.printing = true // what follows is printed here
			out = append(out, s.unprinted()...)
			if p.State().Mark == screen.Working && i > 40 && len(out) < 10 {
				t.Fatal("nothing is printed while it grows")
			}
		}
		got := strings.Fields(strings.Join(out, " "))
		if i := slices.Index(got, "one"); i < 0 || !slices.Equal(got[i:][:min(len(strings.Fields(words)), len(got)-i)], strings.Fields(words)) {
			t.Errorf("printed: %q", strings.Join(out, "\n"))
		}
	})
}

// A terminal that becomes narrower breaks the lines of the picture: the next begins where the first of them is.
func TestReflowed(t *testing.T) {
	onStage(t, func(s *stage) {
		s.Inline = true
		s.worker()
		s.say("What is better?")
		s.Tell(strings.TrimSpace(strings.Repeat("word ", 14)))
		for _, c := range []struct {
			width int
			want  string
		}{{79, ""}, {100, ""}, {40, "\x1b[A"}, {20, "\x1b[2A"}} { // of the sentence only: a line of the input is short
			s.View()
			got := ""
			s.Raw = func(text string) { got += text }
			s.tell(tea.WindowSizeMsg{Width: c.width, Height: 24})
			s.wait(time.Second)
			if got != c.want {
				t.Errorf("at %d: %q, want %q", c.width, got, c.want)
			}
		}
	})
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{{map[string]string{"TERM": "xterm-256color"}, true}, {map[string]string{"TERM": "linux"}, false}, {map[string]string{"XTERM_VERSION": "XTerm(390)"}, false}, {map[string]string{"STY": "1"}, false}} {
		if got := Reflows(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}

// unprinted are the lines that are to be printed now.
func (s *stage) unprinted() []string {
	return s.below.unprinted(max(s.Width, screen.LeastWidth))
}

// What is read aloud stays out of the first row, from which tmux keeps what is cleared; a sentence beside a list is whole.
func TestInlineRoom(t *testing.T) {
	onStage(t, func(s *stage) {
		s.Inline, s.Plain, s.Theme.Plain = true, true, true
		s.worker()
		for _, key := range []string{"f1", "k", "esc", "ctrl+k"} {
			s.press(key)
			s.Tell("the key works. It is saved where nobody else can read it: " + strings.Repeat("folder/", 12) + "keys.yaml")
			text := s.View().Content
			if rows := strings.Count(text, "\n") + 1; rows >= s.Height {
				t.Errorf("%s: %d of %d rows", key, rows, s.Height)
			}
			if len(s.Dialogs) > 0 && !strings.Contains(text, "keys.yaml") {
				t.Errorf("%s: the sentence is cut:\n%s", key, text)
			}
		}
	})
}
