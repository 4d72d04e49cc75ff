package motion_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/motion"
)

// finds wants the options that a question names, between bars.
func finds(t *testing.T, question, want string) {
	t.Helper()
	var texts []string
	for _, o := range motion.FindOptions(question) {
		texts = append(texts, o.Text)
	}
	if got := strings.Join(texts, "|"); got != want {
		t.Errorf("FindOptions(%q) = %q, want %q", question, got, want)
	}
}

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
		finds(t, question, want)
	}
}

// The subject of a question is no part of its options, however many words it has; what no rule can split stays an open question.
func TestOptionsWithoutTheSubject(t *testing.T) {
	for question, want := range map[string]string{
		"Should our team use Go or Rust?":                                          "use Go|use Rust",
		"Should the shop service use Go or Rust?":                                  "use Go|use Rust",
		"Should the api server use gunicorn or the uvicorn worker?":                "use gunicorn|use the uvicorn worker",
		"Should our new internal api server switch to gunicorn or uvicorn?":        "switch to gunicorn|switch to uvicorn",
		"Should the shop service store prices as floats or as cents?":              "as floats|as cents",
		"Should the shop service store prices as floats or cents?":                 "store prices as floats|store prices as cents",
		"Should the price cache use Redis, Memcached or neither?":                  "use Redis|use Memcached|use neither",
		"Should the price cache store floats or cents?":                            "floats|cents",
		"Should the api and the worker use Go or Rust?":                            "use Go|use Rust",
		"Should the price cache in the shop use Redis or Memcached?":               "use Redis|use Memcached",
		"Should the shop service cache orders or drop them?":                       "cache orders|drop them",
		"Should this use Go or Rust?":                                              "use Go|use Rust",
		"Should one service use Go or Rust?":                                       "use Go|use Rust",
		"Should new user sessions expire or rotate?":                               "expire|rotate",
		"Should Kubernetes pods write logs to stdout or to files?":                 "to stdout|to files",
		"Should the import job be written in Go or Rust?":                          "Go|Rust",
		"Should the parser frobnicate the input or skip it?":                       "frobnicate the input|skip it",
		"Must the shop service always use Go or may it use Rust?":                  "use Go|use Rust",
		"Should the worker or the api server restart?":                             "the worker|the api server",
		"Should the shop service use either Go or Rust?":                           "use Go|use Rust",
		"Is the shop service a monolith or a set of services?":                     "a monolith|a set of services",
		"Keep the cache in process or move it to Redis?":                           "Keep the cache in process|move it to Redis",
		"Keep it in process or Redis?":                                             "Keep it in process|Keep it in Redis",
		"Use Go or Rust for the shop service?":                                     "Use Go|Use Rust",
		"The uvicorn worker or gunicorn?":                                          "The uvicorn worker|gunicorn",
		"Redis, Memcached or the database?":                                        "Redis|Memcached|the database",
		"Which language should the shop service use, Go or Rust?":                  "Go|Rust",
		"How should the shop service store prices, as floats or as cents?":         "as floats|as cents",
		"What should the api server use - Go or Rust?":                             "Go|Rust",
		"We do not know whether the shop service should use Go or Rust?":           "use Go|use Rust",
		"Can you tell us whether to use Go or Rust?":                               "use Go|use Rust",
		"Should the zig zag blorb frobnicate Go or Rust?":                          "Go|Rust",
		"Should we keep Redis?":                                                    "Yes|No",
		"Should we keep Redis or not?":                                             "Yes|No",
		"Should we allow one or more admins?":                                      "Yes|No",
		"Should the shop service keep Redis?":                                      "Yes|No",
		"Should the zig zag blorb frobnicate cold values or drop them?":            "",
		"Should the shop service not use Go or Rust?":                              "",
		"How do we store or cache sessions?":                                       "",
		"How many workers or threads should the server use?":                       "",
		"Explain this service":                                                     "",
		"Soll der Shop-Dienst Go oder Rust verwenden?":                             "",
		"Shouldn't we keep Redis?":                                                 "Yes|No",
		"The shop service should use Go or Rust?":                                  "use Go|use Rust",
		"Tell me if we should use Go or Rust":                                      "use Go|use Rust",
		"I wonder which we should use, Go or Rust?":                                "Go|Rust",
		"Redis vs. Memcached?":                                                     "Redis|Memcached",
		"Explain the retry or backoff logic":                                       "",
		"Keep the cache in process or move it to Redis":                            "Keep the cache in process|move it to Redis",
		"Should the shop service be rewritten, or should we keep the old one?":     "rewritten|keep the old one",
		"Will the new import job finish before or after midnight?":                 "before|after midnight",
		"Should the zig-zag cli print JSON, YAML or a table?":                      "print JSON|print YAML|print a table",
		"Should our team of five split into two teams or stay together?":           "split into two teams|stay together",
		"Should all data access go through the repository layer or use raw SQL?":   "go through the repository layer|use raw SQL",
		"Will the new import job blorb before or after midnight?":                  "before|after midnight",
		"Should the new price cache keep data for an hour or a day?":               "keep data for an hour|keep data for a day",
		"Should the shop service store the price as float or int?":                 "store the price as float|store the price as int",
		"Should the login page and the cart page use cookies or local storage?":    "use cookies|use local storage",
		"Should our CI pipeline run the slow tests nightly or on every push?":      "run the slow tests nightly|on every push",
		"Should every microservice in our monorepo own its schema or share one?":   "own its schema|share one",
		"Should the mobile app talk to it via REST or GraphQL?":                    "talk to it via REST|talk to it via GraphQL",
		"Does the rate limiter count requests or bytes?":                           "count requests|count bytes",
		"Should the Go service or the Rust service own prices?":                    "the Go service|the Rust service",
		"Should we (the shop team) use Go or Rust?":                                "use Go|use Rust",
		"Is it better for the shop service to use Go or Rust?":                     "use Go|use Rust",
		"Should the shop service, the api and the worker use Go or Rust?":          "use Go|use Rust",
		"Do you think the shop service should use Go or Rust?":                     "use Go|use Rust",
		"Must all of the shop services use TLS or mTLS?":                           "use TLS|use mTLS",
		"Should the command line tool cache results on disk or in memory?":         "on disk|in memory",
		"Should sessions, tokens and keys live in Redis, in Postgres or in files?": "in Redis|in Postgres|in files",
		"One writer or a pool?":                                                    "One writer|a pool",
		"Should we, as a team, use Go or Rust?":                                    "",
		"How do we choose between SQLite and Postgres for sessions?":               "SQLite|Postgres",
		"What is the difference between SQLite and Postgres?":                      "",
		"Sollen wir Redis behalten?":                                               "",
		"Redis vs. Memcached für den Shop-Dienst?":                                 "Redis|Memcached für den Shop-Dienst",
	} {
		finds(t, question, want)
	}
}

// A person chooses by a letter or a text, with or without a reason.
func TestChosen(t *testing.T) {
	options := motion.Letters([]string{"teal", "use Go", "use Go 2"})
	for text, want := range map[string]string{
		"A": "A|", "a": "A|", " b ": "B|", "B it fits": "B|it fits", "B: it fits": "B|it fits", "teal": "A|", "Teal, it fits": "A|it fits",
		"use go: simple": "B|simple", "use Go 2": "C|", "a bit late": "|", "teal fits our logo": "|",
		"A teal logo would do": "|", "A because it fits": "A|because it fits", "A, it fits": "A|it fits", "Because": "|",
		"it fits": "|", "": "|", "D": "|",
	} {
		if key, why := motion.Chosen(text, options); key+"|"+why != want {
			t.Errorf("%q chooses %q because %q, want %s", text, key, why, want)
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
