package slash

import (
	"slices"
	"testing"
)

func TestReadDebate(t *testing.T) {
	for _, c := range []struct {
		line, question string
		flags          []string // nil with an empty question: refused
	}{
		{"A or B?", "A or B?", nil},
		{`"A or B?"`, "A or B?", nil},
		{"--strategy delphi How long?", "How long?", []string{"--strategy=delphi"}},
		{"--strategy=delphi --seat a --seat b How long?", "How long?", []string{"--strategy=delphi", "--seat=a", "--seat=b"}},
		{`"Is it A or B?" --rounds 1 --no-history`, "Is it A or B?", []string{"--rounds=1", "--no-history"}},
		{"Isn't it A or B? --rounds 1", "Isn't it A or B?", []string{"--rounds=1"}},
		{`--allow-check "go test ./..." A or B?`, "A or B?", []string{"--allow-check=go test ./..."}},
		{`--allow-check='go test ./...' A or B?`, "A or B?", []string{"--allow-check=go test ./..."}},
		{"Use git --amend or git --fixup?", "Use git --amend or git --fixup?", nil},
		{"--no-history first\n\nsecond  line", "first\n\nsecond  line", []string{"--no-history"}},
		{"--", "", nil}, {"--rounds", "", nil}, {"--rounds 1", "", nil}, {"--out x A or B?", "", nil}, {"", "", nil},
	} {
		d, err := ReadDebate(c.line)
		if d.Question != c.question || !slices.Equal(d.Flags, c.flags) || (err != nil) != (c.question == "") {
			t.Errorf("%q: %q, %q, %v", c.line, d.Question, d.Flags, err)
			continue
		}
		if again, err := ReadDebate(DebateLine(d)); c.question != "" && (again.Question != d.Question || !slices.Equal(again.Flags, d.Flags)) {
			t.Errorf("%q typed again as %q: %q, %v", c.line, DebateLine(d), again, err)
		}
	}
}
