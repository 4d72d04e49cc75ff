package permission

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHere: a command that names this machine may mean a server of its conversation, at that port.
func TestHere(t *testing.T) {
	p, err := NewPolicy(Yolo, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Need{
		"curl -s http://localhost:8000/x?y=1": {Network: true, Here: true, Port: 8000}, "curl 127.0.0.1": {Network: true, Here: true},
		"curl http://[::1]:80": {Network: true, Here: true, Port: 80}, "curl http://localhost.evil.com:80/": {Network: true},
		"curl http://evil.com/localhost:80": {Network: true}, "curl http://127.0.0.1.evil.com": {Network: true}, "echo localhost:80": {},
	} {
		got := p.Needs(strings.Fields(command), p.Workspace[0])
		if got.Network != want.Network || got.Here != want.Here || got.Port != want.Port {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
}

// The sandbox is opened for a file outside the project, or the nearest folder above it that is there, and for nothing where a link has
// taken its place since it was decided about.
func TestWriteOutside(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"project", "other/sub"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(os.WriteFile(at("other/file"), nil, 0o600), os.Symlink("sub", at("other/link")),
		os.Symlink("file", at("other/linked")))
	if err != nil {
		t.Skip(err)
	}
	for name, want := range map[string][]string{"other/file": {at("other/file")}, "other/sub/new": {at("other/sub")}, "other/sub/a/b": {at("other/sub")},
		"other/link/new": nil, "other/linked": nil} {
		if got := existing(at(name)); !slices.Equal(got, want) {
			t.Errorf("%s opens %q, not %q", name, got, want)
		}
	}
}
