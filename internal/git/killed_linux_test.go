package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Git does not outlive a program that is killed. Its configuration is a pipe: it waits for it until it is ended.
func TestGitDiesWithUs(t *testing.T) {
	if dir := os.Getenv("TEST_HANG_IN"); dir != "" { // this is the program
		open(t, dir).Files(t.Context())
		return
	}
	dir := repository(t)
	config := filepath.Join(dir, ".git", "config")
	if err := errors.Join(os.Remove(config), syscall.Mkfifo(config, 0o600)); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^TestGitDiesWithUs$")
	program.Env = append(os.Environ(), "TEST_HANG_IN="+dir)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(config, os.O_WRONLY, 0) // returns once git has opened the other end
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	program.Process.Kill()
	program.Wait()
	for range 16 << 10 {
		if _, err := pipe.WriteString(strings.Repeat("#", 1<<10)); err != nil {
			return // nobody reads any more
		}
	}
	t.Error("git goes on to read its configuration")
}
