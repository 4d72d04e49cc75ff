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
	"time"

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
	s.sell(version, pack(t, target, script(says), script(says)))
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

// pack makes an archive of the programs: the first, and the second if there is one.
func pack(t *testing.T, target release.Target, programs ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if target.OS == "windows" {
		z := zip.NewWriter(&b)
		for i, name := range target.Programs() {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(programs[i])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i, program := range programs {
		err := w.WriteHeader(&tar.Header{Name: target.Programs()[i], Mode: 0o755, Size: int64(len(program))})
		if err == nil {
			_, err = w.Write(program)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// script is a program that says a version.
func script(version string) []byte {
	return []byte("#!/bin/sh\necho '{\"version\": \"" + version + "\"}'\n")
}

// sell puts an archive of these programs into the release, in place of its own.
func (s *shop) sell(version string, archive []byte) {
	name := s.target.Archive(version)
	s.files[release.File("", version, name)] = archive
	list := fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive), name)
	s.files[release.File("", version, release.Checksums)] = list
	s.files[release.File("", "", release.Checksums)] = list
}

func (s *shop) source() update.Source { return update.Source{Address: s.URL, Target: s.target} }

// installed are the programs of version 0.1.0 in a folder of their own.
func installed(t *testing.T) update.Program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its programs here are shell scripts")
	}
	p := update.Program{Path: filepath.Join(t.TempDir(), "socrates")}
	for _, name := range linux.Programs() {
		if err := os.WriteFile(filepath.Join(filepath.Dir(p.Path), name), script("0.1.0"), 0o755); err != nil {
			t.Fatal(err)
		}
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
		if got := folder(t, p); got != ".socrates-previous=0.1.0 .socrates-previous-hub=0.1.0 socrates=0.2.0 socrates-hub=0.2.0" {
			t.Errorf("after the update: %s", got)
		}
		if version, err := p.Rollback(t.Context()); err != nil || version != "0.1.0" {
			t.Errorf("rolled back to %s (%v)", version, err)
		}
		if got := folder(t, p); got != ".socrates-previous=0.2.0 .socrates-previous-hub=0.2.0 socrates=0.1.0 socrates-hub=0.1.0" {
			t.Errorf("after the rollback: %s", got)
		}
	}
}

// A second program that was not there comes with the update, and goes with the rollback. The first may have another name.
func TestUpdateWithoutHub(t *testing.T) {
	p, s := installed(t), open(t, linux, "0.2.0", "0.2.0").source()
	dir := filepath.Dir(p.Path)
	if err := errors.Join(os.Remove(filepath.Join(dir, release.Hub)), os.Rename(p.Path, filepath.Join(dir, "soc"))); err != nil {
		t.Fatal(err)
	}
	p.Path = filepath.Join(dir, "soc")
	f, err := s.Find(t.Context(), "")
	if err == nil {
		err = p.Update(t.Context(), s, f)
	}
	if got := folder(t, p); err != nil || got != ".socrates-previous=0.1.0 soc=0.2.0 socrates-hub=0.2.0" {
		t.Errorf("after the update: %s (%v)", got, err)
	}
	for version, want := range map[string]string{"0.1.0": ".socrates-previous=0.2.0 .socrates-previous-hub=0.2.0 soc=0.1.0"} {
		if is, err := p.Rollback(t.Context()); err != nil || is != version || folder(t, p) != want {
			t.Errorf("rolled back to %s: %s (%v)", is, folder(t, p), err)
		}
	}
	if is, err := p.Rollback(t.Context()); err != nil || is != "0.2.0" || folder(t, p) != ".socrates-previous=0.1.0 soc=0.2.0 socrates-hub=0.2.0" {
		t.Errorf("and again, to %s: %s (%v)", is, folder(t, p), err)
	}
}

// Programs of two versions are never put in place, and one that cannot be replaced takes the other back with it.
func TestUpdateTogether(t *testing.T) {
	p, dir := installed(t), ""
	dir = filepath.Dir(p.Path)
	for name, version := range map[string]string{release.Previous: "0.0.8", release.PreviousHub: "0.0.9"} {
		if err := os.WriteFile(filepath.Join(dir, name), script(version), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := folder(t, p)
	if is, err := p.Rollback(t.Context()); err == nil || !strings.Contains(err.Error(), "versions 0.0.8 and 0.0.9") || folder(t, p) != before {
		t.Errorf("rolled back to %s: %s (%v)", is, folder(t, p), err)
	}
	s := open(t, linux, "0.2.0", "0.2.0").source()
	f, err := s.Find(t.Context(), "")
	if err = errors.Join(err, os.Remove(filepath.Join(dir, release.Previous)), os.MkdirAll(filepath.Join(dir, release.Previous, "x"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := p.Update(t.Context(), s, f); err == nil || !strings.HasSuffix(folder(t, p), "socrates=0.1.0 socrates-hub=0.1.0") {
		t.Errorf("after an update that failed half way: %s (%v)", folder(t, p), err)
	}
}

// A first program that cannot be replaced takes a second one away again that was not there before; and the second is tried first.
func TestUpdateHalfWay(t *testing.T) {
	stuck := func(p update.Program, name string) error { // what was kept before cannot be removed
		return os.MkdirAll(filepath.Join(filepath.Dir(p.Path), name, "x"), 0o755)
	}
	for name, want := range map[string]string{
		release.Previous:    ".socrates-previous= socrates=0.1.0",
		release.PreviousHub: ".socrates-previous-hub= socrates=0.1.0",
	} {
		p, s := installed(t), open(t, linux, "0.2.0", "0.2.0").source()
		f, err := s.Find(t.Context(), "")
		if err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(p.Path), release.Hub)), stuck(p, name)); err != nil {
			t.Fatal(err)
		}
		if err := p.Update(t.Context(), s, f); err == nil || folder(t, p) != want {
			t.Errorf("%s is in the way: %s (%v)", name, folder(t, p), err)
		}
	}
}

// What an update that was killed left behind is removed by the next, unless that may be at work now.
func TestUpdateLeftovers(t *testing.T) {
	p, s := installed(t), open(t, linux, "0.2.0", "0.2.0").source()
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "fresh": time.Minute} {
		dir := filepath.Join(filepath.Dir(p.Path), release.New+name)
		at := time.Now().Add(-age)
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Chtimes(dir, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.Find(t.Context(), "")
	if err == nil {
		err = p.Update(t.Context(), s, f)
	}
	if got := folder(t, p); err != nil || !strings.HasPrefix(got, ".socrates-new-fresh= .socrates-previous=0.1.0 ") {
		t.Errorf("after the update: %s (%v)", got, err)
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
		"redirected to another scheme": func(s *shop) string {
			s.Config.Handler = http.RedirectHandler("https://127.0.0.1:9/", http.StatusFound)
			return "redirects to"
		},
		"list without an end": func(s *shop) string {
			list := "/latest/download/checksums.txt"
			s.files[list] = append(s.files[list], bytes.Repeat([]byte("x\n"), 1<<19)...)
			return "larger than"
		},
	} {
		p, s := installed(t), open(t, linux, "0.2.0", "0.2.0")
		refused(t, what, p, s, hurt(s))
	}
	refused(t, "another version", installed(t), open(t, linux, "0.2.0", "0.1.9"), "reports version 0.1.9")
	refused(t, "strange name", installed(t), open(t, linux, "../0.2.0", "0.2.0"), "invalid name")
	for _, address := range []string{"http://releases.example", "http://192.0.2.1", "http://[2001:db8::1]"} {
		_, err := update.Source{Address: address, Target: linux}.Find(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), "is neither an https address") {
			t.Errorf("asked over http: %v", err)
		}
	}
	p := installed(t)
	s := open(t, linux, "0.2.0", "0.2.0")
	s.files["/download/v0.1.9/checksums.txt"] = s.files["/latest/download/checksums.txt"]
	if f, err := s.source().Find(t.Context(), "0.1.9"); err == nil || !strings.Contains(err.Error(), "invalid name") {
		t.Errorf("0.1.9 is said to be %+v (%v)", f, err)
	}
	broken := []byte("#!/bin/sh\nexit 1\n")
	for what, archive := range map[string][]byte{
		"socrates of version 0.2.0 does not start": pack(t, linux, broken, script("0.2.0")),
		"socrates-hub of version 0.2.0 does not":   pack(t, linux, script("0.2.0"), broken),
		"socrates-hub released as version 0.2.0":   pack(t, linux, script("0.2.0"), script("0.1.9")),
		"contains no socrates-hub":                 pack(t, linux, script("0.2.0")),
	} {
		s.sell("0.2.0", archive)
		refused(t, what, p, s, what)
	}
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
	if got := folder(t, p); got != "socrates=0.1.0 socrates-hub=0.1.0" {
		t.Errorf("%s: there is %s", what, got)
	}
}

// cut leaves half of a file.
func (s *shop) cut(path string) { s.files[path] = s.files[path][:len(s.files[path])/2] }
