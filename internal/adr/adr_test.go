package adr_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/adr"
)

// roomOf knows documents by a line of their own, as real ones are known by theirs.
func roomOf(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, "Room: ")
	room, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(room), ok
}

func decision(room, title string) adr.Decision {
	return adr.Decision{Room: room, Title: title, Date: time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC), Document: "# " + title + "\n\nRoom: " + room + "\n"}
}

func book(root string) adr.Book {
	return adr.Book{Root: root, Dir: "docs/adr", Lock: filepath.Join(root, "lock"), RoomOf: roomOf}
}

func write(t testing.TB, b adr.Book, superseded map[string]string, decisions ...adr.Decision) []adr.File {
	t.Helper()
	files, err := b.Write(context.Background(), decisions, superseded)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t testing.TB, b adr.Book, f adr.File) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.Root, f.Path))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func plant(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	b := book(t.TempDir())
	plant(t, filepath.Join(b.Root, "docs/adr/0002-of-somebody.md"), "# Somebody's\n")
	files := write(t, b, nil, decision("r1", "Where should sessions live: Redis, or a very long name that goes on and on?"), decision("r2", "Übrigens? 東京!"), decision("r3", "東京"))
	want := []adr.File{{Room: "r1", Path: "docs/adr/0003-where-should-sessions-live-redis-or-a-very-long.md", Number: 3, Change: adr.Written},
		{Room: "r2", Path: "docs/adr/0004-brigens.md", Number: 4, Change: adr.Written}, {Room: "r3", Path: "docs/adr/0005-r3.md", Number: 5, Change: adr.Written}}
	if !slices.Equal(files, want) {
		t.Fatalf("%+v", files)
	}
	if got := read(t, b, files[1]); got != "---\nstatus: accepted\ndate: 2026-03-04\n---\n\n# Übrigens? 東京!\n\nRoom: r2\n" {
		t.Errorf("%q", got)
	}
	again := write(t, b, map[string]string{"r2": "r1", "r3": "elsewhere"}, decision("r2", "another title"))
	for i := range want {
		want[i].Change = adr.Updated
	}
	if !slices.Equal(again, want[1:]) {
		t.Errorf("%+v", again)
	}
	if got := read(t, b, files[1]); got != "---\nstatus: superseded by ADR-0003\ndate: 2026-03-04\n---\n\n# Übrigens? 東京!\n\nRoom: r2\n" {
		t.Errorf("%q", got)
	}
	if got := read(t, b, files[2]); !strings.HasPrefix(got, "---\nstatus: superseded by elsewhere\n") {
		t.Errorf("%q", got)
	}
	if third := write(t, b, map[string]string{"r2": "r1"}, decision("r2", "x")); len(third) != 1 || third[0].Change != adr.Kept {
		t.Errorf("%+v", third)
	}
	entries, err := os.ReadDir(filepath.Join(b.Root, "docs/adr"))
	if err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
}

// What people wrote into a file stays, byte for byte, whatever it is.
func TestOnlyTheStatusChanges(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		b := book(filepath.Join(dir, fmt.Sprint(n)))
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end")
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "status: mine", "# x", "---", "tags: [a]", "words"}))
		front := slices.DeleteFunc(lines.Draw(rt, "front"), func(s string) bool { return s == "---" || s == "status: mine" })
		status := rapid.SampledFrom([]string{"status: accepted", "status:", "state: none"}).Draw(rt, "status")
		body := append(lines.Draw(rt, "body"), "Room: r1")
		text := func(status string) string {
			return strings.Join(slices.Concat([]string{"---"}, front, []string{status, "---"}, body, []string{""}), end)
		}
		plant(t, filepath.Join(b.Root, "docs/adr/0009-mine.md"), text(status))
		if status != "state: none" {
			status = "status: superseded by next"
		}
		files := write(t, b, map[string]string{"r1": "next"}, decision("r1", "x"))
		if got := read(t, b, files[0]); files[0].Number != 9 || got != text(status) {
			rt.Fatalf("%+v: %q, want %q", files, got, text(status))
		}
	})
}

func TestRefused(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "p")
	plant(t, filepath.Join(root, "file"), "x")
	plant(t, filepath.Join(base, "p-evil/x"), "x")
	links := os.Symlink(filepath.Join(base, "p-evil"), filepath.Join(root, "out")) == nil && os.Symlink("docs", filepath.Join(root, "in")) == nil
	plant(t, filepath.Join(root, "docs/x"), "x")
	for dir, says := range map[string]string{"..": "outside", "../p-evil": "outside", filepath.Join(base, "p-evil"): "outside", ".git/hooks": "cannot contain decision files", ".ssh": "cannot contain decision files",
		"file": "is a file", "file/adr": "is a file", "out": "link", "out/adr": "link", "in/adr": "link"} {
		if strings.HasPrefix(dir, "out") && !links || strings.HasPrefix(dir, "in") && !links {
			continue
		}
		b := adr.Book{Root: root, Dir: dir, RoomOf: roomOf}
		_, err := b.Write(t.Context(), []adr.Decision{decision("r", "t")}, nil)
		if e, ok := errors.AsType[*adr.Error](err); !ok || !strings.Contains(e.Error(), says) {
			t.Errorf("%s: %v, want %s", dir, err, says)
		}
		if check := b.Check(); check == nil || check.Error() != err.Error() {
			t.Errorf("%s: checked as %v, written as %v", dir, check, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(base, "p-evil")); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if err := (adr.Book{Root: root, Dir: filepath.Join(root, "new", "adr"), RoomOf: roomOf}).Check(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "new")); err == nil {
		t.Error("Check made a folder")
	}
}

// A link that poses as a decision's file is neither read nor written through.
func TestLinkedFile(t *testing.T) {
	b := book(t.TempDir())
	mine := filepath.Join(b.Root, "elsewhere.md")
	plant(t, mine, "---\nstatus: accepted\n---\nRoom: r1\n")
	plant(t, filepath.Join(b.Root, "docs/adr/x"), "")
	if err := os.Symlink("../../elsewhere.md", filepath.Join(b.Root, "docs/adr/0004-posing.md")); err != nil {
		t.Skip("links need rights here:", err)
	}
	files := write(t, b, map[string]string{"r1": "r2"}, decision("r1", "mine"))
	if len(files) != 1 || files[0].Number != 5 {
		t.Errorf("%+v", files)
	}
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "---\nstatus: accepted\n---\nRoom: r1\n" {
		t.Errorf("%q, %v", raw, err)
	}
}

// Many who write at once get a number each.
func TestNumbersAreGivenOnce(t *testing.T) {
	b := book(t.TempDir())
	var mu sync.Mutex
	numbers := map[int]bool{}
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			files, err := b.Write(context.Background(), []adr.Decision{decision(fmt.Sprintf("r%d", i), fmt.Sprintf("title %d", i))}, nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || len(files) != 1 || numbers[files[0].Number] {
				t.Errorf("%+v, %v", files, err)
				return
			}
			numbers[files[0].Number] = true
		})
	}
	wait.Wait()
	if len(numbers) != 16 {
		t.Errorf("%d numbers", len(numbers))
	}
}

// TestPages reads what Write wrote, and nothing of others.
func TestPages(t *testing.T) {
	b := book(t.TempDir())
	if pages, err := b.Pages(); err != nil || len(pages) != 0 {
		t.Fatalf("%+v, %v", pages, err)
	}
	files := write(t, b, map[string]string{"r2": "r1"}, decision("r1", "One"), decision("r2", "Two"))
	plant(t, filepath.Join(b.Root, "docs/adr/0009-foreign.md"), "# Foreign\n")
	pages, err := b.Pages()
	if err != nil || len(pages) != 2 || pages[0].Path != files[0].Path || pages[0].Status != "accepted" || pages[1].Status != "superseded by ADR-0001" ||
		!strings.HasSuffix(pages[1].Text, "# Two\n\nRoom: r2\n") {
		t.Errorf("%+v, %v", pages, err)
	}
}
