package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
)

func TestGrantsAreKept(t *testing.T) {
	s := kept.File{File: filepath.Join(t.TempDir(), "new", "grants.json")}
	here, there := t.TempDir(), t.TempDir()
	grant := permission.Grant{Tool: "bash", Argv: []string{"make"}, Dir: here, Text: "make", Scope: "project", Given: time.Now()}
	for range 2 {
		if err := s.Add(here, grant); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(there, grant); err != nil {
		t.Fatal(err)
	}
	expired := grant
	expired.Expires = time.Now().Add(-time.Second)
	if err := s.Add(here, expired); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load(here); err != nil || len(got) != 1 || got[0].Argv[0] != "make" {
		t.Errorf("%v %v", got, err)
	}
	if info, err := os.Stat(s.File); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for _, scope := range []string{"once", "session"} {
		short := grant
		short.Scope = scope
		if s.Add(here, short) == nil {
			t.Errorf("a grant for %s is on disk", scope)
		}
	}
	if err := s.Revoke(7); !errors.Is(err, kept.ErrNone) {
		t.Errorf("%v", err)
	}
	if err := s.Revoke(1); err != nil {
		t.Error(err)
	}
	if got, err := s.All(); err != nil || len(got) != 1 || got[0].Project != there || got[0].ID != 2 {
		t.Errorf("%v %v", got, err)
	}
	if err := s.Revoke(); err != nil {
		t.Error(err)
	}
	if got, err := s.All(); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	os.WriteFile(s.File, []byte(`{"grants": [{"tool"`), 0o600)
	if got, err := s.Load(here); err == nil || len(got) != 0 {
		t.Errorf("a broken file grants %v (%v)", got, err)
	}
}

func TestGrantsOfManyProcesses(t *testing.T) {
	s := kept.File{File: filepath.Join(t.TempDir(), "grants.json")}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 5 {
				if err := s.Add(dir, permission.Grant{Tool: "edit", Path: filepath.Join(dir, string(rune('a'+i)), string(rune('a'+j))), Scope: "project"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got, err := s.Load(dir); err != nil || len(got) != 40 {
		t.Errorf("%d grants, %v", len(got), err)
	}
}

// Nothing fetched makes no file.
func TestNothingFetched(t *testing.T) {
	s := kept.File{File: filepath.Join(t.TempDir(), "grants.json")}
	if err := s.Fetch(t.TempDir(), nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(s.File); err == nil {
		t.Error("a file was made")
	}
}
