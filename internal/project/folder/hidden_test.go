package folder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

func TestSecrets(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
	for _, name := range []string{".env", "main.go", "api/.env", "api/main.go", "api/deep/er/id_rsa", "node_modules/x/test.pem", "a/.aws/config", "a/.aws/sso/cache.json",
		"tests/key.pem", "tests/old.pem", "pkg/credentials/read.go", "pkg/credentials/mine.json", ".docker/x", "inner/.git/config"} {
		put(name, "text of "+name)
	}
	s := &folder.Secrets{Dir: dir}
	find := func(deep bool, want ...string) {
		t.Helper()
		var got []string
		s.Later()
		for _, path := range s.Find(t.Context(), deep) {
			name, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(name))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("deep %v: %q, want %q", deep, got, want)
		}
	}
	find(false, ".docker", ".env")
	find(true, ".docker", ".env", "a/.aws", "api/.env", "api/deep/er/id_rsa", "pkg/credentials/mine.json", "tests/key.pem", "tests/old.pem")

	// What git holds is shown, as long as it is just that.
	git("init", "-q")
	git("add", "-f", "tests", ".env", "a/.aws/config")
	find(true, ".docker", ".env", "a/.aws/sso/cache.json", "api/.env", "api/deep/er/id_rsa", "pkg/credentials/mine.json")
	put("tests/old.pem", "another key")
	find(true, ".docker", ".env", "a/.aws/sso/cache.json", "api/.env", "api/deep/er/id_rsa", "pkg/credentials/mine.json", "tests/old.pem")
	git("rm", "-q", "--cached", "a/.aws/config") // to name a file to git is not to give it its content
	git("update-index", "--add", "--cacheinfo", "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,api/.env")
	find(true, ".docker", ".env", "a/.aws/sso/cache.json", "api/.env", "api/deep/er/id_rsa", "pkg/credentials/mine.json", "tests/old.pem")

	// What comes, goes or moves is seen, also in a folder that was looked at long ago.
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"api", "api/deep", "tests"} {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	s.Later()
	s.Find(t.Context(), true)
	put("api/deep/new.key", "a new key")
	if err := os.Remove(filepath.Join(dir, "tests/old.pem")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	find(true, ".docker", ".env", "api/.env", "api/deep/er/id_rsa", "api/deep/new.key", "b/.aws/sso/cache.json", "pkg/credentials/mine.json")
}

func TestSecretsBehindLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "real")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a/.env": outside, "b/.env": "../main.go", "c/.env": "nowhere"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, file); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &folder.Secrets{Dir: dir}
	if got := s.Find(t.Context(), true); len(got) != 1 || !strings.HasSuffix(got[0], filepath.Join("a", ".env")) {
		t.Errorf("%q", got)
	}
}

// BenchmarkSecrets is what a program that is started costs in a project of 50,000 files.
func BenchmarkSecrets(b *testing.B) {
	dir := b.TempDir()
	for i := range 5000 {
		d := filepath.Join(dir, fmt.Sprint("d", i%70), fmt.Sprint("e", i/70))
		if err := os.MkdirAll(d, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 10 {
			if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("file_number_%d.go", j)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "d3", ".env"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error { return os.Chtimes(path, long, long) })
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			(&folder.Secrets{Dir: dir}).Find(b.Context(), true)
		}
	})
	s := &folder.Secrets{Dir: dir}
	s.Find(b.Context(), true)
	b.Run("soon", func(b *testing.B) {
		for b.Loop() {
			s.Find(b.Context(), true)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			s.Later()
			s.Find(b.Context(), true)
		}
	})
}
