package engine_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/store"
)

// Notes that are kept at once, also by another process, get numbers of their own; one in the trash keeps its own.
func TestNotesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	h := newHall(t, path, nil)
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := all.New(s, all.Wiring{})
	defer other.Close()
	var both sync.WaitGroup
	for i := range 20 {
		both.Go(func() {
			if _, err := []*engine.Engine{h.Engine, other}[i%2].Do(t.Context(), notes.Keep{Text: "note of " + strconv.Itoa(i), Dir: "/p", By: "person"}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	kept, err := notes.In(h.Engine).List(t.Context(), "/p/sub", "")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, n := range kept {
		numbers = append(numbers, n.Number)
	}
	slices.Sort(numbers)
	if len(numbers) != 20 || len(slices.Compact(slices.Clone(numbers))) != 20 || numbers[0] != 1 || numbers[19] != 20 {
		t.Errorf("numbers %v", numbers)
	}
	if got, err := notes.In(h.Engine).List(t.Context(), "/p-else", ""); err != nil || len(got) > 0 {
		t.Errorf("elsewhere: %v, %v", got, err)
	}
	h.do(t, notes.Forget{Numbers: []int{20, 3, 20}})
	h.do(t, notes.Keep{Text: "one more", By: "person"})
	if got, err := notes.In(other).List(t.Context(), "/q", "more one"); err != nil || len(got) != 1 || got[0].Number != 21 {
		t.Errorf("one more: %+v, %v", got, err)
	}
	if _, err := h.Do(t.Context(), notes.Forget{Numbers: []int{1, 3}}); err == nil {
		t.Error("a note is forgotten twice")
	}
	if got, err := notes.In(h.Engine).List(t.Context(), "", "note of"); err != nil || len(got) != 18 {
		t.Errorf("%d are left, %v", len(got), err)
	}
	h.do(t, notes.TakeBack{Number: 3})
	if got, err := notes.In(h.Engine).List(t.Context(), "", "note of"); err != nil || len(got) != 19 {
		t.Errorf("%d after one was taken back, %v", len(got), err)
	}
}
