package shell_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/shell"
)

// exchange swaps two names again and again, until the test ends.
func exchange(t *testing.T, a, b string) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-ended })
}

func below(dir string) func(context.Context, string, bool) error {
	return func(_ context.Context, path string, _ bool) error {
		if !strings.HasPrefix(path, dir+"/") {
			return &os.PathError{Op: "open", Path: path, Err: errors.New("refused")}
		}
		return nil
	}
}

// A folder that becomes a link between the decision and the opening leads nowhere: S17.
func TestSwappedFolder(t *testing.T) {
	top := shell.Real(t.TempDir())
	dir, out := filepath.Join(top, "project"), filepath.Join(top, "home")
	for _, d := range []string{filepath.Join(dir, "d"), out} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "secret"), []byte("SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "d", "secret"), nil, 0o644), os.Symlink(out, filepath.Join(dir, "l"))); err != nil {
		t.Fatal(err)
	}
	exchange(t, filepath.Join(dir, "d"), filepath.Join(dir, "l"))

	s, err := shell.NewSession(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	script, err := shell.Parse("i=0; while [ $i -lt 1200 ]; do i=$((i+1)); echo x >> d/rc; echo x > d/new; echo x &> d/all; read -r line < d/secret && echo $line; done 2>/dev/null", s.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if _, err := s.Run(t.Context(), script, shell.Hooks{Call: func(context.Context, shell.Command, string) error { return nil }, Open: below(dir)}, &said); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(out)
	if err != nil || len(names) != 1 || strings.Contains(said.String(), "SECRET") {
		t.Errorf("outside: %v, %v; read from there: %.40q", names, err, said.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "d", "rc")); err != nil {
		if _, err = os.Stat(filepath.Join(dir, "l", "rc")); err != nil {
			t.Logf("nothing was written at all: %v", err)
		}
	}
}

// Where the system cannot refuse links itself, going step by step holds as well.
func TestSwappedFolderStepwise(t *testing.T) {
	top := shell.Real(t.TempDir())
	out := filepath.Join(top, "home")
	if err := errors.Join(os.MkdirAll(filepath.Join(top, "a", "d"), 0o755), os.Mkdir(out, 0o755), os.Symlink(out, filepath.Join(top, "a", "l"))); err != nil {
		t.Fatal(err)
	}
	exchange(t, filepath.Join(top, "a", "d"), filepath.Join(top, "a", "l"))
	done := 0
	for range 3000 {
		f, err := shell.OpenStepwise(filepath.Join(top, "a", "d", "f"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err == nil {
			done++
			f.Close()
		}
	}
	if names, err := os.ReadDir(out); err != nil || len(names) > 0 || done == 0 {
		t.Errorf("outside: %v, %v; %d opened", names, err, done)
	}
}

// The interpreter opens pipes of its own without asking; nothing may be taken for one of them.
func TestNameOfAPipe(t *testing.T) {
	temp := shell.Real(t.TempDir())
	target := filepath.Join(shell.Real(t.TempDir()), "rc")
	if err := os.Symlink(target, filepath.Join(temp, "sh-interp-1")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"echo x > $TMPDIR/sh-interp-1", "echo x >> $TMPDIR/sh-interp-1", "echo x &> $TMPDIR/sh-interp-1", "cat < $TMPDIR/sh-interp-1", `y="$(<$TMPDIR/sh-interp-1)"`, "{ echo x; } > $TMPDIR/sh-interp-1"} {
		s, err := shell.NewSession(temp, []string{"TMPDIR=" + temp, "PATH=" + os.Getenv("PATH")})
		if err != nil {
			t.Fatal(err)
		}
		script, err := shell.Parse(text, s.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked := ""
		s.Run(t.Context(), script, shell.Hooks{Call: func(context.Context, shell.Command, string) error { return nil },
			Open: func(_ context.Context, path string, _ bool) error {
				asked = path
				return &os.PathError{Op: "open", Path: path, Err: errors.New("refused")}
			}}, io.Discard)
		if _, err := os.Lstat(target); err == nil || asked != target {
			t.Errorf("%q: asked about %q, %v", text, asked, err)
			os.Remove(target)
		}
	}
}
