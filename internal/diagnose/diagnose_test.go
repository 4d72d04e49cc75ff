package diagnose_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/diagnose"
)

// TestMain lets this binary be a language server or a formatter, as its variable says.
func TestMain(m *testing.M) {
	switch os.Getenv("DIAGNOSE_AS") {
	case "server":
		serve(os.Stdin, os.Stdout)
	case "broken":
		fmt.Print("Content-Length: 4\r\n\r\nnull") // and ends
	case "formatter":
		fmt.Println("would change it")
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
}

// serve is a language server that finds the lines which begin with error or warning. Before it says so it asks for settings and
// insists on an answer, as real ones do, and tells of an older version.
func serve(in io.Reader, out io.Writer) {
	r := bufio.NewReader(in)
	say := func(m map[string]any) {
		raw, _ := json.Marshal(m)
		fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(raw), raw)
	}
	hear := func() (m struct {
		ID     any
		Method string
		Params struct {
			TextDocument struct {
				URI, Text string
				Version   int
			}
			ContentChanges []struct{ Text string }
		}
	}) {
		length := 0
		for {
			l, err := r.ReadString('\n')
			if err != nil {
				os.Exit(0)
			}
			if l == "\r\n" {
				break
			}
			fmt.Sscanf(l, "Content-Length: %d", &length)
		}
		raw := make([]byte, length)
		io.ReadFull(r, raw)
		json.Unmarshal(raw, &m)
		return m
	}
	for {
		m := hear()
		switch m.Method {
		case "initialize":
			say(map[string]any{"id": m.ID, "result": map[string]any{"capabilities": map[string]any{}}})
		case "textDocument/didOpen", "textDocument/didChange":
			doc, text := m.Params.TextDocument, m.Params.TextDocument.Text
			for _, c := range m.Params.ContentChanges {
				text = c.Text
			}
			say(map[string]any{"id": "c", "method": "workspace/configuration", "params": map[string]any{"items": []any{1, 2}}})
			for hear().ID != "c" {
			}
			found := []any{}
			for i, l := range strings.Split(text, "\n") {
				for severity, word := range []string{"", "error", "warning"} {
					if word != "" && strings.HasPrefix(l, word) {
						found = append(found, map[string]any{"severity": severity, "message": l,
							"range": map[string]any{"start": map[string]any{"line": i, "character": 0}}})
					}
				}
			}
			for v, f := range map[int]any{doc.Version - 1: []any{}, doc.Version: found} {
				say(map[string]any{"method": "textDocument/publishDiagnostics",
					"params": map[string]any{"uri": doc.URI, "version": v, "diagnostics": f}})
			}
		}
	}
}

// install puts this binary into the project as a program of its own.
func install(t *testing.T, dir string, names ...string) {
	self, _ := os.Executable()
	os.MkdirAll(filepath.Join(dir, "vendor", "bin"), 0o700)
	for _, name := range names {
		if err := os.Symlink(self, filepath.Join(dir, "vendor", "bin", name)); err != nil {
			t.Skip(err)
		}
	}
}

// as starts programs in the roles that their names have.
func as(roles map[string]string) diagnose.Start {
	return func(cmd *exec.Cmd) (func() error, error) {
		role := roles[filepath.Base(cmd.Path)]
		if role == "" {
			return nil, errors.New("refused")
		}
		cmd.Env = append(cmd.Env, "DIAGNOSE_AS="+role)
		return func() error { return nil }, nil
	}
}

func TestExamine(t *testing.T) {
	dir := t.TempDir()
	install(t, dir, "intelephense", "phpactor")
	d := &diagnose.Servers{}
	defer d.Close()
	start := as(map[string]string{"intelephense": "broken", "phpactor": "server"}) // the first is not there long, and the next takes its place
	change := func(text string) string {
		os.WriteFile(filepath.Join(dir, "a b.php"), []byte(text), 0o600)
		return d.Examine(t.Context(), dir, environ, []string{"a b.php"}, start)
	}
	for range 20 {
		if change("error: begin\n") != "" {
			break
		}
	}
	for _, c := range []struct{ text, want string }{
		{"fine\nerror: one\n", "[phpactor]\n  a b.php:2:1: error: one\n"},
		{"warning: two\nerror: one\n", "[phpactor]\n  a b.php:1:1: warning: warning: two\n  a b.php:2:1: error: one\n"},
		{"warning: two\n", ""},
		{strings.Repeat("error: many\n", 14), "[phpactor]\n  a b.php:1:1: error: many\n"},
		{"fine\n", ""},
	} {
		if got := change(c.text); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: it said %q, not %q", c.text, got, c.want)
		}
	}
	if got := change(strings.Repeat("error: many\n", 14)); !strings.HasSuffix(got, "… and 2 more\n") {
		t.Errorf("it said %q", got)
	}
}

func TestFormatters(t *testing.T) {
	dir := t.TempDir()
	install(t, dir, "prettier")
	os.WriteFile(filepath.Join(dir, "a.css"), nil, 0o600)
	d := &diagnose.Servers{}
	defer d.Close()
	say := func(role string) string {
		return d.Examine(t.Context(), dir, environ, []string{"a.css"}, as(map[string]string{"prettier": role}))
	}
	if got := say("formatter"); got != "" {
		t.Errorf("a formatter that the project did not choose said %q", got)
	}
	os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"prettier": {}}`), 0o600)
	if got := say("formatter"); got != "[prettier on a.css]\n  would change it\n" {
		t.Errorf("it said %q", got)
	}
	if got := say(""); got != "" {
		t.Errorf("one that was refused said %q", got)
	}
}
