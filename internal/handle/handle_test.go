package handle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/web"
)

func source(t *testing.T) handle.Source {
	dir := t.TempDir()
	for name, body := range map[string]string{"a.txt": "one\ntwo\nthree\n", ".env": "TOKEN=1", "sharp#2-3": "odd\n", "long": strings.Repeat("0123456789\n", 1000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return handle.Source{Dir: dir, Output: func(_ context.Context, node, call string) (string, error) {
		if node != "abcd" {
			return "", errors.New("there is no such node")
		}
		return "output of " + call, nil
	}, Web: web.Client{Inner: func(string, netip.Addr) bool { return true }, May: func(_ context.Context, u *url.URL) error {
		if u.Path == "/closed" {
			return errors.New("no")
		}
		return nil
	}}}
}

func TestLook(t *testing.T) {
	s := source(t)
	body := "<p>hello</p>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	for uri, want := range map[string]string{
		"file:a.txt": "one\ntwo\nthree\n", "file:a.txt#2-": "two\nthree\n", "file:a.txt#2": "two\n", "file:a.txt:1-2": "one\ntwo\n", "file:a.txt#2-9": "two\nthree\n", "file:sharp#2-3#1": "odd\n",
		"bash:abcd/7": "output of 7", server.URL: "hello\n",
	} {
		f, err := s.Look(t.Context(), uri)
		if err != nil || strings.TrimSpace(f.Text) != strings.TrimSpace(want) || len(f.SHA256) != 64 || f.Bytes == 0 {
			t.Errorf("%s: %+v %v", uri, f, err)
		}
	}
	for uri, want := range map[string]string{
		"file:.env": "secrets", "file:../x": "outside", "file:gone": "no such file", "file:a.txt#9": "only 3 lines", "file:a.txt#3-1": "not a range of lines",
		"bash:none/1": "no such node", server.URL + "/closed": "no", "ftp://x": "not a handle", "hello": "not a handle", "": "not a handle",
	} {
		if f, err := s.Look(t.Context(), uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v %v", uri, f, err)
		}
	}
	was, _ := s.Look(t.Context(), server.URL)
	body = "<p>hello </p>"
	if is, err := s.Look(t.Context(), server.URL); err != nil || is.SHA256 == was.SHA256 {
		t.Errorf("a page that changed has the hash it had: %v", err)
	}
}

func TestFace(t *testing.T) {
	s := source(t)
	f, err := s.Look(t.Context(), "file:long")
	if err != nil {
		t.Fatal(err)
	}
	face := handle.Face(f.Text)
	if len(face) > 5<<10 || !strings.Contains(face, "\n[") || !strings.HasSuffix(face, "0123456789\n") {
		t.Errorf("%d bytes: …%s", len(face), face[max(0, len(face)-100):])
	}
	if handle.Face("short") != "short" {
		t.Error("a short text is its own face")
	}
}
