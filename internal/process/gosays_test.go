package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoSays: a setting of go is looked for where go looks: the environment, the person's file, the one that came with go.
func TestGoSays(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"GOROOT=" + root}
	says := func(more ...string) string {
		env := append(more, env...)
		return GoSays(func(name string) string {
			for _, v := range env {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}, home, "GOPROXY")
	}
	if got := says(); got != "" {
		t.Errorf("nothing says %q", got)
	}
	write(filepath.Join(root, "go.env"), "# defaults\nGOPROXY=https://mirror.example,direct\n")
	if got := says(); got != "https://mirror.example,direct" {
		t.Errorf("go's own file says %q", got)
	}
	write(filepath.Join(home, ".config", "go", "env"), "GOFLAGS=-x\nGOPROXY=https://own.example\n")
	if got := says(); got != "https://own.example" {
		t.Errorf("the person's file says %q", got)
	}
	if got := says("GOENV=off"); got != "https://mirror.example,direct" {
		t.Errorf("without the person's file: %q", got)
	}
	if got := says("GOPROXY=off"); got != "off" {
		t.Errorf("the environment says %q", got)
	}
}
