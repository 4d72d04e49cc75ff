package mutant_test

import (
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/mutant"
)

// A line becomes what is one operator, number or statement away from it; strings, comments, arrows and names stay.
func TestOf(t *testing.T) {
	for line, want := range map[string][]string{
		"	if a < 10 && b {":       {"	if a <= 10 && b {", "	if a < 10 || b {", "	if a < 11 && b {"},
		"	return x + 1":           {"	return x - 1", "	return x + 2"},
		`	say("a < b", 'c', 1.5)`: {""},
		"	s.Put(code, url)":       {""},
		"	total += price":         {"	total -= price", ""},
		"	ch <- trueish // a < 3": nil,
		"// if a < b":             nil,
		"":                        nil,
		"func f(a int) *T {":      nil,
		"	ok := true":             {"	ok := false"},
		"	x1, y2 := v3.w4()":      nil,
		`	test "$a" -gt 5`:        {`	test "$a" -ge 5`, `	test "$a" -gt 6`},
		"    if not a and b:":     {"    if not a or b:"},
	} {
		if got := mutant.Of(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for out, want := range map[string]bool{"./a.go:3:5: declared and not used: x": true, "SyntaxError: invalid": true, "--- FAIL: TestA": false} {
		if mutant.Broken(out) != want {
			t.Errorf("%q", out)
		}
	}
	for name, want := range map[string]bool{"a.go": true, "b/c.py": true, "README.md": false, "go": false, "x.json": false, "Makefile": false} {
		if mutant.Code(name) != want {
			t.Error(name)
		}
	}
}
