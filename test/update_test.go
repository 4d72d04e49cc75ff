package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/release"
)

// TestUpdateCommand updates a real program that the install script installed, and goes back; and leaves alone what others installed.
func TestUpdateCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the releases here hold shell scripts")
	}
	p := publish(t, "0.1.0", "9.1.0")
	home, bin := t.TempDir(), t.TempDir()
	program, marker := filepath.Join(bin, "socrates"), filepath.Join(bin, release.Marker)
	us, err := os.Executable()
	if err == nil {
		err = os.Link(us, program)
	}
	if err != nil {
		t.Skip("this test's program cannot be linked: ", err)
	}
	run := func(want int, says string, args ...string) {
		t.Helper()
		c := exec.Command(program, append([]string{"update"}, args...)...)
		c.Dir = home
		c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SOCRATES_UPDATE_URL=" + p.URL}
		text, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want || !strings.Contains(string(text), says) {
			t.Errorf("update %v: exit code %d, %s\n(want %d and %q)", args, code, text, want, says)
		}
	}
	run(1, "not installed by the install script")
	run(0, "socrates 9.1.0 is available", "--check")
	run(0, `"newer": true`, "--check", "--output", "json")
	run(2, "cannot be combined with a version", "--rollback", "--check")
	channel := filepath.Join(filepath.Dir(bin), filepath.FromSlash(release.Channel))
	if err := os.MkdirAll(filepath.Dir(channel), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(channel, "deb\n")
	run(1, "installed by deb, which also updates it")
	write(marker, "script\n")
	run(1, "no previous version", "--rollback")
	run(1, "404", "9.9.9")
	write(filepath.Join(bin, release.Previous), "#!/bin/sh\necho '{\"version\": \"0.0.9\"}'\n")
	run(0, "previous version, 0.0.9", "--rollback")
	if err := os.Rename(filepath.Join(bin, release.Previous), program); err != nil { // we are back where we were
		t.Fatal(err)
	}
	run(0, "to 9.1.0\nundo: socrates update --rollback")
	if text, err := exec.Command(program).Output(); err != nil || !strings.Contains(string(text), "9.1.0") {
		t.Errorf("the program in place says %s (%v)", text, err)
	}
	if text, err := exec.Command(filepath.Join(bin, release.Hub)).Output(); err != nil || !strings.Contains(string(text), "9.1.0") {
		t.Errorf("the second program in place says %s (%v)", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(bin, release.New+"*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
