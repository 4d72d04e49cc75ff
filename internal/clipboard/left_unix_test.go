//go:build unix

package clipboard

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLeft reads a pipe that a program's child holds open: it ends with the child, which is not left behind.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nPATH=/usr/bin:/bin\nsleep 600 >" + pipe + " 2>&1 &\necho STRING\n"
	if err := os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	held, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	board := New("linux", func(name string) string { return map[string]string{"WAYLAND_DISPLAY": "wayland-0"}[name] }, t.TempDir())
	if got, err := board.Paste(t.Context()); err != nil || got != "STRING\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := io.ReadAll(held); err != nil {
		t.Error(err)
	}
}
