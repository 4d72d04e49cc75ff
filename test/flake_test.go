package test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// TestFlakeHash: nix builds from vendored modules, whose hash flake.nix holds. It is that of the archive nix makes of the folder.
func TestFlakeHash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no bit that says they are programs")
	}
	dir := filepath.Join(t.TempDir(), "vendor")
	c := exec.Command("go", "mod", "vendor", "-o", dir)
	c.Env = append(os.Environ(), "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		t.Skipf("the modules are not here: %v\n%s", err, text)
	}
	sum := sha256.New()
	words(sum, "nix-archive-1")
	if err := archived(sum, dir); err != nil {
		t.Fatal(err)
	}
	want := "sha256-" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
	text, err := os.ReadFile("flake.nix")
	if got := regexp.MustCompile(`vendorHash = "(.*)"`).FindSubmatch(text); got == nil || string(got[1]) != want {
		t.Errorf("after a change of go.mod flake.nix needs: vendorHash = %q (%v)", want, err)
	}
}

// words writes each text as nix does: its length, and filled up to eight bytes.
func words(w io.Writer, list ...string) {
	for _, s := range list {
		binary.Write(w, binary.LittleEndian, uint64(len(s)))
		io.WriteString(w, s)
		w.Write(make([]byte, (8-len(s)%8)%8))
	}
}

// archived writes a file or a folder as nix archives it. Modules have no links.
func archived(w io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	words(w, "(", "type")
	defer words(w, ")")
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		words(w, "regular")
		if info.Mode()&0o100 != 0 {
			words(w, "executable", "")
		}
		words(w, "contents", string(text))
		return err
	}
	words(w, "directory")
	list, err := os.ReadDir(path)
	for _, f := range list { // by name, byte for byte
		words(w, "entry", "(", "name", f.Name(), "node")
		if err := archived(w, filepath.Join(path, f.Name())); err != nil {
			return err
		}
		words(w, ")")
	}
	return err
}
