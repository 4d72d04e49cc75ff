package proof_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
)

// TestEmpty: a check that ran no test is told from one that ran some by what go, cargo, unittest and mocha print.
func TestEmpty(t *testing.T) {
	for output, want := range map[string]bool{
		"?   \tx\t[no test files]\n":                                                  true,
		"?   \tx\t[no test files]\nok  \tx/y\t0.004s [no tests to run]\n":             true,
		"testing: warning: no tests to run\nPASS\nok  \tx\t0.01s [no tests to run]\n": true,
		"?   \tx\t[no test files]\nok  \tx/y\t0.004s\n":                               false,
		"ok  \tx\t(cached)\n":                                                         false,
		"\nrunning 0 tests\n\ntest result: ok. 0 passed\n":                            true,
		"\nrunning 0 tests\n\n\nrunning 2 tests\ntest a ... ok\n":                     false,
		"\n----\nRan 0 tests in 0.000s\n\nOK\n":                                       true,
		"\n----\nRan 1 test in 0.000s\n\nOK\n":                                        false,
		"\n  0 passing (1ms)\n":                                                       true,
		"":                                                                            false,
		"built\n":                                                                     false,
	} {
		if got := proof.Empty(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// TestEmptyProvesNothing: a step whose own checks ran no test is not proved; beside a check that looked at something, or as a check of the
// project, such a check is only named.
func TestEmptyProvesNothing(t *testing.T) {
	empty, passed := proof.Outcome{Passed: true, Empty: true}, proof.Outcome{Passed: true}
	for name, c := range map[string]struct {
		ran  []proof.Ran
		want proof.State
	}{
		"alone":       {[]proof.Ran{{Own: true, After: empty}}, proof.Failed},
		"both":        {[]proof.Ran{{Own: true, After: empty}, {Own: true, After: empty}}, proof.Failed},
		"beside":      {[]proof.Ran{{Own: true, After: empty}, {Own: true, After: passed}}, proof.Proved},
		"the project": {[]proof.Ran{{After: empty}}, proof.Proved},
	} {
		if v := proof.Judge(plan.Task{}, c.ran); v.State != c.want || len(v.Why) == 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
