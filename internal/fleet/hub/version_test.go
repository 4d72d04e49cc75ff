package hub

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/release"
)

// started is a hub in a folder, which the test ends.
func started(t *testing.T, dir string) *Hub {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	b, err := bus.Open(ctx, bus.Options{Dir: filepath.Join(dir, "bus"), Addr: "127.0.0.1:0", Lease: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	table, err := lease.Open(ctx, filepath.Join(dir, "hub.db"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{Table: table, Bus: b, Lease: time.Minute, Key: []byte("key"), Warn: func(text string) { t.Error(text) }}
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, b.Close(), table.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// joined makes a worker's folder.
func joined(t *testing.T, h *Hub, name string) (dir string) {
	t.Helper()
	token, err := h.Bus.Invite(name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), name)
	if _, err := bus.Join(t.Context(), token, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Hub and worker of neighbouring releases work together; what is further apart is told who must be upgraded, and that no other token helps.
func TestOtherReleases(t *testing.T) {
	h := started(t, t.TempDir())
	dir := joined(t, h, "w1")
	for speaks, want := range map[int]string{
		release.Speaks: "", release.Speaks - 1: "", release.Speaks + 1: "",
		release.Speaks + 2: "the worker (9.9) is more than one release newer than the hub",
	} {
		line, err := bus.Dial(t.Context(), dir, fleet.Offer{Build: "9.9", Speaks: speaks})
		switch {
		case err == nil && want != "":
			t.Errorf("a worker that speaks %d got in", speaks)
		case err != nil && (want == "" || !errors.Is(err, bus.ErrOffer) || !strings.Contains(err.Error(), want)):
			t.Errorf("a worker that speaks %d: %v", speaks, err)
		case err == nil && line.Admitted().Speaks != release.Speaks:
			t.Error(line.Admitted().Speaks)
		}
		if err == nil {
			line.Close()
		}
	}
}

// A worker that does not name its generation is of the first.
func TestSkew(t *testing.T) {
	for _, c := range []struct {
		worker, hub int
		want        string
	}{
		{0, 0, ""}, {0, 1, ""}, {0, 2, ""}, {0, 3, "older than the hub (h): upgrade the worker"}, {3, 0, "newer than the hub (h): upgrade the hub"},
		{7, 7, ""}, {6, 7, ""}, {8, 7, ""}, {5, 7, "upgrade the worker"}, {9, 7, "upgrade the hub"},
	} {
		err := release.Skew(c.worker, "", c.hub, "h")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("worker %d, hub %d: %v", c.worker, c.hub, err)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{"2.15.2": true, "2.15.10": true, "2.16.0-RC.1": true, "3.0.0": true, "2.15.1": false,
		"2.9.10": false, "": false, "junk": false} {
		if release.AtLeast(version, release.NATS) != want {
			t.Error(version, "is at least", release.NATS, "is not", want)
		}
	}
}
