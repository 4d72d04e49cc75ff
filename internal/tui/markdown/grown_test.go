package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/redact"
)

// What is cleaned piece by piece while it grows is what all of it is cleaned to, wherever secrets and escapes are cut.
func TestGrownIsClean(t *testing.T) {
	key := "sk-ant-" + "api03-" + strings.Repeat("a1B2c3D4", 12)
	armoured := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("Qm9vY2xh", 8)+"\n", 300) + "-----END RSA PRIVATE KEY-----\n"
	secrets := redact.New("the password\nof two lines")
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, "%d: one says\x1b[3%dm this\x1b[0m, \x1b]8;;http://x\x07and\u202e that%s", i, i%8, map[bool]string{true: " ", false: "\r\n"}[i > 700 && i < 1100])
		if i > 700 && i < 1100 { // a long line
			b.WriteString(strings.Repeat("on and on, ", 20))
			continue
		}
		switch i % 97 {
		case 10:
			b.WriteString("it is " + key + ".\n")
		case 30:
			b.WriteString(armoured)
		case 50:
			b.WriteString("say the password\nof two lines, please\n")
		case 70:
			b.WriteString("\x1bP" + strings.Repeat("never ended ", 20) + "\n")
		}
	}
	whole, calls := b.String(), 0
	cleaned := func(s string) string {
		calls += len(s)
		return secrets.String(clean.Text(s))
	}
	for _, step := range []int{1, 2999, 70_001} {
		g, steps := &Grown{}, 0
		calls = 0
		from := 0
		if step == 1 {
			from = len(whole) - 400
		}
		for n := from; n < len(whole); n += step {
			g.set(cleaned, whole[:n])
			steps++
			if want := secrets.String(clean.Text(whole[:n])); g.clean != want {
				at := 0
				for at < min(len(want), len(g.clean)) && want[at] == g.clean[at] {
					at++
				}
				t.Fatalf("step %d: after %d bytes it differs at %d: %q", step, n, at, g.clean[at:min(at+80, len(g.clean))])
			}
		}
		if step == 2999 && calls > steps*6*ahead {
			t.Errorf("%d bytes were cleaned in %d steps", calls, steps)
		}
	}
}
