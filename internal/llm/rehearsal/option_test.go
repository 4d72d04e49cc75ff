package rehearsal

import (
	"slices"
	"testing"
)

// A verb that all options share is no word of any of them, even if the rest of an option looks like small words.
func TestWordsOfOptions(t *testing.T) {
	for lines, want := range map[string][2]string{
		"A: use Go\nB: use Rust":                     {"go", "rust"},
		"A: use go\nB: use rust":                     {"go", "rust"},
		"A: Go\nB: Rust":                             {"go", "rust"},
		"A: use gunicorn\nB: use the uvicorn worker": {"gunicorn", "uvicorn"},
		"A: keep it in one\nB: keep it in two files": {"one", "two"},
	} {
		options := readOptions(lines, "Should the shop service use one of them?")
		for i, o := range options {
			if !slices.Contains(o.words, want[i]) || slices.Contains(o.words, "use") || slices.Contains(o.words, "keep") {
				t.Errorf("%q: option %s is about %v, want %s", lines, o.label, o.words, want[i])
			}
		}
	}
}
