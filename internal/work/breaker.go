package work

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/work/proof"
)

// unreachable is the state of a proof whose executor could not be reached: that says nothing about the step. It is
// never recorded.
const unreachable proof.State = "away"

// mostUnreachable is how often in a row the models of one provider may be unreachable before they get no more steps.
const mostUnreachable = 3

// breaker stops giving steps to executors that cannot be reached: without money, login or connection every remaining
// step would fail. It lives as long as the process: a resumed run tries again.
type breaker struct {
	mu      sync.Mutex
	inARow  map[string]int    // by provider, how often in a row
	reasons map[string]string // the last reason
}

// providerOf returns the provider of an executor's model, by its spec. Each script is its own.
func providerOf(executor string) string {
	name, _, ok := strings.Cut(executor, ":")
	if !ok || name == "script" {
		return executor
	}
	return name
}

// record notes a try; why is empty if the executor was reached.
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

// isOpen reports whether an executor gets no more steps.
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

// firstReachable returns the first executor that still gets steps; empty: none.
func (b *breaker) firstReachable(executors []string) string {
	for _, e := range executors {
		if !b.isOpen(e) {
			return e
		}
	}
	return ""
}
