package update_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/release"
	"github.com/socrates-cli/socrates/internal/update"
)

func TestHow(t *testing.T) {
	root := t.TempDir()
	file := func(path, text string) string {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("home/bin/"+release.Marker, "script\n")
	file("usr/"+release.Channel, "deb\n")
	file("alien/"+release.Channel, "snap\n")
	for path, want := range map[string]string{
		"home/bin/socrates": "script", "usr/bin/socrates": "deb", "alien/bin/socrates": "", "opt/bin/socrates": "",
		"lib/node_modules/@socrates-cli/socrates/bin/socrates":                    "npm",
		"opt/homebrew/Caskroom/socrates/0.1.0/socrates":                           "brew",
		"scoop/apps/socrates/current/socrates.exe":                                "scoop",
		"AppData/Local/Microsoft/WinGet/Packages/SocratesCLI.Socrates_x/socrates": "winget",
		"nix/store/abc-socrates-0.1.0/bin/socrates":                               "nix",
	} {
		way := update.How(filepath.Join(root, filepath.FromSlash(path)), false)
		if way.Name != want || (way.Command == "") != (want == "" || want == "script") {
			t.Errorf("%s was installed by %+v, not %q", path, way, want)
		}
	}
	if way := update.How(filepath.Join(root, "go", "bin", "socrates"), true); way.Name != "go" {
		t.Errorf("go install: %+v", way)
	}
}

func TestNewer(t *testing.T) {
	rising := []string{"devel", "0.1.0-alpha", "0.1.0-alpha.2", "0.1.0-alpha.10", "0.1.0-rc.1", "0.1.0", "0.1.1", "0.2.0", "0.10.0", "1.0.0"}
	for i, a := range rising {
		for j, b := range rising {
			if got := update.Newer(a, b); got != (i > j) {
				t.Errorf("%s newer than %s: %v", a, b, got)
			}
		}
	}
	for _, odd := range []string{"", "1", "1.2", "01.0.0", "1.0.0-", "1.0.-1", "../../x", "1.0.0-a/b"} {
		if update.Newer(odd, "0.0.1") {
			t.Errorf("%q counts as a version", odd)
		}
	}
}

// shop serves one release, of a program that says a version.
type shop struct {
	*httptest.Server
	target release.Target
	files  map[string][]byte
}

func open(t *testing.T, target release.Target, version, says string) *shop {
	t.Helper()
	s := &shop{target: target, files: map[string][]byte{}}
	program := []byte("#!/bin/sh\necho '{\"version\": \"" + says + "\"}'\n")
	archive := pack(t, target, program)
	name := target.Archive(version)
	s.files[release.File("", version, name)] = archive
	list := fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive), name)
	s.files[release.File("", version, release.Checksums)] = list
	s.files[release.File("", "", release.Checksums)] = list
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, ok := s.files[r.URL.Path]; ok {
			w.Write(file)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func pack(t *testing.T, target release.Target, program []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if target.OS == "windows" {
		z := zip.NewWriter(&b)
		w, err := z.Create(target.Program())
		if err == nil {
			_, err = w.Write(program)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: target.Program(), Mode: 0o755, Size: int64(len(program))})
	if err == nil {
		_, err = w.Write(program)
	}
	if err = errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *shop) source() update.Source { return update.Source{Address: s.URL, Target: s.target} }

// installed is a program of version 0.1.0 in a folder of its own.
func installed(t *testing.T) update.Program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its programs here are shell scripts")
	}
	p := update.Program{Path: filepath.Join(t.TempDir(), "socrates")}
	if err := os.WriteFile(p.Path, []byte("#!/bin/sh\necho '{\"version\": \"0.1.0\"}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// folder is what is in a program's folder, with what each program says.
func folder(t *testing.T, p update.Program) string {
	t.Helper()
	var out []string
	files, err := os.ReadDir(filepath.Dir(p.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(p.Path), f.Name()))
		_, says, _ := strings.Cut(string(text), `: "`)
		says, _, _ = strings.Cut(says, `"`)
		out = append(out, f.Name()+"="+says)
	}
	return strings.Join(out, " ")
}

var linux = release.Target{OS: "linux", Arch: "amd64"}

func TestUpdateAndBack(t *testing.T) {
	p := installed(t)
	if _, err := p.Rollback(t.Context()); !errors.Is(err, update.ErrNoPrevious) {
		t.Errorf("rolled back to nothing: %v", err)
	}
	for _, target := range []release.Target{linux, {OS: "windows", Arch: "amd64"}} {
		s := open(t, target, "0.2.0", "0.2.0").source()
		f, err := s.Find(t.Context(), "")
		if err != nil || f.Version != "0.2.0" || f.Archive != target.Archive("0.2.0") {
			t.Fatalf("found %+v (%v)", f, err)
		}
		if err := p.Update(t.Context(), s, f); err != nil {
			t.Fatal(err)
		}
		if got := folder(t, p); got != ".socrates-previous=0.1.0 socrates=0.2.0" {
			t.Errorf("after the update: %s", got)
		}
		if version, err := p.Rollback(t.Context()); err != nil || version != "0.1.0" {
			t.Errorf("rolled back to %s (%v)", version, err)
		}
		if got := folder(t, p); got != ".socrates-previous=0.2.0 socrates=0.1.0" {
			t.Errorf("after the rollback: %s", got)
		}
	}
}

// Whatever is wrong with a release, the program stays as it was.
func TestUpdateRefuses(t *testing.T) {
	for what, hurt := range map[string]func(s *shop) string{
		"cut off": func(s *shop) string {
			s.cut("/download/v0.2.0/" + linux.Archive("0.2.0"))
			return "is not the file that was released"
		},
		"list cut off": func(s *shop) string { s.cut("/latest/download/checksums.txt"); return "has no build for linux_amd64" },
		"no list":      func(s *shop) string { delete(s.files, "/latest/download/checksums.txt"); return "404" },
		"no archive":   func(s *shop) string { delete(s.files, "/download/v0.2.0/"+linux.Archive("0.2.0")); return "404" },
		"redirected to other": func(s *shop) string {
			s.Config.Handler = http.RedirectHandler("http://releases.example/", http.StatusFound)
			return "redirects to"
		},
	} {
		p, s := installed(t), open(t, linux, "0.2.0", "0.2.0")
		refused(t, what, p, s, hurt(s))
	}
	refused(t, "another version", installed(t), open(t, linux, "0.2.0", "0.1.9"), "reports version 0.1.9")
	refused(t, "strange name", installed(t), open(t, linux, "../0.2.0", "0.2.0"), "invalid name")
	if _, err := (update.Source{Address: "http://releases.example", Target: linux}).Find(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("asked over http: %v", err)
	}
	p := installed(t)
	s := open(t, linux, "0.2.0", "0.2.0")
	broken := pack(t, linux, []byte("#!/bin/sh\nexit 1\n"))
	s.files["/download/v0.2.0/"+linux.Archive("0.2.0")] = broken
	s.files["/latest/download/checksums.txt"] = fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(broken), linux.Archive("0.2.0"))
	refused(t, "does not start", p, s, "does not start")
}

func refused(t *testing.T, what string, p update.Program, s *shop, says string) {
	t.Helper()
	f, err := s.source().Find(t.Context(), "")
	if err == nil {
		err = p.Update(t.Context(), s.source(), f)
	}
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, and not %q", what, err, says)
	}
	if got := folder(t, p); got != "socrates=0.1.0" {
		t.Errorf("%s: there is %s", what, got)
	}
}

// cut leaves half of a file.
func (s *shop) cut(path string) { s.files[path] = s.files[path][:len(s.files[path])/2] }
