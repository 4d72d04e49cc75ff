package mirror

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
)

// How often what runs at the hub is asked for while something does, and how long a hub that is away is waited for between two tries: from
// the shorter to the longer.
const (
	busyEvery  = 2 * time.Second
	firstPause = 500 * time.Millisecond
	lastPause  = 10 * time.Second
	// silence is how long nothing comes before a stream counts as broken: a hub writes a comment every 15 seconds.
	silence = 45 * time.Second
)

// Follow keeps the copy up to date until ctx ends. The hub's events say when there is something new; what it is comes as by Sync, so
// nothing is lost or taken twice, however often the connection breaks. A hub that is away is waited for; one that shuts us out is not, and
// says why.
func (h *Hub) Follow(ctx context.Context, s *store.Store) error {
	for pause, gone := firstPause, false; ; {
		err := h.listen(ctx, s, func() {
			if gone {
				h.tell("The hub is back.")
			}
			pause, gone = firstPause, false
		})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !Away(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause + rand.N(pause/2)):
		}
		if err := h.Sync(ctx, s); err == nil {
			continue
		} else if !Away(err) {
			return err
		}
		if !gone && ctx.Err() == nil {
			h.tell("The hub cannot be reached; waiting for it. Ctrl-C quits; work on the hub continues.")
		}
		gone, pause = true, min(2*pause, lastPause)
	}
}

func (h *Hub) tell(text string) {
	if h.Warn != nil {
		h.Warn(text)
	}
}

// listen reads one stream of events, and brings the copy up to date at each, until it breaks. here is called once it has begun.
func (h *Hub) listen(ctx context.Context, s *store.Store, here func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	after := h.stand().After
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/api/v1/events?after=%d", h.URL, after), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
	req.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	res, err := h.client.Do(req)
	if err != nil {
		return h.unreached(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		err := h.answer(res, nil)
		if is(err, http.StatusConflict) || is(err, http.StatusTooManyRequests) { // Sync makes the copy again; streams come free
			return away{err}
		}
		return err
	}
	defer res.Body.Close()
	news, ended := make(chan struct{}, 1), make(chan error, 1)
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	go func() { ended <- read(res.Body, news, func() { quiet.Reset(silence) }) }()
	here()
	busy := time.NewTicker(busyEvery)
	defer busy.Stop()
	for {
		select {
		case err := <-ended:
			return away{failure.New(failure.ExitProvider, "hub", "the hub closed the stream of events: "+err.Error(), "")}
		case <-news:
		case <-busy.C:
			if len(h.stand().Busy) == 0 {
				continue
			}
		}
		if err := h.Sync(ctx, s); err != nil {
			return err
		}
	}
}

// read tells of each committed node in a stream, and of each sign of life. What is in an event is not looked at: it comes with the copy.
func read(body io.Reader, news chan<- struct{}, alive func()) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		alive()
		if strings.HasPrefix(string(line[:min(len(line), 4)]), "id: ") {
			select {
			case news <- struct{}{}:
			default: // one is waiting, which reads this as well
			}
		}
	}
}
