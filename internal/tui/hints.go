package tui

// hint is as many of the hints as fit.
func hint(all []string, w int) (out string) {
	for _, h := range all {
		if out != "" {
			h = out + " · " + h
		}
		if wide(h) > w && out != "" {
			break
		}
		out = h
	}
	return out
}

// hints are what an empty input says of a conversation: nothing where there is nothing but to type.
func (p *chatPage) hints() []string {
	switch {
	case p.chosen >= 0:
		return []string{"enter opens it", "y copies it", "f begins a branch there", "esc goes back"}
	case p.running():
		return []string{"what you type is sent to the running turn"}
	case p.beside >= 0:
		return []string{"enter opens it", "x takes a file of the context away", "esc goes back"}
	}
	return nil
}
