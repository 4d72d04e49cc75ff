package tui

import (
	"strconv"
	"strings"
)

// Linking says whether web addresses are links. The setting says so, or the environment which terminal it is; one that is not known to
// take links may show what they are made of.
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
	if program == "tmux" { // it hands links on since 3.4
		version, err := strconv.ParseFloat(strings.TrimRight(env("TERM_PROGRAM_VERSION"), "abcdefgh"), 64)
		return err == nil && version >= 3.4
	}
	vte, _ := strconv.Atoi(env("VTE_VERSION"))
	return program == "iterm.app" || program == "vscode" || env("WT_SESSION") != "" || env("KONSOLE_VERSION") != "" || vte >= 5000
}
