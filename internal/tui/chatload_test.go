package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
)

// firstNodes is how much of a conversation is read before it is first shown.
const firstNodes = 200

// A conversation that is opened shows its end; who scrolls or types before the rest is there stays where they are, and is
// heard by the model that was set at the beginning.
func TestOpenedByItsEnd(t *testing.T) {
	onStage(t, func(s *stage) {
		s.script("set", script.Rule{Reply: "Said by the one that was set."})
		s.do(conversation.NewTree{Name: "long", Dir: s.dir})
		s.do(turns.Set{Tree: "long", Key: "model", Value: "set"})
		for i := range 2 * firstNodes {
			s.do(conversation.Remark{Tree: "long", Role: "user", Text: fmt.Sprintf("number %d", i)})
		}
		cmd := s.pages.openChat("long")
		p := s.current().(*chatpage.Page)
		_, cmd = s.Update(cmd())
		if n := len(p.Scene().Entries); n != firstNodes {
			t.Fatalf("%d entries are shown first", n)
		}
		s.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
		s.draw(140, 40)
		s.Update(keyOf("pgup"))
		before, _ := s.draw(140, 40)
		if line := before[39]; !strings.Contains(line, "loading the conversation") {
			t.Errorf("the status says %q", line)
		}
		for _, k := range "hello" {
			s.Update(tea.KeyPressMsg{Code: k, Text: string(k)})
		}
		s.run(cmd)
		s.settle()
		after, _ := s.draw(140, 40)
		if n := len(p.Scene().Entries); n != 2*firstNodes || strings.Join(before[:30], "\n") != strings.Join(after[:30], "\n") {
			t.Errorf("%d entries are shown in the end, and what was in sight moved:\n%s", n, strings.Join(after, "\n"))
		}
		cmd = p.Load()
		s.Update(keyOf("enter"))
		s.see("Queued: hello")
		s.do(conversation.Remark{Tree: "long", Role: "user", Text: "from elsewhere"})
		s.run(cmd)
		s.wait(time.Second)
		s.see("from elsewhere")
		s.see("Said by the one that was set.")
	})
}

// What a conversation cost is what all its branches cost, also when its end is all that was asked for.
func TestOpenedWithItsCost(t *testing.T) {
	onStage(t, func(s *stage) {
		s.script("set", script.Rule{Reply: "Done.", Usage: &cost.Usage{Input: 10, Output: 1}})
		s.say("/models set")
		for _, text := range []string{"One.", "Two.", "/back", "Three."} {
			s.say(text)
			s.settle()
		}
		name := s.tree()
		s.press("alt+w")
		s.run(s.pages.openChat(name))
		s.settle()
		n := 0
		for _, spent := range s.current().(*chatpage.Page).Scene().Spent {
			n += spent.Calls
		}
		if n != 3 {
			t.Errorf("%d calls are counted, and 3 were made", n)
		}
	})
}

// What was said is found in past conversations, and opened where it was said.
func TestNewsSurvivesLoading(t *testing.T) {
	onStage(t, func(s *stage) {
		for _, name := range []string{"whales", "cranes"} {
			s.do(conversation.NewTree{Name: name, Dir: s.dir})
			s.do(conversation.Remark{Tree: name, Role: "user", Text: "Tell me of animals."})
			s.do(conversation.Remark{Tree: name, Role: "assistant", Text: "I will tell of " + name + ", at length."})
			for i := range 40 {
				s.do(conversation.Remark{Tree: name, Role: "user", Text: fmt.Sprintf("Go on, %d.", i)})
			}
		}
		s.press("alt+h")
		s.wait(time.Second)
		s.write("length whal")
		s.wait(time.Second)
		s.see("found once  whales")
		s.see("I will tell of ")
		s.press("enter")
		s.wait(time.Second)
		s.see("I will tell of whales, at length.")
		s.see("┃ I will tell of whales, at length.")
		if s.tree() != "whales" {
			t.Errorf("%s is shown", s.tree())
		}
	})
}
