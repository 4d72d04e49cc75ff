package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// clock slows down the clock of Bubble Tea's renderer while nothing happens: the renderer redraws some 60 times
// a second for as long as the program runs, which is 1 % of a core, and has no way to pause.
type clock struct {
	program *tea.Program // nil: there is no terminal

	mu    sync.Mutex
	beat  *time.Ticker // the renderer's; nil: not found yet
	rest  *time.Timer
	woken time.Time
	quick bool
}

// A frame is shown at most quickBeat after it was drawn, or slowBeat if that was missed. still is how long
// nothing must be drawn before the clock slows down.
const (
	quickBeat = time.Second / 100
	slowBeat  = 2 * time.Second
	still     = time.Second / 4
)

// wake must be called after drawing, on the screen's own goroutine.
func (c *clock) wake() {
	if c.program == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.beat == nil {
		if c.beat = beatOf(c.program); c.beat == nil {
			return
		}
		c.rest = time.AfterFunc(still, c.slow)
	}
	if c.woken = time.Now(); !c.quick {
		c.quick = true
		c.beat.Reset(quickBeat)
	}
	c.rest.Reset(still)
}

func (c *clock) slow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.woken) >= still { // otherwise it was woken just now
		c.quick = false
		c.beat.Reset(slowBeat)
	}
}

// beatOf returns the clock of a program's renderer once it has started; nil before, and if Bubble Tea keeps it
// elsewhere.
func beatOf(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
}
