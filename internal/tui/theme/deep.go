package theme

// grounds are the background colours of a theme.
type grounds struct{ band, code, addedRow, removedRow, addedWord, removedWord, chosen, danger Ink }

// deep are the backgrounds for terminals of sixteen million colours: among 256 the nearest greens and reds are
// too loud.
var deep = map[string]grounds{
	"dark": {"48;2;32;36;44", "48;2;26;29;36", "48;2;18;40;31", "48;2;50;26;26", "48;2;31;90;65", "48;2;116;48;46",
		"1;38;5;231;48;2;36;64;95", "1;38;5;231;48;2;163;34;28"},
	"light": {"48;2;241;243;246", "48;2;246;248;250", "48;2;227;246;236", "48;2;253;236;234", "48;2;169;229;198", "48;2;247;184;178",
		"1;38;5;16;48;2;214;230;251", "1;38;5;231;48;2;179;38;30"},
}

// Deep returns the theme for a terminal with true colours. Text colours stay: they are as good among 256, and a
// sequence is sent with every piece of text.
func (t Theme) Deep() Theme {
	g, ok := deep[t.Name]
	if !ok {
		return t
	}
	t.Band, t.Ground, t.Chosen, t.Danger = g.band, g.code, g.chosen, g.danger
	t.AddedRow, t.RemovedRow, t.AddedWord, t.RemovedWord = g.addedRow, g.removedRow, g.addedWord, g.removedWord
	return t
}
