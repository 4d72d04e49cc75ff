package debate

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestControls: a control says something true or false about the lines, and its false form differs from the true one by one fact.
func TestControls(t *testing.T) {
	code := "const maxConns = 8\nfunc openPool(limit int) {}\nvar readTimeout = 30"
	prose := "The store must keep one writer connection for all commits.\nReaders share a pool."
	for _, c := range []struct{ quote, lines string }{{"const maxConns = 8", code}, {"func openPool(limit int) {}", code},
		{"The store must keep one writer connection for all commits.", prose}} {
		seen := map[bool]map[string]bool{true: {}, false: {}}
		for seed := range uint64(200) {
			k, ok := controlOf(c.quote, c.lines, rand.New(rand.NewPCG(seed, 1)))
			if !ok {
				t.Fatalf("no control of %q", c.quote)
			}
			seen[k.good][k.text] = true
			again, _ := controlOf(c.quote, c.lines, rand.New(rand.NewPCG(seed, 1)))
			if again != k {
				t.Fatalf("the same seed gives %q and %q", k.text, again.text)
			}
		}
		if len(seen[true]) == 0 || len(seen[false]) == 0 {
			t.Errorf("of %q: %d true, %d false", c.quote, len(seen[true]), len(seen[false]))
		}
		for text := range seen[true] {
			if seen[false][text] {
				t.Errorf("%q is both true and false", text)
			}
			if strings.Contains(text, c.quote) {
				t.Errorf("%q quotes the lines letter by letter", text)
			}
		}
	}
	if k, ok := controlOf("}", "}\n}", rand.New(rand.NewPCG(1, 1))); ok {
		t.Errorf("a brace gives %q", k.text)
	}
}

// TestFalseNumbers: a number a false control names is nowhere in the lines.
func TestFalseNumbers(t *testing.T) {
	lines := "port 1 2 3 4 5 6 7 8 9 10 11 12"
	for seed := range uint64(100) {
		f := numbered("port 1", lines, rand.New(rand.NewPCG(seed, 1)))
		for _, w := range strings.Fields(f(false)) {
			if strings.Trim(w, "0123456789") == "" && strings.Contains(" "+lines+" ", " "+w+" ") {
				t.Fatalf("%q is true", f(false))
			}
		}
	}
}
