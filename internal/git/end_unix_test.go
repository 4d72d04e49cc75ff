//go:build unix

package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The configuration is a pipe: git waits for it until it is ended.
func TestCancellingEndsAGitThatHangs(t *testing.T) {
	dir := repository(t)
	r := open(t, dir)
	config := filepath.Join(dir, ".git", "config")
	if err := errors.Join(os.Remove(config), syscall.Mkfifo(config, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := r.Files(ctx)
		done <- err
	}()
	pipe, err := os.OpenFile(config, os.O_WRONLY, 0) // returns once git has opened the other end
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Files = %v, want cancelled", err)
	}
}
