//go:build unix

package evidence_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// The child holds the writing end of a pipe: reading from it ends only once the child is gone.
func TestChildrenEndWithTheirCommand(t *testing.T) {
	for _, how := range []string{"leave", "depart"} {
		t.Run(how, func(t *testing.T) {
			if _, err := exec.LookPath("setsid"); how == "depart" && (runtime.GOOS != "linux" || err != nil) {
				t.Skip("elsewhere what left the group is not found")
			}
			dir := install(t)
			write(t, dir, "f", "content\n")
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			end, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer end.Close()
			expect(t, try(t, dir, "", how, pipe), verdict.Pass, verdict.Executed)
			if body, err := io.ReadAll(end); err != nil || len(body) > 0 {
				t.Errorf("read %q, %v", body, err)
			}
		})
	}
}

func TestKilledCommandsShowNothing(t *testing.T) {
	dir := install(t)
	write(t, dir, "f", "content\n")
	for _, expected := range []string{"pass", "fail"} {
		expect(t, try(t, dir, expected, "die"), verdict.Skipped, verdict.Nothing, "killed")
	}
}
