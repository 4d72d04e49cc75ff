package people_test

import (
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/people"
)

func TestParseMessage(t *testing.T) {
	for text, want := range map[string]people.Message{
		"hello there":             {Verb: people.Say, Text: "hello there"},
		" /PAUSE ":                {Verb: people.Pause},
		"/drop claude":            {Verb: people.Drop, Seat: "claude"},
		"/add a:b@c":              {Verb: people.Join, Spec: "a:b@c"},
		"/veto C3 wrong":          {Verb: people.Veto, Claim: "c3", Text: "wrong"},
		"/context add a.go:1-2":   {Verb: people.Share, File: "a.go:1-2"},
		"/outcome wrong it broke": {Verb: people.Outcome, Option: "wrong", Text: "it broke"},
		"/choose B":               {Verb: people.Choose, Option: "B"},
		"/deadline all 90s":       {Verb: people.Deadline, Seat: "all", Limit: 90 * time.Second},
		"/claim for A it is so -- a/b.go:12 x := 1": {Verb: people.Assert, Option: "A", Text: "it is so", File: "a/b.go", Line: 12, Quote: "x := 1"},
		"/claim it is so -- really":                 {Verb: people.Assert, Text: "it is so -- really"},
	} {
		if got, err := people.ParseMessage(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		} else if again, err := people.ParseMessage(got.Typed()); err != nil || again != want {
			t.Errorf("%q is typed %q, which is %+v, %v", text, got.Typed(), again, err)
		}
	}
	if _, err := people.ParseMessage("/claim for Z oops"); err == nil || !strings.HasPrefix(err.Error(), `a claim must be a sentence, not "oops"`) {
		t.Error(err)
	}
	for _, text := range []string{"", "/", "/dance", "/drop", "/pause now", "/deadline s1", "/deadline s1 soon", "/claim", "/claim oops", "/choose", "/veto", "/veto c3", "/veto c3  "} {
		if w, err := people.ParseMessage(text); err == nil {
			t.Errorf("%q was taken for %+v", text, w)
		}
	}
}

// What is typed without what it is about is refused with its form.
func TestMessageLacks(t *testing.T) {
	for verb, form := range map[string]string{"drop": "/drop SEAT", "add": "/add SPEC", "deadline": "/deadline SEAT|all TIME", "claim": "/claim [for X|against X] TEXT [-- FILE:LINE QUOTE]",
		"veto": "/veto CLAIM REASON", "choose": "/choose OPTION [REASON]"} {
		if _, err := people.ParseMessage("/" + verb); err == nil || err.Error() != "/"+verb+" needs an argument: "+form {
			t.Errorf("/%s: %v", verb, err)
		}
	}
}
