package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/store"
)

func init() { acts["fill"], acts["peek"] = fill, peek }

// TestFullDisk lets a process write until its files may not grow any more, then until they may.
func TestFullDisk(t *testing.T) {
	for _, kind := range []string{"limit", "tmpfs"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			if kind == "tmpfs" {
				if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
					t.Skip("needs the right to mount: ", err)
				}
				t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
			}
			c := another("fill", filepath.Join(dir, "s.db"))
			c.Env = append(c.Env, "STORE_TEST_FULL="+kind)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// fill is the other process: room is made by raising its limit, or by removing a file.
func fill(path string) error {
	ctx := context.Background()
	ballast := path + ".ballast"
	var full, free func() error
	switch os.Getenv("STORE_TEST_FULL") {
	case "limit":
		full = func() error {
			return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300 << 10, Max: 1 << 40})
		}
		free = func() error {
			return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 40, Max: 1 << 40})
		}
	case "tmpfs":
		full = func() error { return os.WriteFile(ballast, make([]byte, 400<<10), 0o600) }
		free = func() error { return os.Remove(ballast) }
	}
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	root := node("", "root")
	if _, err := s.Append(ctx, root); err != nil {
		return err
	}
	if err := full(); err != nil {
		return err
	}
	committed := 1
	for err == nil && committed < 1000 {
		if _, err = s.Append(ctx, node(root.ID, strings.Repeat("x", 3000)), node(root.ID, strings.Repeat("y", 3000))); err == nil {
			committed += 2
		}
	}
	if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "full") || e.Hint == "" {
		return fmt.Errorf("after %d nodes: %v", committed, err)
	}
	if _, err := s.PutBlob(ctx, strings.Repeat("z", 200_000)); err != nil {
		if _, ok := errors.AsType[*store.Error](err); !ok {
			return fmt.Errorf("a text: %v", err)
		}
	}
	count := func() error {
		n := 0
		for _, err := range s.Since(ctx, 0, "") {
			if err != nil {
				return err
			}
			n++
		}
		if n != committed {
			return fmt.Errorf("%d nodes are there, %d were committed", n, committed)
		}
		return nil
	}
	if err := count(); err != nil {
		return err
	}
	if err := free(); err != nil {
		return err
	}
	if _, err := s.Append(ctx, node(root.ID, "room again")); err != nil {
		return fmt.Errorf("after room was made: %w", err)
	}
	committed++
	return count()
}

// A store that nobody has open can be read while its disk is full, and says why nothing can be written.
func TestFullDiskIsRead(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	path := filepath.Join(dir, "s.db")
	s := open(t, path, nil)
	root := node("", "root")
	if _, err := s.Append(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 2<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("the disk is not full: ", err)
	}
	s = open(t, path, nil)
	defer s.Close()
	if nodes, err := s.Tree(t.Context(), root.ID); err != nil || len(nodes) != 1 {
		t.Errorf("%d nodes: %v", len(nodes), err)
	}
	_, err := s.Append(t.Context(), node(root.ID, "word"))
	if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "the disk is full") {
		t.Errorf("append: %v", err)
	}
}

// A store that could not be filled because its disk is full says so, and can be filled later.
func TestFullDiskIsNotANewerVersion(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	ballast, path := filepath.Join(dir, "ballast"), filepath.Join(dir, "s.db")
	for _, free := range []int{0, 4 << 10, 40 << 10, 80 << 10} {
		os.Remove(path)
		if err := os.WriteFile(ballast, make([]byte, 1<<20-free), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), path, nil)
		if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "the disk is full") {
			t.Errorf("%d bytes free: %v", free, err)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	open(t, path, nil).Close()
}

// TestReadOnly opens stores that belong to somebody else, in a folder that does, too: of this version and an older one.
func TestReadOnly(t *testing.T) {
	for name, plant := range map[string]func(path string){
		"this version": func(path string) { open(t, path, nil).Close() },
		"older":        func(path string) { released(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			plant(path)
			if _, err := raw(t, path).Exec(`INSERT INTO node (id, parent, root, kind, by, at, body) VALUES ('a', '', 'a', 'said', 'x', 0, '{}'),
				('b', 'a', 'a', 'said', 'x', 0, '{}'); INSERT INTO ref (name, head, at) VALUES ('room/x', 'b', 0); PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
				t.Fatal(err)
			}
			for _, left := range []string{"-wal", "-shm"} {
				os.Remove(path + left)
			}
			if err := errors.Join(os.Chmod(path, 0o444), os.Chmod(filepath.Dir(path), 0o555)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
			if out, err := another("peek", path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// peek gives up the right to write everywhere, if it has it, and uses the store.
func peek(path string) error {
	runtime.LockOSThread()
	if os.Getuid() == 0 {
		for dir := filepath.Dir(filepath.Dir(path)); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			os.Chmod(dir, 0o755)
		}
		if err := syscall.Setfsuid(65534); err != nil {
			return err
		}
	}
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if nodes, err := s.Tree(ctx, "a"); err != nil || len(nodes) != 2 {
		return fmt.Errorf("%d nodes: %w", len(nodes), err)
	}
	unknown, err := s.Unknown(ctx, "room/", false, 9)
	if err != nil || len(unknown) != 1 || unknown[0] != "a" {
		return fmt.Errorf("unknown: %v: %w", unknown, err)
	}
	if _, err := s.Commit(ctx, store.Change{Index: []store.Indexed{{Node: "a", Title: "found all the same"}}}); err != nil {
		return err
	}
	if hits, err := s.Search(ctx, store.Query{Text: "same", Limit: 9}); err != nil || len(hits) != 1 || hits[0].Node != "a" {
		return fmt.Errorf("search: %v: %w", hits, err)
	}
	if unknown, err = s.Unknown(ctx, "room/", false, 9); err != nil || len(unknown) != 0 {
		return fmt.Errorf("still unknown: %v: %w", unknown, err)
	}
	_, err = s.Append(ctx, node("a", "word"))
	if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "cannot be written") || e.Hint == "" {
		return fmt.Errorf("append: %w", err)
	}
	return nil
}
