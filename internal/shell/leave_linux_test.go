package shell_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/shell"
)

// TestNothingIsLeft: what a script leaves behind ends with it, also in a session of its own. Until then it goes on.
func TestNothingIsLeft(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	held := filepath.Join(dir, "held")
	if err := syscall.Mkfifo(held, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := shell.NewSession(dir, []string{"PATH=" + os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	// The first command has ended when the second asks what it left behind.
	script, err := shell.Parse(`sh -c 'mkfifo up; setsid sh -c "echo \$\$ >up; exec sleep 600" >held 2>&1 & read x <up; echo $x >pid'; sh -c 'kill -0 $(cat pid) && echo >held'`, s.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(t.Context(), script, shell.Hooks{
		Call: func(context.Context, shell.Command, string) error { return nil },
		Open: func(context.Context, string, bool) error { return nil },
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(r); err != nil || string(said) != "\n" {
		t.Errorf("%q %v", said, err)
	}
}
