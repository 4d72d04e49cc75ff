package turns

// Manner is what holds of every turn that a front end begins, whatever is said in it.
type Manner struct {
	Effort string
	Bare   bool
	Limits Limits
	Only   []string // the tools of a turn that does not name its own; none: all
	Alone  bool     // no tools at all
}

// Over lays it over something that is said, of which it returns a copy. A tool named "-" does not exist.
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
