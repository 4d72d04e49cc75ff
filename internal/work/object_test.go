package work_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// A proved change to which nobody objects lands. Its author is told of an objection that quotes it and tries again; what a reviewer
// invents does not count. If all tries are objected to, or nobody can review it, a person decides.
func TestReviewed(t *testing.T) {
	for name, c := range map[string]struct {
		says  func(n int) work.Report // the nth time that it reviews
		state work.State
		tries int
		why   string
	}{
		"nothing wrong":    {func(int) work.Report { return work.Report{Said: "none"} }, work.Done, 1, ""},
		"an invented line": {func(int) work.Report { return work.Report{Said: "- objection: a.txt:1 `nothing of it` wrong"} }, work.Done, 1, ""},
		"wrong once": {func(n int) work.Report {
			if n == 1 {
				return work.Report{Said: "- objection: a.txt:1 `better 1` breaks for 0"}
			}
			return work.Report{Said: "none"}
		}, work.Done, 2, ""},
		"always wrong": {func(n int) work.Report {
			return work.Report{Said: fmt.Sprintf("- objection: a.txt:1 `better %d` breaks for 0", n)}
		}, work.Person, 2, "a reviewer objects: a.txt:1 `better 2` breaks for 0"},
		"a reviewer that fails": {func(int) work.Report { return work.Report{Failed: "no key"} }, work.Person, 1, "nobody could review it: no key"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": "a\n"})
			w.begin(step(1, "Change a", "files: a.txt (change)", "check: `has a.txt better`"), record.Options{Retries: 1, Review: "judge"})
			tries, reviews := 0, 0
			w.agents["Change a/one"] = func(j work.Job, _ int) work.Report {
				tries++
				if told := strings.Contains(j.Text, "a reviewer objects: a.txt:1 `better 1` breaks for 0"); told != (tries == 2) {
					t.Errorf("the author of try %d is told of the objection: %v", tries, told)
				}
				write(t, j.Dir, map[string]string{"a.txt": fmt.Sprintf("a better %d\n", tries)})
				return work.Report{Said: "done"}
			}
			w.agents["judge"] = func(work.Job, int) work.Report { reviews++; return c.says(reviews) }
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			s := w.status()
			if u := s.Task("1"); u.State != c.state || tries != c.tries || reviews != tries || !strings.Contains(u.Reasons(), c.why) {
				t.Errorf("%s after %d tries and %d reviews: %s", u.State, tries, reviews, u.Reasons())
			}
		})
	}
}
