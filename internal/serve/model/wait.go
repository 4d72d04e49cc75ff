package model

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

// grace is how long a debate continues that nobody waits for any more: clients that lost their connection return.
const grace = time.Minute

// again joins a request to the same caller's earlier debate of the same request, unless that one was given up. It
// returns the key by which a question that was given up is remembered.
func (d *handler) again(ask *door.Ask, dir, caller, key string) string {
	ask.Retry = caller + " " + cmp.Or(key, ask.Key(dir))
	same := ask.Key(dir)
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := d.over[same]; n > 0 {
		ask.Retry = fmt.Sprintf("%s again %d", same, n)
	}
	return same
}

// wait registers a waiting request for a debate, until the returned function is called. A debate that nobody waits
// for any more is decided from the replies so far, unless keep is set. Several requests may wait for one debate; it
// is given up after the last of them.
func (d *handler) wait(ctx context.Context, room, key string, keep bool) (leave func()) {
	d.mu.Lock()
	d.waiting[room]++
	d.mu.Unlock()
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.waiting[room]--; d.waiting[room] == 0 {
			delete(d.waiting, room)
		}
		if ctx.Err() != nil && !keep {
			time.AfterFunc(grace, func() { d.giveUp(room, key) })
		}
	}
}

// giveUp decides a debate from the replies so far, unless somebody returned. The same question then begins another
// debate, because this result was forced.
func (d *handler) giveUp(room, key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := rooms.In(d.Engine).Info(context.Background(), room)
	if err != nil || !info.Running || d.waiting[room] > 0 {
		return
	}
	message, err := people.ParseMessage("/" + people.Answer)
	if err != nil {
		return
	}
	if _, err := d.Engine.Do(context.Background(), rooms.Tell{Room: room, Message: message}); err == nil {
		d.over[key]++
	}
}
