package tui

import (
	"context"
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// seen says whether a text stands on the screen.
func (s *stage) seen(text string) bool {
	lines, _ := s.frame(120, 36)
	return strings.Contains(ansi.Strip(strings.Join(lines, "\n")), text)
}

func (s *stage) see(text string) {
	s.t.Helper()
	if !s.seen(text) {
		lines, _ := s.frame(120, 36)
		s.t.Errorf("%q is not on the screen:\n%s", text, strings.Join(lines, "\n"))
	}
}

func TestSessions(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("/new first")
		s.say("What is better?")
		s.say("/new second")
		s.say("And what is worse?")
		s.press("alt+h")
		s.wait(time.Second)
		s.write("better")
		s.wait(time.Second)
		s.press("ctrl+r", "ctrl+u")
		s.write("renamed")
		s.press("enter")
		s.wait(time.Second)
		s.see("renamed to renamed")
		s.press("ctrl+e")
		s.wait(time.Second)
		s.see("Write renamed.md?")
		s.press("n", "ctrl+d")
		s.press("y")
		s.wait(time.Second)
		s.press("esc")
		s.see("socrates tree restore") // beside what was talked about elsewhere it goes on in the next line
		if s.seen("Recent") {
			t.Error("what was deleted is still among the recent conversations")
		}
		if len(s.tabs) != 2 {
			t.Errorf("%d tabs are open, and not those of what was there before and of the second conversation", len(s.tabs))
		}
		s.do(conversation.Restore{Tree: "renamed"})
		s.press("alt+h")
		s.wait(time.Second)
		s.write("better")
		s.press("enter")
		s.wait(time.Second)
		s.see(" renamed ")
	})
}

// lacking has the setup find what could be signed in to, and no model.
func (s *stage) lacking() {
	s.people.Model = func(context.Context) (string, error) { return "", errors.New("no model was found") }
	s.people.Seats = func(context.Context) ([]Candidate, error) {
		return []Candidate{
			{Name: "prog", Spec: "prog", Open: "prog", Why: "not signed in", Source: "program", SignIn: []string{"prog"}, How: "Enter starts it, to sign in there"},
			{Name: "sure", Spec: "sure", Open: "sure", Why: "its login may be in the keychain", Source: "program", SignIn: []string{"sure"}, Unsure: true, How: "Enter lets it answer, or starts it"},
			{Name: "other", Spec: "other", Open: "other", Why: "not installed", Source: "program", How: "install it and sign in there, then search again"},
			{Name: "vendor", Spec: "vendor:mid", Open: "vendor", Why: "VENDOR_KEY is not set", Source: "key", SignIn: []string{"socrates", "login", "vendor"}, How: "Enter takes its key"},
			{Name: "browsed", Spec: "browsed:mid", Open: "browsed", Why: "BROWSED_KEY is not set", Source: "key", Browser: true, How: "Enter signs in with the browser"},
			{Name: "local", Spec: "local", Open: "local", Why: "nothing answers", Source: "local", How: "start it, then search again"},
			{Name: "rehearsal", Spec: "rehearsal", Open: "rehearsal", Model: "none", Lineage: "rules", Source: "rehearsal", Ready: true, Used: true},
		}, nil
	}
}

// What is typed on while the list of models has opened is no filter of it.
func TestAQuestionAtTheSetup(t *testing.T) {
	onStage(t, func(s *stage) {
		s.lacking()
		s.run(s.findModel())
		s.wait(time.Second)
		s.say("first question")
		s.wait(time.Second)
		s.see("Welcome. No model is connected yet.")
		s.write("what of the cache?")
		s.see("Nothing matches. Enter moves the text to your message.")
		s.press("enter")
		if s.seen("Welcome. No model is connected yet.") {
			t.Error("the list is still there")
		}
		s.see("first question")
		s.see("what of the cache?")
	})
}

func TestSetup(t *testing.T) {
	onStage(t, func(s *stage) {
		s.lacking()
		s.run(s.findModel())
		s.wait(time.Second)
		s.see("No model is connected yet")
		s.see("Sign in with prog")
		s.press("down", "down", "down", "down", "down", "enter")
		s.see("Install a coding agent")
		s.press("enter")
		s.see("other: install it and sign in there, then search again")
		s.say("/login")
		s.see("Watch a rehearsal debate")
		s.press("esc")
		s.say("/seats")
		s.see("1 marked")
		s.press("enter")
		sat := s.Seated
		if len(sat) != 1 || sat[0] != "rehearsal" {
			t.Errorf("%q sit in the next debates", sat)
		}
		s.see("the next debates are rehearsals with three rule-based seats")
	})
}

func TestTyped(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("What is better?")
		s.say("And what is worse,\nor the same?")
		s.say("/new other")
		s.say("What is better?")
		s.press("ctrl+r")
		s.wait(time.Second)
		s.write("worse")
		s.press("enter")
		if got := s.input().Text(); !strings.HasPrefix(got, "And what is worse") {
			t.Errorf("the input holds %q", got)
		}
	})
}

func TestThemes(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("What is better?")
		s.follows = true
		s.tell(tea.BackgroundColorMsg{Color: color.White})
		if s.Theme.Name != "light" {
			t.Errorf("the theme is %s on a light ground", s.Theme.Name)
		}
		s.say("/theme none")
		s.tell(tea.BackgroundColorMsg{Color: color.White})
		if s.Theme.Name != "none" {
			t.Errorf("the theme is %s after another one was chosen", s.Theme.Name)
		}
	})
}

func TestRestore(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		for _, name := range []string{"one", "two", "three"} {
			s.say("/new " + name)
			s.say("What is better?")
		}
		s.press("alt+3")
		kept := s.keeping.begun()
		s.do(conversation.Delete{Trees: []string{"three"}})
		s.newDesk(s.Ctx)
		s.run(s.keeping.restore(Start{Tabs: kept}))
		s.wait(time.Second)
		if got := s.current().Title(); got != "two" || len(s.tabs) != 2 {
			t.Errorf("%s is shown among %d tabs", got, len(s.tabs))
		}
		if s.Note.Bad {
			t.Errorf("it says %q", s.Note.Text)
		}
	})
}

// A rehearsal that has ended is not opened again: what is asked there would be asked of rules, whatever was connected since.
func TestRehearsalStaysAway(t *testing.T) {
	onStage(t, func(s *stage) {
		s.panel()
		s.next.Frame.Rehearsal = true
		s.begin(20 * time.Second)
		kept := s.keeping.begun()
		s.newDesk(s.Ctx)
		s.run(s.keeping.restore(Start{Tabs: kept}))
		s.wait(time.Second)
		if got := s.current().Kept(); got.Page == "debate" {
			t.Errorf("%s is shown again", got.Name)
		}
	})
}

// A debate that ended while its screen was gone still brings what it decided back, once.
func TestRestoredDebateConcludes(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("What is better?")
		s.panel()
		s.begin(500 * time.Millisecond)
		kept := s.keeping.begun()
		for _, tab := range s.tabs {
			tab.Close()
		}
		s.wait(20 * time.Second)
		for range 2 {
			s.newDesk(s.Ctx)
			s.run(s.keeping.restore(Start{Tabs: kept}))
			s.wait(2 * time.Second)
			kept = s.keeping.begun()
		}
		merged := 0
		for _, tab := range s.tabs {
			if p, ok := tab.Page.(*chatpage.Page); ok {
				for _, e := range p.Scene().Entries {
					if e.Sort == scene.Merged {
						merged++
					}
				}
			}
		}
		if merged != 1 {
			t.Errorf("what was decided came back %d times", merged)
		}
	})
}

// Each line that calls changed counts once, however many calls changed the file.
func TestTally(t *testing.T) {
	onStage(t, func(s *stage) {
		s.file("chair.go", "package main\n\nvar a, b = 1, 2\n\nvar c = 3\n")
		s.script("scripted", script.Rule{Reply: "Done.", Calls: []script.Call{call("read", "path", "chair.go")},
			Steps: [][]script.Call{{call("edit", "path", "chair.go", "old", "1, 2", "new", "3, 4")}, {call("edit", "path", "chair.go", "old", "c = 3", "new", "c = 5")}}})
		s.say("Mend it.")
		s.press("f5")
		s.see("Files changed by this conversation's tool calls (1)")
		s.see("▸ chair.go")
		s.see(" +2 −2 │")
	})
}

// What comes by itself does not take away why something was refused just now; what the person does next does.
func TestNoticesReplaceNoRefusal(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("/tab 9")
		s.Notice("the decision came")
		s.see("no tab 9")
		s.see("the decision came")
		s.press("f1") // where there is one line for sentences
		s.see("1 · the decision came")
		s.press("esc")
		s.wait(screen.NoteTime / 2)
		s.Notice("another came")
		s.wait(screen.NoteTime/2 + time.Second)
		s.see("another came")
		if s.Tell("told"); s.seen("no tab 9") || s.seen("came") {
			t.Error("what was told before stands beside what the person did")
		}
	})
}

// A notice is shown with the page that it is about, and nowhere else: one that comes while another page is shown waits.
func TestNoticesStayWithTheirPage(t *testing.T) {
	const said = "no decision; noted in the conversation"
	onStage(t, func(s *stage) {
		s.panel()
		s.level()
		s.begin(10 * time.Second)
		s.say("/go")
		s.see(said)
		if s.press("alt+n"); s.seen(said) {
			t.Error("a new tab shows the notice of another one")
		}
	})
	onStage(t, func(s *stage) {
		s.panel()
		s.level()
		s.begin(10 * time.Second)
		s.write("/go")
		s.press("enter", "alt+n")
		s.Tell("about the new one")
		for range 8 {
			if s.wait(time.Second / 2); s.seen(said) {
				t.Fatal("a tab shows what came of another one")
			}
		}
		s.see("about the new one")
		s.wait(time.Minute)
		s.press("alt+2")
		s.see(said)
		if s.press("alt+w"); s.seen(said) {
			t.Error("a closed tab left its notice")
		}
	})
}

// Who sends something and leaves before it is on its way finds it in the input again: a busy machine takes its time.
func TestSentAndLeft(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("/new first")
		for _, text := range []string{"one thought", "and another"} { // the second one waits for the first
			s.write(text)
			s.Update(keyOf("enter")) // what it asks for is never done
		}
		s.write("half of a third")
		s.keeping.takeBack()
		var drafts []string
		for _, k := range s.keeping.withDrafts() {
			drafts = append(drafts, k.Draft)
		}
		if want := []string{"half of a third", "one thought", "and another"}; !slices.Equal(drafts, want) {
			t.Errorf("kept: %q", drafts)
		}
	})
}

// Who leaves while something is at work is asked, and has left once that has ended, also if no page hears of its end.
func TestLeavesWhenAllHasEnded(t *testing.T) {
	onStage(t, func(s *stage) {
		s.script("scripted", script.Rule{DelayMS: 3000, Reply: "At last."})
		s.do(conversation.NewTree{Name: "elsewhere", Dir: s.Dir})
		s.do(turns.Say{Tree: "elsewhere", Text: "Be slow.", Model: "scripted"})
		s.press("ctrl+q")
		s.see("Quit?")
		s.wait(time.Second)
		if s.quit {
			t.Error("it left before that had ended")
		}
		s.wait(5 * time.Second)
		if !s.quit {
			t.Error("it stays although nothing is at work any more")
		}
	})
}

// A sentence that another took the place of while something went on has its whole time afterwards.
func TestMeanwhile(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.Tell("the key works")
		over := s.Meanwhile("looking")
		s.wait(2 * screen.NoteTime)
		over()
		s.see("the key works")
		s.wait(screen.NoteTime + time.Second)
		s.Meanwhile("looking")()
		if s.seen("the key works") || s.seen("looking") {
			t.Error("what was told long ago is told again")
		}
		over = s.Meanwhile("looking")
		s.Tell("something else")
		over()
		s.see("something else")
	})
}
