package tui

import (
	_ "github.com/charmbracelet/x/vt"
	_ "github.com/creack/pty"
)
