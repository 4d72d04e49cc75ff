package engine

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/peer"
)

// sharing is a core that tells others what grows in it, and one that hears it. The clock is the test's.
func sharing(t *testing.T) (c *Core, seen func() string) {
	dir := filepath.Join(t.TempDir(), "growing")
	c = &Core{peers: peer.In(dir, strings.Clone)}
	other := peer.In(dir, strings.Clone)
	t.Cleanup(other.Listen())
	return c, func() string {
		synctest.Wait()
		return other.Others()["a"].Text
	}
}

// What grows after a silence is told at once; then it is told by and by, and everything by the end of shareEvery.
func TestShareAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, seen := sharing(t)
		defer c.share()()
		time.Sleep(time.Second)
		text := ""
		say := func() string {
			text += "word "
			c.Feed.Publish(feed.Snapshot{Of: "a", State: "writing", Text: text})
			return text
		}
		first := say()
		if got := seen(); got != first {
			t.Errorf("at once %q was heard, not %q", got, first)
		}
		for range 20 {
			say()
		}
		if got := seen(); got != first {
			t.Errorf("it was told for each word: %q", got)
		}
		time.Sleep(shareEvery)
		if got := seen(); got != text {
			t.Errorf("after %s %q was heard, not %q", shareEvery, got, text)
		}
		time.Sleep(time.Minute)
		if last := say(); seen() != last {
			t.Errorf("after a silence %q was heard", seen())
		}
	})
}

// Who listens from now on hears what grew before.
func TestShareWithLateListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "growing")
		c := &Core{peers: peer.In(dir, strings.Clone)}
		defer c.share()()
		c.Feed.Publish(feed.Snapshot{Of: "a", State: "writing", Text: "said"})
		time.Sleep(time.Minute)
		other := peer.In(dir, strings.Clone)
		defer other.Listen()()
		time.Sleep(lonelyEvery)
		synctest.Wait()
		if got := other.Others()["a"].Text; got != "said" {
			t.Errorf("heard %q", got)
		}
	})
}
