package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// watches end what runs long for a caller who is not let in any more: within a second of their token being taken back, or their browser
// signed out. All of a caller's are looked after together.
// The zero value with its guard set is ready. Its goroutine runs only while something is watched.
type watches struct {
	guard *guard.Guard

	mu   sync.Mutex
	open map[string]*watched // by who asks and how
}

// watched is what runs long for one caller.
type watched struct {
	by   *http.Request // one of theirs
	ends map[*http.Request]context.CancelFunc
}

// add is a request that is watched until what it returns is called.
// The function must be called once; it is safe at any time.
func (w *watches) add(r *http.Request) (*http.Request, func()) {
	ctx, cancel := context.WithCancel(r.Context())
	who := strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Host, r.UserAgent()}, "\n")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[string]*watched{}
		go w.look()
	}
	if w.open[who] == nil {
		w.open[who] = &watched{r, map[*http.Request]context.CancelFunc{}}
	}
	w.open[who].ends[r] = cancel
	return r.WithContext(ctx), func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		if one := w.open[who]; one != nil {
			if delete(one.ends, r); len(one.ends) == 0 {
				delete(w.open, who)
			}
		}
	}
}

// look looks each second until nothing is watched.
// One request stands for all of a caller's, so a look costs as many reads as there are callers.
func (w *watches) look() {
	for tick := time.NewTicker(time.Second); ; {
		<-tick.C
		w.mu.Lock()
		for who, one := range w.open {
			if _, known := w.guard.Who(one.by); known {
				continue
			}
			for _, end := range one.ends {
				end()
			}
			delete(w.open, who)
		}
		over := len(w.open) == 0
		if over {
			w.open = nil
		}
		w.mu.Unlock()
		if over {
			tick.Stop()
			return
		}
	}
}
