package test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/release"
	"github.com/socrates-cli/socrates/packaging/npm"
)

// registry is npm's, of one name, on this machine.
type registry struct {
	*httptest.Server
	versions map[string]any
	tarballs map[string][]byte
	latest   string
}

func newRegistry(t *testing.T) *registry {
	r := &registry{versions: map[string]any{}, tarballs: map[string][]byte{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if file, ok := r.tarballs[strings.TrimPrefix(q.URL.Path, "/-/")]; ok {
		w.Write(file)
		return
	}
	if strings.Trim(q.URL.Path, "/") != release.Package {
		http.NotFound(w, q)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"name": release.Package, "dist-tags": map[string]string{"latest": r.latest}, "versions": r.versions})
}

// publish takes the packages of a version of a program, and has its plain version be the latest.
func (r *registry) publish(t *testing.T, version, program string) {
	t.Helper()
	dist, out := t.TempDir(), t.TempDir()
	p := &published{files: map[string][]byte{}}
	p.add(t, version, program)
	for name, text := range p.files {
		if err := os.WriteFile(filepath.Join(dist, filepath.Base(name)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := npm.Make(dist, out, version, "MIT", "# Socrates")
	if err != nil || len(files) != 2 {
		t.Fatalf("made %v (%v)", files, err)
	}
	r.put(t, out, version, files)
}

// put takes packages from a folder.
func (r *registry) put(t *testing.T, dir, version string, files []string) {
	t.Helper()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m := manifestOf(t, text)
		sum := sha512.Sum512(text)
		m["dist"] = map[string]string{"tarball": r.URL + "/-/" + name, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		r.versions[m["version"].(string)] = m
		r.tarballs[name] = text
	}
	r.latest = version
}

// manifestOf is the package.json in a package.
func manifestOf(t *testing.T, pack []byte) (m map[string]any) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/package.json" {
			text, _ := io.ReadAll(r)
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
}

// TestNPM installs, uses, upgrades and removes the packages with the real npm, in a folder of its own and from a registry on this machine.
// It takes seconds of node, so that only the release runs it: SOCRATES_TEST_PACKAGES=1.
func TestNPM(t *testing.T) {
	if os.Getenv("SOCRATES_TEST_PACKAGES") == "" || runtime.GOOS == "windows" {
		t.Skip("SOCRATES_TEST_PACKAGES=1 runs it, where programs can be shell scripts")
	}
	r, root := newRegistry(t), t.TempDir()
	says := func(version string) string {
		return "#!/bin/sh\nif [ \"$1\" = exit ]; then exit 7; fi\nif [ \"$1\" = cat ]; then exec cat; fi\n" +
			"if [ \"$1\" = wait ]; then echo ready; exec sleep 60; fi\necho \"" + version + " $*\"\n"
	}
	r.publish(t, "0.1.0", says("0.1.0"))
	r.publish(t, "0.2.0", says("0.2.0"))
	run := r.npm(t, root)
	program := filepath.Join(root, "global", "bin", "socrates")
	want := func(says string, args ...string) {
		t.Helper()
		if text, err := exec.Command(program, args...).CombinedOutput(); string(text) != says || err != nil {
			t.Errorf("socrates %v: %q (%v), not %q", args, text, err, says)
		}
	}
	native := func(is bool) {
		t.Helper()
		text, err := os.ReadFile(program)
		if err != nil || strings.HasPrefix(string(text), "#!/bin/sh") != is {
			t.Errorf("the native program is in place: %v (%v)", !is, err)
		}
	}
	run("install", "-g", release.Package+"@0.1.0")
	native(true)
	want("0.1.0 a b\n", "a", "b")
	run("install", "-g", release.Package+"@latest")
	native(true)
	want("0.2.0 a\n", "a")
	hubs := func() string { // beside the program that the link leads to
		real, _ := filepath.EvalSymlinks(program)
		text, _ := exec.Command(filepath.Join(filepath.Dir(real), release.Hub), "a").CombinedOutput()
		return string(text)
	}
	if says := hubs(); says != "0.2.0 a\n" {
		t.Errorf("the second program says %q", says)
	}
	run("uninstall", "-g", release.Package)
	if left := filesIn(t, filepath.Join(root, "global")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}

	run("install", "-g", "--ignore-scripts", release.Package)
	native(false)
	want("0.2.0 a b\n", "a", "b")
	c := exec.Command(program, "cat")
	c.Stdin = strings.NewReader("typed")
	if text, err := c.Output(); string(text) != "typed" || err != nil {
		t.Errorf("stdin through the wrapper: %q (%v)", text, err)
	}
	c = exec.Command(program, "exit")
	if c.Run(); c.ProcessState.ExitCode() != 7 {
		t.Errorf("exit code through the wrapper: %d", c.ProcessState.ExitCode())
	}
	terminated(t, program)
}

// realNPM is the npm of this machine and the PATH it is found on, without the folder of stand-ins for scripts, which has one, too.
func realNPM(t *testing.T) (npm, path string) {
	t.Helper()
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "hear")); err == nil {
			continue
		}
		dirs = append(dirs, dir)
		if found, err := exec.LookPath(filepath.Join(dir, "npm")); err == nil && npm == "" {
			npm = found
		}
	}
	if npm == "" {
		t.Skip("there is no npm")
	}
	return npm, strings.Join(dirs, string(os.PathListSeparator))
}

// npm runs npm with this registry and everything else in a folder.
func (r *registry) npm(t *testing.T, root string) func(args ...string) {
	npm, path := realNPM(t)
	env := append(os.Environ(), "PATH="+path, "HOME="+root, "npm_config_registry="+r.URL, "npm_config_cache="+filepath.Join(root, "cache"),
		"npm_config_prefix="+filepath.Join(root, "global"), "npm_config_update_notifier=false", "npm_config_userconfig="+filepath.Join(root, "npmrc"))
	return func(args ...string) {
		t.Helper()
		c := exec.Command(npm, append(args, "--no-fund", "--no-audit")...)
		c.Env, c.Dir = env, root
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("npm %v: %v\n%s", args, err, text)
		}
	}
}

// TestDistNPM makes the packages of a finished release, and npm installs the real program of this platform alone.
func TestDistNPM(t *testing.T) {
	d := openDist(t)
	if runtime.GOOS == "windows" {
		t.Skip("its npm is another kind of file")
	}
	out, root, r := t.TempDir(), t.TempDir(), newRegistry(t)
	files, err := npm.Make(d.dir, out, d.version, "MIT", "# Socrates")
	if err != nil || len(files) != 8 {
		t.Fatalf("made %v (%v)", files, err)
	}
	r.put(t, out, d.version, files)
	r.npm(t, root)("install", "-g", release.Package)
	home := []string{"HOME=" + root}
	program := filepath.Join(root, "global", "bin", "socrates")
	if says := run(t, root, home, program, "version"); !strings.HasPrefix(says, "socrates "+d.version+" (") {
		t.Errorf("it says %q", says)
	}
	c := exec.Command(program, "update")
	c.Env = home
	if says, err := c.CombinedOutput(); err == nil || !bytes.Contains(says, []byte("installed by npm")) {
		t.Errorf("update says %s (%v)", says, err)
	}
	real, _ := filepath.EvalSymlinks(program)
	for name, built := range d.here(t) {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(real), name)); err != nil || !bytes.Equal(text, built) {
			t.Errorf("%s in place has %d bytes (%v)", name, len(text), err)
		}
	}
	d.second(t, program, home)
	if two, _ := filepath.Glob(filepath.Join(root, "global/lib/node_modules/@socrates-cli/socrates/node_modules/@socrates-cli/*")); len(two) != 1 {
		t.Errorf("installed for platforms: %v", two)
	}
}

// filesIn are the files and links below a folder; npm leaves the folder of the scope.
func filesIn(t *testing.T, root string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, strings.TrimPrefix(path, root))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// terminated ends a program that waits, by a signal to the wrapper.
func terminated(t *testing.T, program string) {
	t.Helper()
	c := exec.Command(program, "wait")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Error(err)
	}
	c.Process.Signal(os.Interrupt)
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil { // the program has its end of the pipe until it is gone, too
		t.Errorf("after the signal: %q (%v)", rest, err)
	}
	if err := c.Wait(); err == nil {
		t.Error("ended by a signal, and that counts as success")
	}
}

// TestNPMPackages: the package people install, which is published last, leads to a version of the same name for each platform on npm.
func TestNPMPackages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the archives here are not those for Windows")
	}
	r := newRegistry(t)
	r.publish(t, "0.1.0", "#!/bin/sh\n")
	here, _ := release.Of(runtime.GOOS, runtime.GOARCH)
	platform := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[here.OS] + "-" +
		map[string]string{"amd64": "x64", "arm64": "arm64", "arm": "arm"}[here.Arch]
	main, native := r.versions["0.1.0"].(map[string]any), r.versions["0.1.0-"+platform]
	want := map[string]any{release.Package + "-" + platform: "npm:" + release.Package + "@0.1.0-" + platform}
	if native == nil || !reflect.DeepEqual(main["optionalDependencies"], want) || r.latest != "0.1.0" {
		t.Errorf("it leads to %v, and there is %v", main["optionalDependencies"], native)
	}
	script, _ := os.ReadFile("packaging/npm/install.js")
	start, _ := os.ReadFile("packaging/npm/start.js")
	for _, text := range [][]byte{script, start} {
		if !bytes.Contains(text, []byte("`"+release.Package+"-${process.platform}-${process.arch}/bin/")) {
			t.Errorf("it looks for another package:\n%s", text)
		}
	}
}
