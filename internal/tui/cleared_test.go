package tui

import "testing"

// Ctrl-C empties the input, and Up brings back what was in it.
func TestClearedTextComesBack(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("What is better?")
		s.write("a long thought")
		s.press("ctrl+c")
		if s.seen("a long thought") {
			t.Error("ctrl+c does not empty the input")
		}
		s.press("up")
		s.see("a long thought")
	})
}
