package rooms_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/store"
)

// resident is an actor that remembers where it worked.
type resident struct {
	actor
	held bool
	mu   *sync.Mutex
	dirs map[string]string
}

func (r resident) Info() llm.Info {
	info := r.actor.Info()
	info.Held = r.held
	return info
}

func (r resident) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	r.mu.Lock()
	r.dirs[r.name] = req.Dir
	r.mu.Unlock()
	return r.actor.Stream(ctx, req)
}

// seated seats residents before a project of one file and returns where they worked.
func seated(t *testing.T, temp string, seats map[string]bool) (dirs map[string]string, res debate.Result, project string, err error) {
	t.Helper()
	project = t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "a.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	dirs = map[string]string{}
	var mu sync.Mutex
	models := map[string]llm.Model{"speaker": speaker{}}
	f := table.Frame{Question: "left or right?", Strategy: "council", Options: motion.Letters([]string{"left", "right"}), Seed: 1, Dir: project}
	for _, id := range []string{"one", "two", "three", "four", "speaker"} {
		held, there := seats[id]
		if !there {
			continue
		}
		if id != "speaker" {
			models[id] = resident{actor{id, false}, held, &mu, dirs}
		}
		f.Seats = append(f.Seats, table.Seat{ID: id, Spec: id, Lineage: id})
	}
	e := all.New(s, all.Wiring{Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) { return models[spec], nil }}})
	t.Cleanup(func() { e.Close() })
	root, err := e.Do(t.Context(), rooms.Debate{Frame: f})
	if err != nil {
		t.Fatal(err)
	}
	if err = e.Wait(root); err == nil {
		res, err = rooms.In(e).Result(t.Context(), root)
	}
	return dirs, res, project, err
}

// speaker is a model that runs nothing.
type speaker struct{}

func (speaker) Info() llm.Info { return llm.Info{ID: "speaker", Lineage: "speaker"} }

func (speaker) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return actor{"speaker", false}.Stream(ctx, req)
}

// Seats that act get a copy each; those that the system holds share one; nothing of them stays.
func TestSeatsWorkInCopies(t *testing.T) {
	temp := t.TempDir()
	dirs, res, project, err := seated(t, temp, map[string]bool{"one": false, "two": false, "three": true, "four": true})
	if err != nil || res.Panel.Voted != 4 {
		t.Fatalf("%d voted, %v", res.Panel.Voted, err)
	}
	for id, dir := range dirs {
		if dir == "" || dir == project || !strings.HasPrefix(dir, temp) && !strings.Contains(dir, filepath.Base(temp)) {
			t.Errorf("%s worked in %q", id, dir)
		}
	}
	if dirs["one"] == dirs["two"] || dirs["one"] == dirs["three"] || dirs["three"] != dirs["four"] {
		t.Errorf("they worked in %v", dirs)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Without a copy no model that acts is asked anything, held or not.
func TestSeatsWithoutACopyAreRefused(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	dirs, res, _, err := seated(t, gone, map[string]bool{"one": false, "three": true, "speaker": false})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) > 0 {
		t.Errorf("they worked in %v", dirs)
	}
	for _, i := range []int{0, 1} {
		if s := res.Seats[i]; s.Status != verdict.Failed || s.Kind != exchange.NoCopyKind || !strings.Contains(s.Reason, "throw-away copy of the project") {
			t.Errorf("%s is %s (%s): %s", s.ID, s.Status, s.Kind, s.Reason)
		}
	}
	if res.Panel.Voted != 1 || res.Panel.Failed != 2 {
		t.Errorf("the panel is %+v", res.Panel)
	}
	dirs, _, _, err = seated(t, gone, map[string]bool{"one": false, "three": true})
	if none := (*engine.NoCopy)(nil); !errors.As(err, &none) || len(dirs) > 0 {
		t.Errorf("error %v, they worked in %v", err, dirs)
	}
}
