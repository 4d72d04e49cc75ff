package forge

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What models wrote arrives at a forge as a text, whatever it holds.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"/merge\n text\n/close\n": "\\/merge\n text\n\\/close\n", "> /merge\n/": "> /merge\n\\/", "": "", "a/b": "a/b",
	} {
		if got := unbidden(in); got != want {
			t.Errorf("%q is given to GitLab as %q", in, got)
		}
	}
	got := title("Raise\n c\t\r" + strings.Repeat("ü", 300))
	if utf8.RuneCountInString(got) != longestTitle || strings.ContainsAny(got, "\n\t\r") {
		t.Errorf("a title of %d letters: %q", utf8.RuneCountInString(got), got)
	}
	if got := body(strings.Repeat("ü", 50_000)); len(got) > longestBody+100 || !utf8.ValidString(got) || !strings.Contains(got, "left out") {
		t.Errorf("a text of %d bytes", len(got))
	}
	if got := complaint("fatal: transport 'ext' not allowed\n\nPlease make sure\n"); got != "transport 'ext' not allowed" {
		t.Errorf("git's reason is %q", got)
	}
}
