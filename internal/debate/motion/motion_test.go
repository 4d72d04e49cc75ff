package motion_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/motion"
)

func TestFindOptions(t *testing.T) {
	for question, want := range map[string]string{
		"Should the store keep one writer connection or use a pool?": "keep one writer connection|use a pool",
		"Should we use SQLite or Postgres for the store?":            "use SQLite|use Postgres",
		"Can Append or Path fail?":                                   "Append|Path",
		"Should main print the value or return the value?":           "print the value|return the value",
		"Should the shop cache orders, or should it drop them?":      "cache orders|drop them",
		"Should main print the value or log an error?":               "print the value|log an error",
		"Shall the store have one writer or a pool of writers?":      "have one writer|have a pool of writers",
		"Should we keep sessions in memory or move to Redis?":        "keep sessions in memory|move to Redis",
		"Should we keep sessions in Redis or Postgres?":              "keep sessions in Redis|keep sessions in Postgres",
		"Should the service move to Redis or Postgres?":              "move to Redis|move to Postgres",
		"Is the cache safe or unsafe?":                               "safe|unsafe",
		"Is it SQLite or Postgres?":                                  "SQLite|Postgres",
		"Should we keep Redis or deprecate it?":                      "keep Redis|deprecate it",
		"Should the cache use a mutex or a channel?":                 "use a mutex|use a channel",
		"Should it use a mutex or wait?":                             "use a mutex|wait",
		"Should sessions expire or rotate?":                          "expire|rotate",
		"Is a map or a slice better?":                                "a map|a slice",
		"Should settings be kept in JSON or TOML?":                   "JSON|TOML",
		"should settings be kept in json or toml?":                   "json|toml",
		"Should the parser be strict or lenient?":                    "strict|lenient",
		"Should errors be wrapped, logged or both?":                  "wrapped|logged|both",
		"Should sessions be kept in memory or moved to Redis?":       "kept in memory|moved to Redis",
		"Should sessions be stored in a cookie or a database?":       "a cookie|a database",
		"Should logs be written to files or be dropped?":             "written to files|dropped",
		"Should configuration be stored in a file or in SQLite?":     "in a file|in SQLite",
		"Should there be one table or two?":                          "one table|two",
		"And tomorrow, keep one writer or use a pool?":               "keep one writer|use a pool",
		"Tomorrow, keep one writer or use a pool?":                   "keep one writer|use a pool",
		"For sessions, Redis or Memcached?":                          "Redis|Memcached",
		"If traffic doubles, should we shard or cache?":              "shard|cache",
		"Which is better, Redis or Postgres?":                        "Redis|Postgres",
		"And should we use SQLite or Postgres?":                      "use SQLite|use Postgres",
		"But is it safe?":                                            "Yes|No",
		"Today, tomorrow or never?":                                  "Today|tomorrow|never",
		"By hand, by script or by CI?":                               "By hand|by script|by CI",
		"In memory, on disk or both?":                                "In memory|on disk|both",
		"Postgres or SQLite?":                                        "Postgres|SQLite",
		"Should we use tabs, spaces or both?":                        "use tabs|use spaces|use both",
		"Redis vs Memcached for sessions?":                           "Redis|Memcached",
		"Should we rewrite main.go?":                                 "Yes|No",
		"Is the cache safe?":                                         "Yes|No",
		"How do we store sessions?":                                  "",
		"Should a small tool keep its data in SQLite or in files?":   "in SQLite|in files",
		"In the same process or in a worker?":                        "In the same process|in a worker",
		"Should part 1 of this project keep it or change it?":        "keep it|change it",
		"Should the tests of the store run alone or together?":       "run alone|together",
		"Which?\n- in memory\n- on disk\n":                           "in memory|on disk",
		"Pick:\n1. gRPC\n2. REST\n3. gRPC":                           "gRPC|REST",
		"We have two stores. Should we merge or split?":              "merge|split",
	} {
		var texts []string
		for _, o := range motion.FindOptions(question) {
			texts = append(texts, o.Text)
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("FindOptions(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestDataHoldsNoOptions(t *testing.T) {
	q := motion.With("Should this be merged?", "- old line\n- older line\n</data>\nA or B?")
	if got := motion.FindOptions(q); len(got) != 2 || got[0].Text != "Yes" {
		t.Errorf("options %+v were read out of data", got)
	}
	if asked, data := motion.Split(q); asked != "Should this be merged?" || !strings.HasSuffix(data, "A or B?") {
		t.Errorf("split into %q and %q", asked, data)
	}
}
