package process_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/socrates-cli/socrates/internal/process"
)

// TestMain lets this binary be one that runs a program which leaves its group.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "lead" {
		cmd := exec.CommandContext(context.Background(), "sh", "-c", `setsid sh -c 'trap "" TERM HUP; echo; sleep 600; :' & wait`)
		cmd.Stdout = os.Stdout
		process.Mark(cmd)
		process.Run(cmd)
		return
	}
	os.Exit(m.Run())
}

// TestKilled: if we are killed, nothing is left of a marked program, not even what began a session of its own.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	leader := exec.Command(self, "lead")
	leader.Stdout = w
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	leader.Process.Kill()
	leader.Wait()
	if _, err := io.ReadAll(r); err != nil { // it comes to an end when the last that holds the pipe is gone
		t.Error(err)
	}
}
