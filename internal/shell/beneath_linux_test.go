package shell_test

import (
	"cmp"
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
	inside, err := os.OpenRoot(filepath.Join(dir, "d"))
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	exchange(t, filepath.Join(dir, "d"), filepath.Join(dir, "l"))

	s, err := shell.NewSession(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Only once something was written inside does it say something that nothing was outside.
	script, err := shell.Parse("i=0; while [ $i -lt 1200 ] || [ ! -e d/rc ] && [ $i -lt 200000 ]; do i=$((i+1)); echo x >> d/rc; echo x > d/new; echo x &> d/all; read -r line < d/secret && echo $line; done 2>/dev/null", s.Context())
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
	if _, err := inside.Stat("rc"); err != nil {
		t.Errorf("nothing was written at all: %v", err)
	}
}

// The same with no luck in it: the folder becomes the link as soon as the decision is made.
func TestSwappedAfterTheDecision(t *testing.T) {
	for _, target := range []string{"", "../home"} { // links from the root and from where they are
		for _, text := range []string{"echo x > d/new", "echo x >> d/new", "echo x &> d/new", "read -r line < d/secret; echo $line"} {
			for _, swaps := range []bool{false, true} {
				top := shell.Real(t.TempDir())
				dir, out := filepath.Join(top, "project"), filepath.Join(top, "home")
				d, l := filepath.Join(dir, "d"), filepath.Join(dir, "l")
				if err := errors.Join(os.MkdirAll(d, 0o755), os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(out, "secret"), []byte("SECRET\n"), 0o644),
					os.WriteFile(filepath.Join(d, "secret"), []byte("mine\n"), 0o644), os.Symlink(cmp.Or(target, out), l)); err != nil {
					t.Fatal(err)
				}
				s, err := shell.NewSession(dir, nil)
				if err != nil {
					t.Fatal(err)
				}
				script, err := shell.Parse(text, s.Context())
				if err != nil {
					t.Fatal(err)
				}
				var said strings.Builder
				s.Run(t.Context(), script, shell.Hooks{Call: func(context.Context, shell.Command, string) error { return nil }, Open: func(ctx context.Context, path string, write bool) error {
					err := below(dir)(ctx, path, write)
					if err == nil && swaps {
						err = unix.Renameat2(unix.AT_FDCWD, d, unix.AT_FDCWD, l, unix.RENAME_EXCHANGE)
					}
					return err
				}}, &said)
				if names, err := os.ReadDir(out); err != nil || len(names) != 1 || strings.Contains(said.String(), "SECRET") {
					t.Errorf("%s, link to %q: outside: %v, %v; read from there: %q", text, target, names, err, said.String())
				}
				_, err = os.Stat(filepath.Join(d, "new"))
				if !swaps && err != nil && !strings.Contains(said.String(), "mine") {
					t.Errorf("%s: nothing is done without a swap: %v", text, err)
				}
			}
		}
	}
}

// Where the system cannot refuse links itself, going step by step holds as well, be it that a link leads far away or beside.
func TestSwappedFolderStepwise(t *testing.T) {
	for _, beside := range []bool{false, true} {
		top := shell.Real(t.TempDir())
		out, target := filepath.Join(top, "home"), filepath.Join(top, "home")
		if beside {
			out, target = filepath.Join(top, "a", "home"), "home"
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(top, "a", "d"), 0o755), os.Mkdir(out, 0o755), os.Symlink(target, filepath.Join(top, "a", "l"))); err != nil {
			t.Fatal(err)
		}
		if f, err := shell.OpenStepwise(filepath.Join(top, "a", "l", "f"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644); err == nil {
			t.Error("a link is followed")
			f.Close()
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
			t.Errorf("beside %v: outside: %v, %v; %d opened", beside, names, err, done)
		}
	}
}

// The interpreter opens pipes of its own without asking; nothing may be taken for one of them.
func TestNameOfAPipe(t *testing.T) {
	temp := shell.Real(t.TempDir())
	target := filepath.Join(shell.Real(t.TempDir()), "rc")
	if err := os.Symlink(target, filepath.Join(temp, "sh-interp-1")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"echo x > $TMPDIR/sh-interp-1", "echo x >> $TMPDIR/sh-interp-1", "echo x &> $TMPDIR/sh-interp-1", "echo x &>> $TMPDIR/sh-interp-1",
		"echo x > $(cat < $TMPDIR/sh-interp-1)", "cat <(echo x) > $TMPDIR/sh-interp-1", "cat < $TMPDIR/sh-interp-1", `y="$(<$TMPDIR/sh-interp-1)"`, "{ echo x; } > $TMPDIR/sh-interp-1"} {
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
