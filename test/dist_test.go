package test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/release"
)

// dist is a folder that goreleaser has filled, which SOCRATES_TEST_DIST names. The release workflow runs these tests on it.
type dist struct{ dir, version string }

func openDist(t *testing.T) dist {
	t.Helper()
	d := dist{dir: os.Getenv("SOCRATES_TEST_DIST")}
	if d.dir == "" {
		t.Skip("SOCRATES_TEST_DIST names no folder that goreleaser filled")
	}
	text, err := os.ReadFile(filepath.Join(d.dir, "metadata.json"))
	var about struct{ Version string }
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.version = about.Version
	return d
}

func (d dist) read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Error(err)
	}
	return text
}

// TestDistFiles: for each target there is an archive with the listed sum and both programs in it, and a list of their modules.
func TestDistFiles(t *testing.T) {
	d := openDist(t)
	sums := string(d.read(t, release.Checksums))
	for _, at := range release.Targets {
		archive := d.read(t, at.Archive(d.version))
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), at.Archive(d.version)); !strings.Contains(sums, line) {
			t.Errorf("%s does not list %s", release.Checksums, line)
		}
		programs, err := at.Unpack(archive)
		if err != nil {
			t.Errorf("%s: %v", at.Name(), err)
		}
		for name, program := range programs {
			if len(program) < 10<<20 {
				t.Errorf("%s: %s has %d bytes", at.Name(), name, len(program))
			}
			name = strings.TrimSuffix(name, ".exe")
			var list struct{ Name string }
			if err := json.Unmarshal(d.read(t, at.SBOM(name, d.version)), &list); err != nil || list.Name != name+" "+d.version+" for "+at.OS+"/"+at.Arch {
				t.Errorf("the SBOM of %s for %s is that of %q (%v)", name, at.Name(), list.Name, err)
			}
		}
	}
	if !strings.Contains(sums, "  install.sh\n") {
		t.Error("install.sh has no sum")
	}
}

// here are the programs for this system, by name.
func (d dist) here(t *testing.T) map[string][]byte {
	t.Helper()
	at, ok := release.Of(runtime.GOOS, runtime.GOARCH)
	if !ok {
		t.Skip("there is no build for this system")
	}
	programs, err := at.Unpack(d.read(t, at.Archive(d.version)))
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

// second starts the other program through the installed one: it is found beside it, and is of the same version.
func (d dist) second(t *testing.T, program string, env []string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		t.Fatal(err)
	}
	if says := run(t, ".", env, filepath.Join(filepath.Dir(real), release.Hub), "version"); !strings.HasPrefix(says, "socrates "+d.version+" (") {
		t.Errorf("the second program says %q", says)
	}
	c := exec.Command(program, "worker", "--join", "no-token")
	c.Env = env
	if says, err := c.CombinedOutput(); err == nil || bytes.Contains(says, []byte("not installed")) || !bytes.Contains(says, []byte("token")) {
		t.Errorf("worker says %s (%v)", says, err)
	}
}

// TestDistSame builds the programs again, in another folder, and gets the same bytes.
func TestDistSame(t *testing.T) {
	d := openDist(t)
	programs := d.here(t)
	commit := run(t, ".", nil, "git", "rev-parse", "HEAD")
	date := run(t, ".", []string{"TZ=UTC"}, "git", "log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd")
	other := t.TempDir()
	run(t, ".", nil, "git", "clone", "--quiet", "--no-hardlinks", ".", other)
	at := release.Module + "/internal/build."
	for name, from := range map[string]string{"socrates": ".", release.Hub: "./" + release.Hub} {
		run(t, other, []string{"CGO_ENABLED=0", "GOFLAGS="}, "go", "build", "-trimpath", "-buildvcs=false", "-o", "again", "-ldflags",
			"-s -w -X "+at+"version="+d.version+" -X "+at+"commit="+commit+" -X "+at+"date="+date, from)
		again, err := os.ReadFile(filepath.Join(other, "again"))
		if err != nil || !bytes.Equal(programs[name], again) {
			t.Errorf("built again %s is another: %d and %d bytes (%v)", name, len(programs[name]), len(again), err)
		}
	}
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SOCRATES_TEST_") }) // no settings
	c.Dir, c.Env = dir, append(own, env...)
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, text)
	}
	return strings.TrimSpace(string(text))
}

// TestDistScript installs the real archive with install.sh, starts it, and removes it.
func TestDistScript(t *testing.T) {
	d := openDist(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(d.dir, filepath.Base(r.URL.Path)))
	}))
	t.Cleanup(s.Close)
	i := newInstaller(t, s.URL, posix...)
	i.want(true, "Installed", ".socrates-installed socrates socrates-hub")
	program := filepath.Join(i.bin, "socrates")
	if says := run(t, i.home, i.env, program, "version"); !strings.HasPrefix(says, "socrates "+d.version+" (") {
		t.Errorf("it says %q", says)
	}
	if says := run(t, i.home, i.env, program, "update"); says != "socrates "+d.version+" is up to date" {
		t.Errorf("update says %q", says)
	}
	d.second(t, program, i.env)
	i.want(true, "Removed", "", "--uninstall")
}

// TestDistDeb installs the package for Debian in a root of its own, uses it, upgrades and removes it.
func TestDistDeb(t *testing.T) {
	d := openDist(t)
	if _, err := exec.LookPath("dpkg"); err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no dpkg")
	}
	arch := cmp.Or(map[string]string{"arm": "armhf"}[runtime.GOARCH], runtime.GOARCH)
	deb := filepath.Join(d.dir, "socrates_"+d.version+"_"+arch+".deb")
	root := t.TempDir()
	for _, name := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) {
		t.Helper()
		run(t, ".", nil, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--log=/dev/null"}, args...)...)
	}
	dpkg("--install", deb)
	usr := filesIn(t, filepath.Join(root, "usr"))
	for _, name := range []string{"/bin/socrates", "/bin/" + release.Hub, "/share/man/man1/socrates.1", "/share/bash-completion/completions/socrates",
		"/share/zsh/vendor-completions/_socrates", "/share/fish/vendor_completions.d/socrates.fish", "/share/doc/socrates/copyright", "/" + release.Channel} {
		if !slices.Contains(usr, name) {
			t.Errorf("installed are %v, without %s", usr, name)
		}
	}
	program := filepath.Join(root, "usr/bin/socrates")
	env := []string{"HOME=" + t.TempDir()}
	if says := run(t, ".", env, program, "version"); !strings.HasPrefix(says, "socrates "+d.version+" (") {
		t.Errorf("it says %q", says)
	}
	c := exec.Command(program, "update")
	c.Env = env
	if says, err := c.CombinedOutput(); err == nil || !bytes.Contains(says, []byte("installed by deb")) {
		t.Errorf("update says %s (%v)", says, err)
	}
	d.second(t, program, env)
	newer := t.TempDir() // the same package, as a later version
	run(t, ".", nil, "dpkg-deb", "--raw-extract", deb, newer+"/tree")
	control := filepath.Join(newer, "tree/DEBIAN/control")
	text, err := os.ReadFile(control)
	if err == nil {
		err = os.WriteFile(control, bytes.Replace(text, []byte("Version: "), []byte("Version: 9."), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	run(t, ".", nil, "dpkg-deb", "-Znone", "--root-owner-group", "--build", newer+"/tree", newer+"/newer.deb")
	dpkg("--install", newer+"/newer.deb")
	if is := run(t, ".", nil, "dpkg-query", "--admindir="+root+"/var/lib/dpkg", "-W", "-f", "${Version} ${Status}", "socrates"); is != "9."+d.version+" install ok installed" {
		t.Errorf("after the upgrade: %s", is)
	}
	dpkg("--purge", "socrates")
	if left, err := os.Stat(filepath.Join(root, "usr")); err == nil {
		t.Errorf("left over: %s", left.Name())
	}
}
