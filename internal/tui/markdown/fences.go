package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Blocks returns the code blocks of a text as they were written, in order, for copying.
func Blocks(source string) (out []string) {
	if !strings.Contains(source, "```") && !strings.Contains(source, "~~~") && !strings.Contains(source, "    ") &&
		!strings.Contains(source, "\t") {
		return nil
	}
	raw := []byte(clean.Text(source))
	d := drawer{source: raw}
	_ = ast.Walk(parse().Parse(text.NewReader(raw)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && (n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock) {
			out = append(out, strings.TrimSuffix(d.raw(n), "\n"))
		}
		return ast.WalkContinue, nil
	})
	return out
}

// BlockAt returns which of the code blocks begins in row y of a drawn text; -1: none.
func BlockAt(lines []string, y int) int {
	if y < 0 || y >= len(lines) || !strings.Contains(lines[y], string(theme.Block)+"m") {
		return -1
	}
	return strings.Count(strings.Join(lines[:y], "\n"), string(theme.Block)+"m")
}
