package out_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/out"
)

// However a text grows, what is told of it is its beginning, and nothing of a secret or an escape; what is left at the end is the rest.
func TestGrown(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	secret := "hunter2-hunter2-hunter2"
	whole := "one \x1b[31mtwo\x1b[m three " + secret + " four 日本語 \x1b]8;;http://a b\x1b\\five sk-ant-" + strings.Repeat("aB3", 20) + " six " + strings.Repeat("word ", 1000)
	for range 300 {
		var res bytes.Buffer
		o := out.New(&res, &res)
		o.Learn(secret)
		said := ""
		g := o.Grown(func(of, piece string) {
			if of != "n" {
				t.Fatalf("a piece of %s", of)
			}
			said += piece
		})
		for at := 0; at < len(whole); {
			at = min(len(whole), at+1+r.IntN(200))
			g.Show("n", whole[:at])
		}
		want := o.Clean(whole)
		if !strings.HasPrefix(want, said) || strings.Contains(said, "hunter2") || strings.ContainsRune(said, 0x1b) {
			t.Fatalf("%q is not how %q begins", said, want)
		} else if len(said) < 1000 && !strings.HasSuffix(said, "four 日本語 ") {
			t.Fatalf("only %q came", said)
		}
		if rest := g.End(whole); said+rest != want {
			t.Fatalf("%q and %q are not %q", said, rest, want)
		}
		before := said
		g.Show("n", whole[:r.IntN(len(whole))]) // it comes late
		if said != before {
			t.Fatalf("%q came after the end", said[len(before):])
		}
	}
}
