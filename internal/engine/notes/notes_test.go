package notes_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/store"
)

// open opens a store, as another process would, and an engine of notes over it.
func open(t *testing.T, path string) *engine.Engine {
	t.Helper()
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s, nil, notes.With())
	t.Cleanup(func() { e.Close(); s.Close() })
	return e
}

// Notes that are kept at once, also by another process, get numbers of their own; one in the trash keeps its own.
func TestNotesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	one, other := open(t, path), open(t, path)
	do := func(op engine.Op) {
		t.Helper()
		if _, err := one.Do(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	var both sync.WaitGroup
	for i := range 20 {
		both.Go(func() {
			if _, err := []*engine.Engine{one, other}[i%2].Do(t.Context(), notes.Keep{Text: "note of " + strconv.Itoa(i), Dir: "/p", By: "person"}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	kept, err := notes.In(one).List(t.Context(), "/p/sub", "")
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
	if got, err := notes.In(one).List(t.Context(), "/p-else", ""); err != nil || len(got) > 0 {
		t.Errorf("elsewhere: %v, %v", got, err)
	}
	do(notes.Forget{Numbers: []int{20, 3, 20}})
	do(notes.Keep{Text: "one more", By: "person"})
	if got, err := notes.In(other).List(t.Context(), "/q", "more one"); err != nil || len(got) != 1 || got[0].Number != 21 {
		t.Errorf("one more: %+v, %v", got, err)
	}
	if _, err := one.Do(t.Context(), notes.Forget{Numbers: []int{1, 3}}); err == nil {
		t.Error("a note is forgotten twice")
	}
	if got, err := notes.In(one).List(t.Context(), "", "note of"); err != nil || len(got) != 18 {
		t.Errorf("%d are left, %v", len(got), err)
	}
	do(notes.TakeBack{Number: 3})
	if got, err := notes.In(one).List(t.Context(), "", "note of"); err != nil || len(got) != 19 {
		t.Errorf("%d after one was taken back, %v", len(got), err)
	}
}

// Whoever does not see a note keeps theirs under another number: it has its own, and they do not meet.
func TestNotesBesideHidden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	keep := func(e *engine.Engine, text, dir string) {
		t.Helper()
		if _, err := e.Do(t.Context(), notes.Keep{Text: text, Dir: dir, By: "person"}); err != nil {
			t.Fatal(err)
		}
	}
	keep(open(t, path), "the treasure is below", "/secret")
	s, err := store.OpenFor(t.Context(), path, nil, store.Reader{Name: "ada", Hidden: []string{"/secret"}})
	if err != nil {
		t.Fatal(err)
	}
	hers := engine.New(s, nil, notes.With())
	t.Cleanup(func() { hers.Close(); s.Close() })
	keep(hers, "tea at five", "/p")
	keep(hers, "the treasure is below", "/p")
	if list, err := notes.In(hers).List(t.Context(), "/p", ""); err != nil || len(list) != 2 || list[0].Number != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := notes.In(hers).Note(t.Context(), 1); err == nil {
		t.Error("she reads the hidden note by its number")
	}
}

// A note is found by its number, and those that share telling words with a text by that; a text without one has no notes. A number
// that no note has is refused with what lists them.
func TestFindingNotes(t *testing.T) {
	e := open(t, filepath.Join(t.TempDir(), "s.db"))
	for _, text := range []string{"releases are cut from the branch stable", "tea at five"} {
		if _, err := e.Do(t.Context(), notes.Keep{Text: text, Dir: "/p", By: "person"}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := notes.In(e).Note(t.Context(), 2); err != nil || n.Text != "tea at five" {
		t.Errorf("%+v, %v", n, err)
	}
	if n, err := notes.In(e).Note(t.Context(), 3); err == nil {
		t.Errorf("no note has the number 3, and it is %+v", n)
	} else if r, ok := errors.AsType[*engine.Refusal](err); !ok || !strings.Contains(r.Hint, "memory list") {
		t.Errorf("a note that is not there: %v", err)
	}
	for text, want := range map[string]int{"which branch are releases cut from?": 1, "should we": 0, "": 0} {
		if got, err := notes.In(e).About(t.Context(), "/p", text); err != nil || len(got) != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
