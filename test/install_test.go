package test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/release"
)

// published serves releases on this machine, each with an archive for this system that holds a small program. The last one is the
// newest. Broken says which file is cut off while it is sent.
type published struct {
	URL    string
	files  map[string][]byte // by path
	Broken string
	Hub    string // the second program, where it is not as the first
}

func publish(t *testing.T, versions ...string) *published {
	t.Helper()
	p := &published{files: map[string][]byte{}}
	for _, v := range versions {
		p.add(t, v, "#!/bin/sh\necho '{\"version\":\""+v+"\"}'\n")
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// add publishes a version of a program as the newest.
func (p *published) add(t *testing.T, version, program string) {
	t.Helper()
	at, ok := release.Of(runtime.GOOS, runtime.GOARCH)
	if !ok {
		t.Skip("there is no build for this system")
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{"LICENSE": "MIT", "socrates": program, release.Hub: cmp.Or(p.Hub, program)} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	w.Close()
	z.Close()
	sum := sha256.Sum256(b.Bytes())
	list := []byte(strings.Repeat("0", 64) + "  socrates_" + version + "_plan9_amd64.tar.gz\n" +
		hex.EncodeToString(sum[:]) + "  " + at.Archive(version) + "\n" + strings.Repeat("1", 64) + "  install.sh\n")
	p.files[release.File("", version, at.Archive(version))] = b.Bytes()
	p.files[release.File("", version, release.Checksums)] = list
	p.files[release.File("", "", release.Checksums)] = list
}

// ServeHTTP gives a file as it is. Of a broken one, half comes and then the connection ends.
func (p *published) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if p.Broken != "" && strings.HasSuffix(r.URL.Path, p.Broken) {
		w.Header().Set("Content-Length", "1000000")
		w.Write(file[:len(file)/2])
		panic(http.ErrAbortHandler)
	}
	w.Write(file)
}

// installer runs install.sh with nothing on PATH but some tools, and an empty home.
type installer struct {
	t         *testing.T
	home, bin string
	env       []string
}

func newInstaller(t *testing.T, url string, tools ...string) *installer {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for systems with a POSIX shell")
	}
	i := &installer{t: t, home: t.TempDir()}
	i.bin = filepath.Join(i.home, ".local", "bin")
	path := t.TempDir()
	for _, tool := range append(tools, "sh", "uname", "cut", "grep", "mkdir", "mktemp", "chmod", "ln", "cp", "mv", "rm", "sysctl") {
		if at, err := exec.LookPath(tool); err == nil {
			os.Symlink(at, filepath.Join(path, tool))
		}
	}
	i.env = []string{"PATH=" + path, "HOME=" + i.home, "SOCRATES_UPDATE_URL=" + url}
	return i
}

func (i *installer) run(args ...string) (said string, ok bool) {
	i.t.Helper()
	c := exec.Command("sh", append([]string{"packaging/install.sh"}, args...)...)
	c.Env = i.env
	text, err := c.CombinedOutput()
	return string(text), err == nil
}

// want checks how a run ended, what it said, and what is in the folder then.
func (i *installer) want(ok bool, says string, files string, args ...string) {
	i.t.Helper()
	said, did := i.run(args...)
	if did != ok || !strings.Contains(said, says) {
		i.t.Errorf("install.sh %v: %v, %q; %q was expected", args, did, said, says)
	}
	var names []string
	found, _ := os.ReadDir(i.bin)
	for _, f := range found {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); got != files {
		i.t.Errorf("install.sh %v left %q, not %q", args, got, files)
	}
}

var posix = []string{"tar", "gzip", "sha256sum", "shasum", "curl"}

func TestInstallScript(t *testing.T) {
	p := publish(t, "0.1.0", "0.2.0-rc.1", "0.2.0")
	i := newInstaller(t, p.URL, posix...)
	i.want(true, "export PATH=\""+i.bin+":$PATH\"", ".socrates-installed socrates socrates-hub", "0.1.0")
	i.env[0] += ":" + i.bin
	i.want(true, "Installed "+i.bin+"/socrates\nStart:", ".socrates-installed .socrates-previous .socrates-previous-hub socrates socrates-hub")
	if text, err := exec.Command(filepath.Join(i.bin, "socrates")).Output(); err != nil || !strings.Contains(string(text), `"0.2.0"`) {
		t.Errorf("installed was %s (%v)", text, err)
	}
	if text, err := exec.Command(filepath.Join(i.bin, release.Hub)).Output(); err != nil || !strings.Contains(string(text), `"0.2.0"`) {
		t.Errorf("the second program is %s (%v)", text, err)
	}
	if text, _ := os.ReadFile(filepath.Join(i.bin, release.Marker)); string(text) != "script\n" {
		t.Errorf("the marker says %q", text)
	}
	i.want(true, "Downloading socrates 0.2.0-rc.1", ".socrates-installed .socrates-previous .socrates-previous-hub socrates socrates-hub", "v0.2.0-rc.1")
	i.want(true, "Removed", "", "--uninstall")
	i.want(false, "did not install", "", "--uninstall")

	os.WriteFile(filepath.Join(i.bin, "socrates"), []byte("mine"), 0o755)
	i.want(false, "/socrates was not installed by this script", "socrates")
	os.Rename(filepath.Join(i.bin, "socrates"), filepath.Join(i.bin, release.Hub))
	i.want(false, "/socrates-hub was not installed by this script", "socrates-hub")
}

// Nothing is installed of a release that is cut off, changed, or not there.
func TestInstallScriptRefuses(t *testing.T) {
	p := publish(t, "0.1.0")
	at, _ := release.Of(runtime.GOOS, runtime.GOARCH)
	archive, list := "/download/v0.1.0/"+at.Archive("0.1.0"), "/latest/download/"+release.Checksums
	good, lists := p.files[archive], p.files[list]
	i := newInstaller(t, p.URL, posix...)
	var args []string
	for _, c := range []struct {
		what, says string
		hurt       func()
	}{
		{"cut off", "broke off", func() { p.Broken = at.Archive("0.1.0") }},
		{"cut off, and sent as whole", "is not the file that was released", func() { p.files[archive] = good[:len(good)/2] }},
		{"changed", "is not the file that was released", func() { p.files[archive] = append([]byte("x"), good...) }},
		{"list cut off", "cannot download", func() { p.Broken = release.Checksums }},
		{"list cut off, and sent as whole", "has no build", func() { p.files[list] = lists[:110] }},
		{"a name that leaves the folder", "invalid name", func() {
			p.files[list] = bytes.ReplaceAll(lists, []byte("socrates_0.1.0_"+at.OS), []byte("socrates_../../x_"+at.OS))
		}},
		{"another version than was asked for", "lists version 0.0.9", func() {
			p.add(t, "0.0.9", "#!/bin/sh\n")
			p.files[release.File("", "0.1.0", release.Checksums)] = p.files[list]
			args = []string{"0.1.0"}
		}},
		{"does not start", "socrates 0.1.0 does not start", func() { p.add(t, "0.1.0", "#!/bin/sh\nexit 1\n") }},
		{"the second does not start", "socrates-hub 0.1.0 does not start", func() {
			p.Hub = "#!/bin/sh\nexit 1\n"
			p.add(t, "0.1.0", "#!/bin/sh\n")
		}},
		{"no such version", "cannot download", func() { delete(p.files, list) }},
	} {
		p.files[archive], p.files[list], p.Broken, args = good, lists, "", nil
		c.hurt()
		t.Log(c.what)
		i.want(false, c.says, "", args...)
	}
	i.env[2] = "SOCRATES_UPDATE_URL=http://releases.example"
	i.want(false, "downloads need https", "")
}

// Releases redirect to other machines. Neither curl nor wget follows one to plain http.
func TestInstallScriptRedirects(t *testing.T) {
	p := publish(t, "0.1.0")
	to := ""
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, ok := strings.CutPrefix(r.URL.Path, "/at"); ok {
			http.Redirect(w, r, to+path, http.StatusFound)
			return
		}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	known := filepath.Join(t.TempDir(), "known.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := errors.Join(os.WriteFile(known, block, 0o600), os.WriteFile(known+".rc", []byte("ca_certificate="+known), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"curl", "wget"} {
		if _, err := exec.LookPath(tool); err != nil {
			continue
		}
		i := newInstaller(t, s.URL+"/at", "tar", "gzip", "sha256sum", "shasum", tool)
		i.env = append(i.env, "CURL_CA_BUNDLE="+known, "WGETRC="+known+".rc")
		to = p.URL
		i.want(false, "cannot download", "")
		to = s.URL
		i.want(true, "Installed", ".socrates-installed socrates socrates-hub")
	}
}

// Each tool has another that does, or is named.
func TestInstallScriptTools(t *testing.T) {
	p := publish(t, "0.1.0")
	for says, tools := range map[string][]string{
		"curl or wget is needed":        {"tar", "gzip", "sha256sum"},
		"sha256sum or shasum is needed": {"tar", "gzip", "curl"},
		"tar is needed":                 {"gzip", "sha256sum", "curl"},
		"gzip is needed":                {"tar", "sha256sum", "curl"},
	} {
		newInstaller(t, p.URL, tools...).want(false, says, "", "0.1.0")
	}
	for _, tools := range [][]string{{"tar", "gzip", "sha256sum", "wget"}, {"tar", "gzip", "shasum", "curl"}} {
		if _, err := exec.LookPath(tools[3]); err != nil {
			continue
		}
		if _, err := exec.LookPath(tools[2]); err == nil {
			newInstaller(t, p.URL, tools...).want(true, "Installed", ".socrates-installed socrates socrates-hub")
		}
	}
}
