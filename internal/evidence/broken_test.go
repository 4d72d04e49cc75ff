package evidence_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/evidence"
)

// TestBrokenFact: a command runs once more where the fact of its claim is broken, in a copy, and what it makes of that is on its check.
func TestBrokenFact(t *testing.T) {
	dir := install(t)
	limits := write(t, dir, "limits.txt", "the limit is 30\n")
	script := write(t, dir, "limits_test.txt", "30\n")
	write(t, dir, "lock.txt", "maxOpen\n")
	run := func(good, passed bool) verdict.Trial {
		return verdict.Trial{Grade: verdict.Executed, Good: good, Passed: passed}
	}
	for name, c := range map[string]struct {
		claim, expect string
		args          []string
		says          string
		trials        []verdict.Trial
	}{
		"it notices":              {"The limit is 30", "", []string{"has", "limits.txt", "30"}, "; with 31 for 30 in the copy: status 1", []verdict.Trial{run(false, false), run(true, true), run(false, false)}},
		"it does not":             {"The limit is 30", "", []string{"show", "limits.txt"}, "; with 31 for 30 in the copy: status 0", []verdict.Trial{run(false, false), run(true, true), run(false, true)}},
		"a name":                  {"It uses maxOpen", "", []string{"has", "lock.txt", "maxOpen"}, "; with maxClose for maxOpen in the copy: status 1", []verdict.Trial{run(false, false), run(true, true), run(false, false)}},
		"it should fail":          {"The limit is 30", "fail", []string{"has", "limits.txt", "40"}, "", []verdict.Trial{run(false, true), run(true, true), run(false, true)}},
		"a test is left as it is": {"The limit is 30", "", []string{"has", "limits_test.txt", "30"}, "; with 31 for 30 in the copy: status 0", []verdict.Trial{run(false, false), run(true, true), run(false, true)}},
		"nothing to break":        {"It is quick", "", []string{"has", "limits.txt", "30"}, "", []verdict.Trial{run(false, false)}},
		"not in the files":        {"The limit is 77", "", []string{"has", "limits.txt", "30"}, "", []verdict.Trial{run(false, false)}},
	} {
		argv := append([]string{"probe"}, c.args...)
		l := &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Timeout: time.Minute}
		o := l.Look(t.Context(), verdict.Claim{Text: c.claim, Evidence: verdict.Evidence{Kind: "command", Command: argv, Expect: c.expect}})
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(o.Control, c.says) || c.says == "" && c.expect == "" && strings.Contains(o.Control, "in the copy") || !reflect.DeepEqual(o.Trials, c.trials) {
			t.Errorf("%s: %q, %+v", name, o.Control, o.Trials)
		}
	}
	for file, want := range map[string]string{limits: "the limit is 30\n", script: "30\n"} {
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s of the project is now %q, %v", file, text, err)
		}
	}
}
