package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// loop detects a model that repeats the same calls and gets the same results, because it ignores them or because its
// vendor does not pass them on. Only calls with equal arguments and equal results count: a model that polls something
// that changes is not stopped.
type loop struct {
	last  []string // the calls of the last answer, with their results
	times int
	err   error // set when the model did not stop
}

// warnAfter and endAfter are how often the same calls may have the same results in a row.
const warnAfter, endAfter = 3, 6

// warn returns the warning to add to results that have repeated too often.
func (l *loop) warn(ran []Ran, results []llm.Result) string {
	var now, names []string
	for i, r := range ran {
		now = append(now, r.Call.Name, string(r.Call.Args), results[i].Text)
		names = append(names, r.Call.Name)
	}
	if !slices.Equal(now, l.last) {
		l.last, l.times = now, 0
	}
	if l.times++; l.times < warnAfter {
		return ""
	}
	same := "the same call"
	if len(ran) > 1 {
		same = "the same calls"
	}
	if l.times >= endAfter {
		slices.Sort(names)
		l.err = &trouble.Error{Kind: trouble.Refused,
			Message: fmt.Sprintf("the model repeated %s (%s) %d times in a row", same, strings.Join(slices.Compact(names), ", "), l.times)}
	}
	return fmt.Sprintf("\n[This is %s with the same result, %d times in a row. Do something else, or answer.]", same, l.times)
}
