package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
)

// route is where a copy is made from.
const route = "/api/v1/mirror"

// mostPages bounds one Sync of a hub that always has another page.
const mostPages = 100_000

// Sync brings the copy up to date. What is there already is not asked for again. Where it fails, the copy is as it was after the last page
// that was whole.
func (h *Hub) Sync(ctx context.Context, s *store.Store) error {
	h.syncing.Lock()
	defer h.syncing.Unlock()
	c := copying{Hub: h, store: s, at: h.stand()}
	last, err := s.Version(ctx)
	if err != nil {
		return err
	}
	if last == 0 { // the store was removed, or nothing was copied yet
		c.at = standing{Projects: c.at.Projects}
	}
	for range mostPages {
		over, err := c.page(ctx)
		if over || err != nil {
			return err
		}
	}
	return failure.New(failure.ExitFailed, "hub", "the hub "+h.URL+" has no end", "")
}

// copying is one Sync.
type copying struct {
	*Hub
	store   *store.Store
	at      standing
	whole   bool // all refs were taken
	renewed bool // the copy was made again
}

// page takes the next page, and says whether it was the last.
func (c *copying) page(ctx context.Context) (over bool, err error) {
	var p engine.Copy
	err = c.send(ctx, http.MethodGet, fmt.Sprintf("%s?after=%d&moved=%d", route, c.at.After, c.at.Moved), "", nil, &p)
	if is(err, http.StatusConflict) && !c.renewed { // its store was set back
		return false, c.renew(ctx)
	}
	if is(err, http.StatusNotFound) {
		return false, failure.New(failure.ExitFailed, "hub", "the hub "+c.URL+" runs an older version, whose store cannot be copied",
			"upgrade the hub, or use its web UI")
	}
	if err != nil {
		return false, err
	}
	if c.at.View != "" && c.at.View != p.View { // we may see other things than before
		c.at = standing{View: p.View, Projects: c.at.Projects}
		return false, nil
	}
	if err := c.sound(p); err != nil {
		return false, err
	}
	whole := !p.More && c.at.Moved == 0
	if err := store.CopiesOf(c.store).Take(ctx, p.Page, whole); errors.Is(err, store.ErrOther) && !c.renewed {
		return false, c.renew(ctx)
	} else if err != nil {
		return false, c.untrue(err)
	}
	c.at.View, c.at.After = p.View, p.Last
	if p.More {
		return false, c.keep(c.at)
	}
	for _, m := range p.Refs {
		c.at.Moved = max(c.at.Moved, m.At.UnixMilli())
	}
	digest, err := store.CopiesOf(c.store).Digest(ctx)
	if err != nil {
		return false, err
	}
	if c.whole = c.whole || whole; digest != p.Digest && !c.whole { // a ref is gone, or was moved under an earlier time
		c.at.Moved = 0
		return false, nil
	}
	c.at.Busy, c.at.Synced = p.Busy, time.Now().UTC()
	return true, c.keep(c.at)
}

// renew begins the copy again.
func (c *copying) renew(ctx context.Context) error {
	c.renewed, c.at = true, standing{Projects: c.at.Projects}
	if err := store.CopiesOf(c.store).Renew(ctx); err != nil {
		return err
	}
	return c.keep(c.at)
}

// sound refuses a page that cannot follow on what was copied.
func (c *copying) sound(p engine.Copy) error {
	last := c.at.After
	for _, n := range p.Nodes {
		if n.Seq <= last || n.Seq > p.Last {
			return c.untrue(fmt.Errorf("node %d is out of order", n.Seq))
		}
		last = n.Seq
	}
	if p.More && p.Last <= c.at.After {
		return c.untrue(errors.New("an empty page says that another one follows"))
	}
	if i := slices.IndexFunc(p.Busy, func(name string) bool { return strings.ContainsAny(name, "/\\\x00") || len(name) > 300 }); i >= 0 {
		return c.untrue(fmt.Errorf("%.40q is not the name of a lock", p.Busy[i]))
	}
	return nil
}

// untrue is what a hub sent and cannot be.
func (h *Hub) untrue(err error) error {
	if _, ours := errors.AsType[*store.Error](err); ours {
		return err
	}
	return failure.New(failure.ExitFailed, "hub", "what the hub "+h.URL+" sent was refused: "+err.Error(),
		"nothing was saved; ask the hub's admin")
}
