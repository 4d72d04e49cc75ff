package markdown_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

func BenchmarkAppendTo200KB(b *testing.B) {
	text := strings.Repeat(read(b, "sample.md")+"\n", 200_000/len(read(b, "sample.md"))+1)
	x := markdown.New(dark)
	x.Set(text, 100)
	more := strings.Repeat("So it goes. ", 8) + "\n\n"
	for b.Loop() {
		text += more
		x.Set(text, 100)
	}
}

func BenchmarkLineOf5MBGrowsBy10KB(b *testing.B) {
	more := strings.Repeat("0123456789", 1000)
	var text strings.Builder
	text.WriteString(strings.Repeat(more, 500))
	x := markdown.New(dark)
	x.Set(text.String(), 100)
	for b.Loop() {
		text.WriteString(more)
		x.Set(text.String(), 100)
	}
}

func BenchmarkMessageOf4KB(b *testing.B) {
	text := read(b, "sample.md")
	for b.Loop() {
		drawn(dark, text, 100)
	}
}
