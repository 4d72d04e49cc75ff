package work

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/work/proof"
)

// unreachable is what a proof comes to whose executor could not be reached: that says nothing of the step. It is never recorded.
const unreachable proof.State = "away"

// mostUnreachable is how often in a row the models of one provider may be out of reach before no more steps are given to them.
const mostUnreachable = 3

// breaker keeps a run from giving step after step to executors that cannot be reached: without money, login or connection each would fail
// all that is left. It is as old as the process: whoever resumes a run asks again.
type breaker struct {
	mu      sync.Mutex
	inARow  map[string]int    // by provider, how often in a row
	reasons map[string]string // the last reason
}

// providerOf is whose model an executor is, by its spec. Each script is its own.
func providerOf(executor string) string {
	name, _, ok := strings.Cut(executor, ":")
	if !ok || name == "script" {
		return executor
	}
	return name
}

// record takes in how a try went; why is empty if the executor was reached.
func (b *breaker) record(executor, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := providerOf(executor)
	if why == "" {
		delete(b.inARow, p)
		return
	}
	if b.inARow == nil {
		b.inARow, b.reasons = map[string]int{}, map[string]string{}
	}
	b.inARow[p]++
	b.reasons[p] = why
}

// isOpen says whether an executor gets no more steps.
func (b *breaker) isOpen(executor string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.inARow[providerOf(executor)] >= mostUnreachable
}

// String says who gets no more steps, and why; empty: nobody.
func (b *breaker) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for p, n := range b.inARow {
		if n >= mostUnreachable {
			list = append(list, fmt.Sprintf("%s failed %d times in a row: %s", p, n, b.reasons[p]))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// firstReachable is the first of some executors that still gets steps; empty: none does.
func (b *breaker) firstReachable(executors []string) string {
	for _, e := range executors {
		if !b.isOpen(e) {
			return e
		}
	}
	return ""
}
