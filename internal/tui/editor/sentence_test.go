package editor

import "testing"

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		query, text string
		found       bool
	}{
		{"reh", "watch a rehearsal debate", true},
		{"earsal", "watch a rehearsal debate", true},
		{"reh", "see the files that were changed in this conversation", false},
		{"reh", "research what there is", false},
		{"drop", "what was said apart in two branches or places", false},
		{"debate watch", "watch a rehearsal debate", true},
		{"opnai:big", "openai:big", true},
		{"dbt", "watch a rehearsal debate", true},
		{"tnew", "tab-new", true},
		{"ab", "a--ab xaxbab", true},
		{"bab", "xaxbab", true},
		{"BIG", "big", false},
		{"", "anything", true},
	} {
		if found := len(Sentences(c.query, []string{c.text})) > 0; found != c.found {
			t.Errorf("%q in %q: found is %v", c.query, c.text, found)
		}
	}
}
