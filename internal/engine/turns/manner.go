package turns

// Manner has the settings of every turn that a front end begins, whatever its message.
type Manner struct {
	Effort string
	Bare   bool
	Limits Limits
	Only   []string // tools of a turn that does not name its own; none: all
	Alone  bool     // no tools at all
}

// Over returns a copy of a message with these settings. A tool named "-" does not exist.
func (m Manner) Over(s Say) Say {
	s.Effort, s.Bare, s.Limits = m.Effort, m.Bare, m.Limits
	if len(s.Only) == 0 {
		s.Only = m.Only
	}
	if m.Alone {
		s.Only = []string{"-"}
	}
	return s
}
