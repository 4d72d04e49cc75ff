// Package markdown stub.
package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

type Text struct{ lines []string }

func New(t theme.Theme) *Text { return &Text{} }
func (x *Text) Set(text string, width int) {
	x.lines = strings.Split(ansi.Wrap(text, width, ""), "\n")
}
func (x *Text) Lines() []string { return x.lines }
func Code(t theme.Theme, lang, text string, width int) []string {
	return strings.Split(ansi.Hardwrap(text, width, false), "\n")
}
func Diff(t theme.Theme, unified string, width int) []string     { return Code(t, "", unified, width) }
func Side(t theme.Theme, left, right string, width int) []string { return Code(t, "", left, width) }
