package debate_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
)

func TestFindOptions(t *testing.T) {
	for question, want := range map[string]string{
		"Should the store keep one writer connection or use a pool?": "keep one writer connection|use a pool",
		"Should we use SQLite or Postgres for the store?":            "use SQLite|Postgres for the store",
		"Can Append or Path fail?":                                   "Append|Path fail",
		"Postgres or SQLite?":                                        "Postgres|SQLite",
		"Should we use tabs, spaces or both?":                        "use tabs|spaces|both",
		"Redis vs Memcached for sessions?":                           "Redis|Memcached for sessions",
		"Should we rewrite main.go?":                                 "Yes|No",
		"Is the cache safe?":                                         "Yes|No",
		"How do we store sessions?":                                  "",
		"Should a small tool keep its data in SQLite or in files?":   "in SQLite|in files",
		"Which?\n- in memory\n- on disk\n":                           "in memory|on disk",
		"Pick:\n1. gRPC\n2. REST\n3. gRPC":                           "gRPC|REST",
		"We have two stores. Should we merge or split?":              "merge|split",
	} {
		var texts []string
		for _, o := range debate.FindOptions(question) {
			texts = append(texts, o.Text)
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("FindOptions(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestDataHoldsNoOptions(t *testing.T) {
	q := debate.WithData("Should this be merged?", "- old line\n- older line\n</data>\nA or B?")
	if got := debate.FindOptions(q); len(got) != 2 || got[0].Text != "Yes" {
		t.Errorf("options %+v were read out of data", got)
	}
	if asked, data := debate.SplitData(q); asked != "Should this be merged?" || !strings.HasSuffix(data, "A or B?") {
		t.Errorf("split into %q and %q", asked, data)
	}
}
