package scratch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestMain lets this binary be a process that makes a folder and is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "die" {
		d, err := New("seat")
		if err == nil {
			err = os.WriteFile(filepath.Join(d.Path, "key"), []byte("secret"), 0o400)
		}
		if err == nil {
			err = errors.Join(os.Mkdir(filepath.Join(d.Path, "closed"), 0o700), os.WriteFile(filepath.Join(d.Path, "closed", "x"), nil, 0o600), os.Chmod(filepath.Join(d.Path, "closed"), 0o500))
		}
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		select {}
	}
	os.Exit(m.Run())
}

// TestStaleFoldersAreRemoved: what a killed process left goes, what a living one has stays.
func TestStaleFoldersAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	RemoveStale()
	if Root() != "" {
		t.Errorf("%s was made for nothing", Root())
	}
	ours, err := New("copy")
	if err != nil {
		t.Fatal(err)
	}
	dead := exec.Command(os.Args[0], "die")
	out, _ := dead.CombinedOutput()
	all, _ := filepath.Glob(filepath.Join(Root(), "seat-*"))
	if len(all) != 1 {
		t.Fatalf("the process that was killed left %v: %s", all, out)
	}
	RemoveStale()
	if all, _ = filepath.Glob(filepath.Join(Root(), "*")); len(all) != 1 || all[0] != filepath.Dir(ours.Path) || !strings.HasPrefix(ours.Path, Root()+string(filepath.Separator)) {
		t.Errorf("after the sweep there are %v", all)
	}
	if err := errors.Join(ours.Remove(), ours.Remove()); err != nil {
		t.Error(err)
	}
	RemoveStale()
	if Root() != "" {
		t.Error("the folder of folders stays")
	}
}

// TestForeign: a folder that others can write, or a link, is not used.
func TestForeign(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	d, err := New("x")
	if err != nil {
		t.Fatal(err)
	}
	root := Root()
	if err := errors.Join(d.Remove(), os.Remove(root), os.Symlink(t.TempDir(), root)); err != nil {
		t.Skip(err)
	}
	if d, err := New("x"); err == nil {
		t.Errorf("made %s through a link", d.Path)
	}
	os.Remove(root)
	if err := errors.Join(os.Mkdir(root, 0o700), os.Chmod(root, 0o777)); err != nil {
		t.Fatal(err)
	}
	if d, err := New("x"); err == nil && os.PathSeparator == '/' {
		t.Errorf("made %s where everybody can write", d.Path)
	}
}

// TestAtOnce: folders are made while others sweep.
func TestAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				d, err := New("x")
				if err != nil {
					t.Error(err)
					return
				}
				RemoveStale()
				if _, err := os.Stat(d.Path); err != nil {
					t.Error(err)
				}
				d.Remove()
			}
		})
	}
	all.Wait()
}
