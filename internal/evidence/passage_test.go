package evidence_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/evidence"
)

// What was found is found again in the lines that were recorded with it, at the same line, unless they were shortened.
func TestRecorded(t *testing.T) {
	lines := "     4\tpackage app\n     5\t\n     6\t// Cache guards its\n     7\t// entries with a mutex.\n"
	wide := "     1\t" + strings.Repeat("x", 400) + "…\n"
	for _, c := range []struct {
		name, quote, lines string
		line               int
		found, whole       bool
	}{
		{"one line", "// entries with a mutex.", lines, 7, true, true},
		{"over two lines", "Cache guards its // entries", lines, 6, true, true},
		{"white space", "//   Cache\tguards its", lines, 6, true, true},
		{"not there", "Cache guards nothing", lines, 0, false, true},
		{"cut", "Cache guards nothing", wide, 0, false, false},
		{"too short", "app", lines, 0, false, true},
		{"nothing", "package app", "", 0, false, true},
	} {
		line, found, whole := evidence.Recorded(verdict.Evidence{Kind: "quote", Line: 6, Quote: c.quote}, c.lines)
		if found != c.found || whole != c.whole || found && line != c.line {
			t.Errorf("%s: line %d, found %v, whole %v", c.name, line, found, whole)
		}
	}
	if _, found, _ := evidence.Recorded(verdict.Evidence{Kind: "source", Quote: "it’s “so” – always"}, "     1\tit's \"so\" - always\n"); !found {
		t.Error("signs of print are not those of a page that was recorded")
	}
}

func TestText(t *testing.T) {
	text := evidence.NewText("one of these\ntwo\none of these\n")
	for near, want := range map[int]int{0: 1, 1: 1, 3: 3, 9: 3} {
		if line, found := text.Find("one of these", near); !found || line != want {
			t.Errorf("near %d: line %d", near, line)
		}
	}
	for _, quote := range []string{"", "two", "three of these"} {
		if _, found := text.Find(quote, 0); found {
			t.Errorf("%q was found", quote)
		}
	}
	if _, found := (evidence.Text{}).Find("one of these", 0); found {
		t.Error("the zero text has something")
	}
}

// A quote that would end within a word or a number is not what the text says by now.
func TestTextInsideWords(t *testing.T) {
	for _, c := range []struct {
		text, quote string
		found       bool
	}{
		{"retries = 30", "retries = 3", false},
		{"cents = 0.05", "cents = 0", false},
		{"cents = 0. Always", "cents = 0", true},
		{"cents = 0", "cents = 0", true},
		{"range(1, len(items))", "range(1, len(items", true},
		{"preopen the store", "open the store", false},
		{"reopenings everywhere", "openings everywhere", false},
		{"x = .5 of it", "5 of it", false},
		{"limit := mostRetries", "limit := most…", true},
		{"limit := mostRetries", "limit := most", false},
		{"retries = 30; retries = 3", "retries = 3", true},
		{"über alles geht", "ber alles geht", false},
	} {
		if _, found := evidence.NewText(c.text).Find(c.quote, 0); found != c.found {
			t.Errorf("%q in %q: %v", c.quote, c.text, found)
		}
	}
}
