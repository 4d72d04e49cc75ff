package bus

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// A worker whose clock is far off cannot check the hub's certificate. It is told so, and not that another hub is there.
func TestAWrongClock(t *testing.T) {
	s, _ := hub(t, Options{}, newBook())
	token, err := s.Invite("w2", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	dir := joined(t, s, "w1")
	s.cert.mu.Lock()
	s.cert.leaf, s.cert.now = nil, func() time.Time { return time.Now().AddDate(0, 0, 200) } // it is the hub that is ahead
	s.cert.mu.Unlock()
	const want = "correct the clock"
	if _, err := Join(within(t), token, filepath.Join(t.TempDir(), "w2")); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Dial(within(t), dir, fleet.Offer{}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
