package tui

import (
	"strconv"
	"strings"
)

// Linking reports whether web addresses are links. The setting decides, or the terminal according to the
// environment; one not known to support links may show their escapes.
func Linking(setting string, env func(string) string) bool {
	if setting != "auto" {
		return setting == "on"
	}
	term, program := env("TERM"), strings.ToLower(env("TERM_PROGRAM"))
	for _, name := range []string{"kitty", "ghostty", "foot", "alacritty", "wezterm", "contour"} {
		if strings.Contains(term, name) || program == name {
			return true
		}
	}
	if program == "tmux" { // it passes links on since 3.4
		version, err := strconv.ParseFloat(strings.TrimRight(env("TERM_PROGRAM_VERSION"), "abcdefgh"), 64)
		return err == nil && version >= 3.4
	}
	vte, _ := strconv.Atoi(env("VTE_VERSION"))
	return program == "iterm.app" || program == "vscode" || env("WT_SESSION") != "" || env("KONSOLE_VERSION") != "" || vte >= 5000
}
