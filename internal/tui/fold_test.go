package tui

import "testing"

// A key that shows more says so where nothing is shortened, instead of doing nothing.
func TestNothingToExpand(t *testing.T) {
	const all = "nothing in view is shortened"
	onStage(t, func(s *stage) {
		s.worker()
		s.say("Mend the chair.")
		s.frame(120, 36)
		s.press("ctrl+o")
		if s.seen(all) {
			t.Error("what a tool printed was expanded, and the screen says that nothing is")
		}
		s.press("tab", "enter")
		s.see("nothing more to expand")
		s.say("/new other")
		s.say("What is better?")
		s.frame(120, 36)
		s.press("ctrl+o")
		s.see(all)
	})
}
