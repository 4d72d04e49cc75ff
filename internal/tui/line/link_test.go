package line

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// A web address is a link to what it says, in whatever inks, without what ends its sentence; one that goes on elsewhere is none.
func TestLinked(t *testing.T) {
	link := func(to string) string { return "\x1b]8;;" + to + "\a" + to + "\x1b]8;;\a" }
	for in, want := range map[string]string{
		"no address":               "no address",
		"see https://a.example/x.": "see " + link("https://a.example/x") + ".",
		"\x1b[4mthe docs\x1b[m\x1b[2m (http://a.example)\x1b[m": "\x1b[4mthe docs\x1b[m\x1b[2m (" + link("http://a.example") + ")\x1b[m",
		"javascript://a.example":                                "javascript://a.example",
		"https://a.example/x(y)":                                "https://a.example/x(y)",
		"https://a.example/long…":                               "https://a.example/long…",
		"http://a.example http://b.example":                     link("http://a.example") + " " + link("http://b.example"),
		"http://a.example/012345678901234567890":                "http://a.example/012345678901234567890",
		"https://ä.example":                                     "https://ä.example",
	} {
		if got := Linked(in, 40); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Whatever a row holds, it looks the same, and links lead to web addresses alone.
func TestLinkedShowsTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		row := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"http://", "https://", "a.example", "/", "\x1b[1m", "\x1b[m", "漢", " ",
			"(", ")", ";", "…", ".", "│", "é", "]", "x"}), 0, 20).Draw(r, "row"), "")
		got := Linked(row, 40)
		if ansi.Strip(got) != ansi.Strip(row) {
			r.Fatalf("%q became %q", row, got)
		}
		for _, part := range strings.Split(got, "\x1b]8;;")[1:] {
			if to, _, _ := strings.Cut(part, "\a"); to != "" && !strings.HasPrefix(to, "http") {
				r.Fatalf("%q leads to %q", got, to)
			}
		}
	})
}
