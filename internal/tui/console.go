package tui

import (
	"reflect"

	tea "charm.land/bubbletea/v2"
)

// consoleBegins is what the Linux console sends before a letter from A on for F1 to F5.
const consoleBegins = "\x1b[["

// consoleKeys joins those two pieces into keys; no other terminal sends them.
func consoleKeys() func(tea.Model, tea.Msg) tea.Msg {
	begun := false
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if v := reflect.ValueOf(msg); v.Kind() == reflect.String && v.String() == consoleBegins {
			begun = true
			return nil
		}
		if k, ok := msg.(tea.KeyPressMsg); ok && begun {
			begun = false
			if k.Text >= "A" && k.Text <= "E" && len(k.Text) == 1 {
				return tea.KeyPressMsg{Code: tea.KeyF1 + rune(k.Text[0]-'A')}
			}
		}
		return msg
	}
}
