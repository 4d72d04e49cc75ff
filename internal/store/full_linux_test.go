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

// TestReadOnly opens a store that belongs to somebody else.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	open(t, path, nil).Close()
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
	if out, err := another("peek", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// peek gives up the right to write everywhere, if it has it, and opens the store.
func peek(path string) error {
	runtime.LockOSThread()
	if os.Getuid() == 0 {
		os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755)
		if err := syscall.Setfsuid(65534); err != nil {
			return err
		}
	}
	s, err := store.Open(context.Background(), path, nil)
	if err == nil {
		s.Close()
		return errors.New("a store that cannot be written was opened")
	}
	if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "cannot be written") || e.Hint == "" {
		return err
	}
	return nil
}
