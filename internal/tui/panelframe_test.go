package tui

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm/script"
)

// The dialogs that can be opened wherever one is, over a conversation in which files were changed.
func TestPanelFrames(t *testing.T) {
	press := func(keys ...string) func(s *stage) { return func(s *stage) { s.press(keys...); s.wait(time.Second) } }
	for name, act := range map[string]func(s *stage){
		"history":       press("alt+h"),
		"history heard": func(s *stage) { s.press("alt+h"); s.write("manual"); s.wait(time.Second) },
		"history of the folder": func(s *stage) {
			s.do(conversation.NewTree{Name: "far", Dir: s.dir + "-other"})
			s.do(conversation.Remark{Tree: "far", Role: "user", Text: "In another folder."})
			s.press("alt+h")
			s.wait(time.Second)
			s.see("in other folders")
			s.press("tab")
		},
		"history taken back": func(s *stage) {
			for _, key := range []string{"alt+h", "ctrl+d", "y", "ctrl+z"} {
				s.press(key)
				s.wait(time.Second)
			}
		},
		"delete":  press("alt+h", "ctrl+d"),
		"export":  press("alt+h", "ctrl+e"),
		"rename":  press("alt+h", "down", "ctrl+r"),
		"typed":   press("ctrl+r"),
		"models":  press("f4"),
		"seats":   press("alt+s"),
		"login":   func(s *stage) { s.say("/login") },
		"changes": press("f5"),
		"spent":   press("f6"),
		"answers": press("alt+c"),
		"compare": func(s *stage) {
			s.script("scripted", script.Rule{Reply: "The **other** way is:\n\n1. Readers never wait.\n2. Nobody waits."})
			s.say("/retry")
			s.press("alt+c")
			s.wait(time.Second)
			s.press("enter")
			s.wait(time.Second)
		},
		"log": func(s *stage) {
			s.Fail(&engine.Refusal{Message: "there is no chair", Hint: "sit on the floor"})
			s.press("alt+l")
		},
		"help":   press("f1"),
		"theme":  func(s *stage) { s.say("/theme light") },
		"themes": func(s *stage) { s.say("/theme") },
		"shown":  func(s *stage) { s.say("/export") },
		"named":  func(s *stage) { s.say("/rename chairs") },
		"palette of a debate": func(s *stage) {
			s.panel()
			s.begin(20 * time.Second)
			s.press("ctrl+k")
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.worker()
				s.say("Mend the chair.")
				s.say("What is better?")
				s.press("alt+n")
				s.say("Something else?")
				s.press("alt+1")
				act(s)
				s.inked("panel-" + fileOf(name))
			})
		})
	}
}

// Where no model is found the first thing to see is what can be done about it.
func TestFirstFrame(t *testing.T) {
	onStage(t, func(s *stage) {
		s.answers, s.nobody = "", errors.New("no model was found")
		s.run(s.Init())
		s.wait(time.Second)
		s.inked("panel-welcome")
		s.tell(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.press("esc")
		s.golden("panel-welcomed")
	})
}
