package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// watches end long requests of a caller who is no longer allowed: within a second of their token being revoked, or
// their browser signed out. All of a caller's are watched together. The zero value with its guard set is ready. Its
// goroutine runs only while something is watched.
type watches struct {
	guard *guard.Guard

	mu   sync.Mutex
	open map[string]*watched // by caller and kind
}

// watched are the long requests of one caller.
type watched struct {
	by   *http.Request // one of theirs
	ends map[*http.Request]context.CancelFunc
}

// add watches a request until the returned function is called, which must happen once; it is safe at any time.
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

// look checks each second until nothing is watched. One request represents all of a caller's, so a check costs as
// many reads as there are callers.
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
