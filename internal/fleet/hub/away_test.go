package hub_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
)

// slow is asked for what begins with "hold" until it may end.
type slow struct {
	echo
	began chan string
	ends  chan struct{}
}

// Stream is that of llm.Model.
func (s slow) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if text := req.Messages[0].Text(); strings.HasPrefix(text, "hold") {
			s.began <- text
			select {
			case <-s.ends:
			case <-ctx.Done():
				yield(llm.Delta{}, context.Cause(ctx))
				return
			}
		}
		s.echo.Stream(ctx, req)(yield)
	}
}

// A hub that is away for longer than a lease has nothing done again that its workers hold, also if the queue's store is gone: what waited is
// put back, what is held goes on under its epoch, what is done is answered from the table.
func TestTheHubIsAwayForLongerThanALease(t *testing.T) {
	for name, lost := range map[string]bool{"with its queue": false, "without it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, 2*time.Second)
			s := slow{began: make(chan string, 9), ends: make(chan struct{})}
			p.work("w1", 1, s)
			p.work("w2", 1, s)
			m := p.remote()
			var all sync.WaitGroup
			ask := func(texts ...string) {
				for _, text := range texts {
					all.Go(func() {
						if said := p.ask(m, text); said != text {
							t.Errorf("%s: it said %q", text, said)
						}
					})
				}
			}
			ask("done one", "done two")
			all.Wait()
			ask("hold one", "hold two")
			<-s.began
			<-s.began
			ask("wait one", "wait two", "wait three", "wait four")
			for n := 0; n < 6; { // they are in the table
				open, err := p.table.Tasks(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				n = len(open)
			}
			p.stop()
			if lost {
				if err := os.RemoveAll(filepath.Join(p.dir, "hub", "bus", "jetstream")); err != nil {
					t.Fatal(err)
				}
			}
			<-time.After(2*p.term + p.term/2) // by how much more does not matter
			p.start()
			close(s.ends)
			all.Wait()
			ask("done one", "hold one") // it is there
			all.Wait()
			p.once(8)
			if len(s.began) > 0 {
				t.Error(fmt.Sprint(<-s.began), "was begun again")
			}
		})
	}
}
