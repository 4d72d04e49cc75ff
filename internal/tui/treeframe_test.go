package tui

import (
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/script"
)

// grove is a conversation with three branches, a label, and a change of files, shown as a tree.
func (s *stage) grove() {
	s.worker()
	s.say("Mend the chair.")
	s.say("What is better?")
	s.say("/fork other")
	s.script("scripted", script.Rule{Reply: "The **other** way."})
	s.say("Say it the other way.")
	s.say("/switch main")
	s.say("/label good")
	s.script("scripted", script.Rule{Reply: "On the main way, with \x1b[31mred\x1b[m and \u202etxet."})
	s.say("And now?")
	s.press("f3")
	s.wait(time.Second)
}

func TestTreeFrames(t *testing.T) {
	for name, act := range map[string]func(s *stage){
		"branches":  func(s *stage) {},
		"change":    func(s *stage) { s.press("home", "down", "down", "down", "down") },
		"folded":    func(s *stage) { s.foldAny() },
		"search":    func(s *stage) { s.press("/"); s.write("way") },
		"sifted":    func(s *stage) { s.press("/"); s.write("way"); s.press("enter") },
		"label":     func(s *stage) { s.press("up", "l"); s.write("here") },
		"labelled":  func(s *stage) { s.press("up", "l"); s.write("here"); s.press("enter"); s.wait(time.Second) },
		"marked":    func(s *stage) { s.press("up", "c", "up", "up") },
		"compare":   func(s *stage) { s.press("c", "up", "up", "up", "up", "c"); s.wait(time.Second) },
		"retry":     func(s *stage) { s.press("r"); s.wait(time.Second) },
		"forked":    func(s *stage) { s.press("up", "f"); s.wait(time.Second) },
		"not begun": func(s *stage) { s.press("alt+n", "f3") },
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.grove()
				act(s)
				s.inked("tree-" + fileOf(name))
			})
		})
	}
}

// Esc leads back to the conversation and leaves no tab of the tree behind; the tree of a debate is that of the conversation that asked.
func TestTreeBack(t *testing.T) {
	onStage(t, func(s *stage) {
		s.grove()
		for range 3 {
			s.press("esc")
			if s.wait(time.Second); len(s.tabs) != 1 || s.current().Kept().Page != "chat" {
				t.Fatalf("%d tabs, at %s", len(s.tabs), s.current().Title())
			}
			s.press("alt+t")
			s.wait(time.Second)
		}
	})
	onStage(t, func(s *stage) {
		s.panel()
		s.begin(20 * time.Second)
		name := s.tabs[0].Kept().Name
		s.press("alt+t")
		if s.wait(time.Second); s.current().Kept() != (Kept{Page: "tree", Name: name}) {
			t.Errorf("alt+t in a debate of %s leads to %v", name, s.current().Kept())
		}
		s.press("esc", "alt+n")
		s.say("/new debate lonely")
		s.press("alt+t")
		s.see("only conversations have a tree; alt+h lists them")
		s.say("/runs")
		s.press("alt+t")
		s.see("only conversations have a tree")
	})
}

// foldAny folds the first place that branches.
func (s *stage) foldAny() {
	s.press("home")
	for range 100 {
		said := len(s.Log)
		if s.press("space"); len(s.Log) == said { // else it says that no branch starts here
			return
		}
		s.press("down")
	}
	s.t.Error("nothing can be folded")
}
