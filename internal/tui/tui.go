// Package tui is the full screen: a desk of tabs, each a conversation, a debate or a tree, over engine.Do, engine.Watch and
// the scenes made of them.
package tui

import (
	_ "charm.land/bubbletea/v2"
	_ "github.com/charmbracelet/x/ansi"
	_ "github.com/yuin/goldmark"
)
