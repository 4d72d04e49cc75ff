package outline

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for markdown, want := range map[string]string{
		"`Total` starts at **1**, so it is *wrong*.":                        "Total starts at 1, so it is wrong.",
		"## Where it happens\n\nHere.":                                      "Where it happens Here.",
		"| File | Line |\n|---|---:|\n| cart.go | `14` |":                   "File, Line cart.go, 14",
		"Do:\n\n```go\nfor i := range x {\n\t*p = **q\n}\n```\nDone.":       "Do: for i := range x { *p = **q } Done.",
		"- one\n- [x] two\n* three\n1. four\n> said":                        "- one - two - three 1. four said",
		"[the specification](https://go.dev/ref/spec#For) and ![a](b.png).": "the specification and a.",
		"<https://go.dev> and a < b > c":                                    "https://go.dev and a < b > c",
		"snake_case_name, __init__, _so_, a*b*c, 2 * 3 * 4, f(*p, *q)":      "snake_case_name, init, so, a*b*c, 2 * 3 * 4, f(*p, *q)",
		"~~gone~~ ~/x ***both*** \\*kept\\*":                                "gone ~/x both *kept*",
		"``a ` b`` and `open":                                               "a ` b and `open",
		"Title\n=====\nfoo\n---\nbar":                                       "Title foo bar",
		"# C# and #1":                                                       "C# and #1",
		"a -- b, x[0] and [1](no":                                           "a -- b, x[0] and [1](no",
		"**open to the end":                                                 "**open to the end",
		"":                                                                  "",
		"```":                                                               "",
	} {
		if got := line(plain(markdown)); got != want {
			t.Errorf("%q: %q, want %q", markdown, got, want)
		}
	}
}

// Whatever stands in a text, it is read to its end, and nothing is written that was not there.
func FuzzPlain(f *testing.F) {
	f.Add("**a** _b_ `c` [d](e) ![f](g) <http://h> \\* ```")
	f.Fuzz(func(t *testing.T, s string) {
		if got := plain(s); len(got) > len(s)+strings.Count(s, "|")+strings.Count(s, "\n")+1 {
			t.Errorf("%q became %q", s, got)
		}
	})
}
