package spelling_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/spelling"
)

func TestNearest(t *testing.T) {
	names := []string{"claude", "codex", "openai", "rehearsal"}
	for word, want := range map[string]string{"clade": "claude", "CODX": "codex", "open": "openai", "rehersal": "rehearsal", "zzz": "", "": ""} {
		if got := spelling.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// Distance is a metric, and never more than the longer word.
func TestDistanceIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{0,8}`)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		ab := spelling.Distance(a, b)
		if ab != spelling.Distance(b, a) || (ab == 0) != (a == b) || ab > max(len(a), len(b)) || ab > spelling.Distance(a, c)+spelling.Distance(c, b) {
			t.Fatalf("%q %q %q: %d", a, b, c, ab)
		}
	})
}
