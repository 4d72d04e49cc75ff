package permission

import (
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
