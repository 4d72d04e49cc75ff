package out_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func TestClipOfNoRoom(t *testing.T) {
	for n, want := range map[int]string{-3: "", 0: "", 1: "…", 4: "rea…", 8: "readable"} {
		if got := out.Clip("readable", n); got != want {
			t.Errorf("Clip to %d is %q, not %q", n, got, want)
		}
	}
}

// broken is a stream that cannot be written to.
type broken struct{ error }

func (b broken) Write([]byte) (int, error) { return 0, b.error }

func TestFinishTellsOfLostOutput(t *testing.T) {
	for _, c := range []struct {
		lost error
		want int
	}{{syscall.ENOSPC, failure.ExitFailed}, {syscall.EPIPE, failure.ExitOK}} {
		for name, write := range map[string]func(*out.Out){
			"cleaned": func(o *out.Out) { io.WriteString(o, "text\n") },
			"raw":     func(o *out.Out) { o.Raw("text\n") },
		} {
			o := out.New(broken{c.lost}, io.Discard)
			write(o)
			if code := o.Finish(nil, 0); code != c.want {
				t.Errorf("%s text that met %v ends with %d, not %d", name, c.lost, code, c.want)
			}
		}
	}
}

func TestWarningsOfSeveralAreNumbered(t *testing.T) {
	var stdout bytes.Buffer
	o := out.New(&stdout, io.Discard)
	o.Format = "stream-json"
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				o.Warn("early")
			}
		})
	}
	all.Wait()
	o.Room = "room"
	o.Release()
	for range 8 {
		all.Go(func() {
			for range 50 {
				o.Warn("late")
			}
		})
	}
	all.Wait()
	seen := map[int64]bool{}
	for line := range strings.Lines(stdout.String()) {
		var h out.Head
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			t.Fatal(err)
		}
		seen[h.Seq] = true
	}
	if len(seen) != 800 || !seen[1] || !seen[800] {
		t.Errorf("%d numbers were given to 800 warnings", len(seen))
	}
}

func TestWrapKeepsCommandsWhole(t *testing.T) {
	for line, want := range map[string]string{
		"Forward again: socrates tree back NAME --to dqhdmmgw --files":          "Forward again:\n  socrates tree back NAME --to dqhdmmgw --files",
		"write one: socrates plan; or list those of all: socrates work list -a": "write one: socrates plan; or list those\n  of all: socrates work list -a",
		"the program socrates is not where it was when this was begun by you":   "the program socrates is not where it was\n  when this was begun by you",
		"Check: socrates verify ./a.html --sha256 e0a98746. It has all of them": "Check:\n  socrates verify ./a.html --sha256 e0a98746.\n  It has all of them",
	} {
		if got := out.Wrap(line, 40, "  "); got != want {
			t.Errorf("%q is broken as\n%s\nnot as\n%s", line, got, want)
		}
	}
}
