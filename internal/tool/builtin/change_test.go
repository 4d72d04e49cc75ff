package builtin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	imagepng "image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// bench is a project folder with a session, and what the gate was asked.
type bench struct {
	t    testing.TB
	dir  string
	env  tool.Env
	acts []tool.Act
	deny error
	when func() // runs while the person thinks
}

func newBench(t testing.TB) *bench {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &bench{t: t, dir: dir}
	d.env = tool.Env{Dir: dir, Session: &tool.Session{}, Allow: func(_ context.Context, acts ...tool.Act) error {
		d.acts = append(d.acts, acts...)
		if d.when != nil {
			d.when()
		}
		return d.deny
	}}
	return d
}

// call runs a tool with args, pairs of name and value.
func (d *bench) call(name string, args ...any) (tool.Output, error) {
	d.t.Helper()
	object := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		object[args[i].(string)] = args[i+1]
	}
	raw, err := json.Marshal(object)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.raw(name, string(raw))
}

func (d *bench) raw(name, args string) (tool.Output, error) {
	d.t.Helper()
	for _, one := range builtin.All() {
		if one.Name == name {
			return one.Run(d.t.Context(), json.RawMessage(args), d.env)
		}
	}
	d.t.Fatalf("no tool %s", name)
	return tool.Output{}, nil
}

func (d *bench) must(name string, args ...any) tool.Output {
	d.t.Helper()
	out, err := d.call(name, args...)
	if err != nil {
		d.t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

// fails wants an error with all the words, and says so.
func (d *bench) fails(words []string, name string, args ...any) {
	d.t.Helper()
	_, err := d.call(name, args...)
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			d.t.Errorf("%s %.200q: %v, want %q in it", name, fmt.Sprintf("%q", args), err, w)
		}
	}
}

func (d *bench) has(name, want string) {
	d.t.Helper()
	body, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil || string(body) != want {
		d.t.Errorf("%s holds %.300q, %v; want %.300q", name, body, err, want)
	}
}

// clear wants no file that was laid beside another to be left.
func (d *bench) clear() {
	d.t.Helper()
	filepath.WalkDir(d.dir, func(path string, _ os.DirEntry, _ error) error {
		if strings.Contains(path, ".socrates-") {
			d.t.Errorf("%s is left", path)
		}
		return nil
	})
}

func TestAllIsSorted(t *testing.T) {
	var names []string
	for _, one := range builtin.All() {
		names = append(names, one.Name)
		if one.Effect == "" || one.Doc == "" || !json.Valid(one.Described().Schema) {
			t.Errorf("%s: effect %q, doc %q, schema %s", one.Name, one.Effect, one.Doc, one.Described().Schema)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) < 17 {
		t.Errorf("tools = %q", names)
	}
}

func TestWrite(t *testing.T) {
	d := newBench(t)
	out := d.must("write", "path", "a/b/new.txt", "content", "one\ntwo\n")
	d.has("a/b/new.txt", "one\ntwo\n")
	if want := "--- /dev/null\n+++ b/a/b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"; out.Diff != want || !slices.Equal(out.Wrote, []string{"a/b/new.txt"}) {
		t.Errorf("diff %q, wrote %q", out.Diff, out.Wrote)
	}
	if out.Show != "write a/b/new.txt +2 -0" || out.Text != "a/b/new.txt: made, 2 lines.\n" {
		t.Errorf("show %q, text %q", out.Show, out.Text)
	}
	want := tool.Act{Effect: tool.Writes, Path: filepath.Join(d.dir, "a", "b", "new.txt"), Text: out.Diff}
	if len(d.acts) != 1 || fmt.Sprint(d.acts[0]) != fmt.Sprint(want) {
		t.Errorf("acts %+v, want %+v", d.acts, want)
	}
	d.must("write", "path", "a/b/new.txt", "content", "three\n") // what it wrote it knows
	d.fails([]string{"already has exactly"}, "write", "path", "a/b/new.txt", "content", "three\n")

	write(t, d.dir, "old.txt", "\ufeffone\r\ntwo\r\n")
	d.fails([]string{"old.txt", "read the file before you write to it"}, "write", "path", "old.txt", "content", "x\n")
	d.must("read", "path", "old.txt")
	d.must("write", "path", "old.txt", "content", "x\ny\n")
	d.has("old.txt", "\ufeffx\r\ny\r\n")
	write(t, d.dir, "old.txt", "somebody else\n")
	d.fails([]string{"changed since you read it"}, "write", "path", "old.txt", "content", "z\n")
	d.has("old.txt", "somebody else\n")
	d.clear()
}

func TestWhatMayNotBeWritten(t *testing.T) {
	d := newBench(t)
	write(t, d.dir, "f", "text\n")
	write(t, d.dir, "bin", "a\x00b")
	write(t, d.dir, "sub/x", "")
	for path, why := range map[string]string{"../out": "outside", ".git/hooks/pre-commit": "never shown", ".env": "never shown", ".GIT/config": "never shown",
		".g\u200bit/config": "never shown", ".\u017fsh/config": "never shown", "sub": "it is a folder", ".": "it is a folder", "": "path is empty", "~/f": "~ is the home folder", "f/x": "f is a file, not a folder",
		"f/x/y": "f is a file, not a folder", "nul\x00": "NUL", "bin": "binary", filepath.Dir(d.dir) + "/else": "outside"} {
		d.fails([]string{why}, "write", "path", path, "content", "x")
	}
	d.fails([]string{"NUL"}, "write", "path", "new", "content", "a\x00")
	d.fails([]string{"larger than 16 MB"}, "write", "path", "new", "content", strings.Repeat("0123456789abcde\n", 1<<20+1))
	d.deny = errors.New("not today")
	d.fails([]string{"not today"}, "write", "path", "deep/er/new", "content", "x")
	if _, err := os.Stat(filepath.Join(d.dir, "deep")); err == nil {
		t.Error("a folder was made for what was refused")
	}
	d.env.Allow = nil
	d.fails([]string{"only read"}, "write", "path", "new", "content", "x")
	d.clear()
}

func TestLinksAreWrittenWhereTheyLead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights here")
	}
	d := newBench(t)
	write(t, d.dir, "real/f", "one\n")
	for name, target := range map[string]string{"link": "real/f", "folder": "real", "nowhere": "gone", "out": "../x", "tmp": os.TempDir(), "key": ".env", "g": ".git"} {
		if err := os.Symlink(target, filepath.Join(d.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, d.dir, ".env", "A=1\n")
	d.must("read", "path", "link")
	d.must("edit", "path", "link", "old", "one", "new", "two")
	d.must("write", "path", "folder/new", "content", "x\n")
	d.has("real/f", "two\n")
	d.has("real/new", "x\n")
	if info, err := os.Lstat(filepath.Join(d.dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	for i, want := range []string{"real/f", "real/new"} {
		if d.acts[i].Path != filepath.Join(d.dir, want) {
			t.Errorf("asked for %s, want %s", d.acts[i].Path, want)
		}
	}
	for path, why := range map[string]string{"nowhere": "broken link", "out": "", "tmp/x": "outside", "key": "never shown", "g/config": "broken link"} {
		d.fails([]string{why}, "write", "path", path, "content", "x")
	}
}

func TestModesAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes here")
	}
	d := newBench(t)
	write(t, d.dir, "run.sh", "echo one\n")
	write(t, d.dir, "fixed", "one\n")
	os.Chmod(filepath.Join(d.dir, "run.sh"), 0o754)
	os.Chmod(filepath.Join(d.dir, "fixed"), 0o444)
	d.must("read", "path", "run.sh")
	d.must("edit", "path", "run.sh", "old", "one", "new", "two")
	if info, err := os.Stat(filepath.Join(d.dir, "run.sh")); err != nil || info.Mode().Perm() != 0o754 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	d.must("read", "path", "fixed")
	d.fails([]string{"read-only"}, "edit", "path", "fixed", "old", "one", "new", "two")
}

// While a person looks at what is to be written, somebody else is at work.
func TestFilesThatChangeBetweenApprovalAndWriting(t *testing.T) {
	swap := func(name string, make func(full string) error) func(*bench) func() {
		return func(d *bench) func() {
			return func() {
				full := filepath.Join(d.dir, name)
				if err := errors.Join(os.RemoveAll(full), make(full)); err != nil {
					d.t.Fatal(err)
				}
			}
		}
	}
	text := func(full string) error { return os.WriteFile(full, []byte("other\n"), 0o644) }
	link := func(to string) func(string) error { return func(full string) error { return os.Symlink(to, full) } }
	for name, during := range map[string]func(*bench) func(){
		"another content":         swap("d/f", text),
		"gone":                    swap("d/f", func(string) error { return nil }),
		"a link to another":       swap("d/f", link("../other")),
		"a folder":                swap("d/f", func(full string) error { return os.Mkdir(full, 0o755) }),
		"a link for its folder":   swap("d", link("e")),
		"a link out":              swap("d", link("..")),
		"its folder gone":         swap("d", func(string) error { return nil }),
		"the new one is there":    swap("d/new", text),
		"the new one is a link":   swap("d/new", link("../other")),
		"the new one dangles":     swap("d/new", link("nowhere")),
		"a link for a new folder": swap("n", link("e")),
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(name, "link") {
				t.Skip("links need rights here")
			}
			d := newBench(t)
			for _, f := range []string{"d/f", "other", "e/f"} {
				write(t, d.dir, f, "one\n")
			}
			d.must("read", "path", "d/f")
			d.when = during(d)
			patch := "--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+new\n--- /dev/null\n+++ b/n/m/new\n@@ -0,0 +1 @@\n+new\n"
			d.fails([]string{"changed since"}, "patch", "patch", patch)
			d.when = nil
			d.has("e/f", "one\n")
			d.has("other", "one\n")
			for _, f := range []string{"e/new", "e/m", "nowhere", "d/nowhere", "n/m"} {
				if _, err := os.Lstat(filepath.Join(d.dir, f)); err == nil {
					t.Errorf("%s was made", f)
				}
			}
			d.clear()
		})
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("folders cannot be closed to who runs this")
	}
	d := newBench(t)
	write(t, d.dir, "sub/f", "one\n")
	d.must("read", "path", "sub/f")
	os.Chmod(filepath.Join(d.dir, "sub"), 0o555)
	defer os.Chmod(filepath.Join(d.dir, "sub"), 0o755)
	d.fails([]string{"it cannot be written: permission denied"}, "edit", "path", "sub/f", "old", "one", "new", "two")
	d.has("sub/f", "one\n")
}

func TestArgumentsAModelGetsWrong(t *testing.T) {
	d := newBench(t)
	write(t, d.dir, "f", "x\n")
	for _, c := range []struct{ name, args, want string }{
		{"read", `{"path":"f","beginning":3}`, `unknown argument "beginning"; valid: from, path, to`},
		{"read", `{"path":"f","from":"first"}`, `from must be a whole number, not "first"`},
		{"read", `{"path":"f","from":1.5}`, "from must be a whole number, not a number"},
		{"edit", `{"path":"f","old":"x","new":"y","all":"perhaps"}`, `all must be true or false, not "perhaps"`},
		{"multi_edit", `{"path":"f","edits":"x"}`, `edits[0] must be an object, not "x"`},
		{"read", `{"from":3}`, "path is missing; they are from, path, to"},
		{"read", `{"path":"f"`, "not valid JSON"},
		{"read", `["f"]`, "one JSON object with from, path, to"},
		{"read", `{"path":["f"]}`, "path must be a text, not a list"},
		{"multi_edit", `{"path":"f","edits":[{"old":"x","new":"y","count":2}]}`, `unknown argument "edits[0].count"; valid: all, new, old`},
		{"multi_edit", `{"path":"f","edits":[]}`, "nothing to change"},
		{"edit", `{"path":"f","old":"x"}`, "new is missing"},
		{"todo", `{"items":[{"text":"a","state":"later"}]}`, "open, doing or done"},
	} {
		if _, err := d.raw(c.name, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.name, c.args, err, c.want)
		}
	}
}

// What models learnt to write for other agents' tools is understood, and so are values of another type if there is no doubt.
func TestArgumentsOfOtherAgents(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"read", `{"file_path":"f","offset":"2","limit":1}`, "2\ttwo"},
		{"read", `{"path":"f","from":2.0,"to":null,"description":"look"}`, "2\ttwo"},
		{"edit", `{"file_path":"f","old_string":"two","new_string":"2","replace_all":"true"}`, "replaced at line 2"},
		{"edit", `{"path":"f","old":"two","new":2}`, "replaced at line 2"},
		{"multi_edit", `{"path":"f","edits":"[{\"old\":\"two\",\"new\":\"2\"}]"}`, "replaced at line 2"},
		{"multi_edit", `{"path":"f","edits":{"old_str":"two","new_str":"2","all":"False"}}`, "replaced at line 2"},
		{"grep", `{"query":"two","include":"*","-i":"true"}`, "f:2"},
		{"bash", `{"cmd":"echo it runs","timeout":120000}`, "it runs"},
	} {
		d := newBench(t)
		write(t, d.dir, "f", "one\ntwo\n")
		d.must("read", "path", "f")
		if out, err := d.raw(c.name, c.args); err != nil || !strings.Contains(out.Text, c.want) {
			t.Errorf("%s %s: %q, %v, want %q", c.name, c.args, out.Text, err, c.want)
		}
	}
}

func TestPictures(t *testing.T) {
	d := newBench(t)
	var png bytes.Buffer
	if err := imagepng.Encode(&png, image.NewGray(image.Rect(0, 0, 3000, 10))); err != nil {
		t.Fatal(err)
	}
	write(t, d.dir, "p.png", png.String())
	write(t, d.dir, "p.webp", "RIFF\x10\x00\x00\x00WEBPVP8 "+strings.Repeat("\x00", 10)+"\x01\x00\x01\x00"+strings.Repeat("\x00", 90))
	write(t, d.dir, "p.pdf", "%PDF-1.7\n\x00")
	write(t, d.dir, "n.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": [
		{"output_type": "stream", "text": ["one\n"]}]}]}`)
	write(t, d.dir, "huge.webp", "RIFF\x10\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\xff\xff\x00\x00\x00\x00")
	write(t, d.dir, "p.bmp", "BM\x00\x00")
	for name, kind := range map[string]string{"p.png": "image/png", "p.webp": "image/webp", "p.pdf": "application/pdf"} {
		out := d.must("read", "path", name)
		if len(out.Images) != 1 || out.Images[0].MIME != kind || !strings.Contains(out.Text, name+", ") {
			t.Errorf("%s: %q, %d pictures", name, out.Text, len(out.Images))
		}
	}
	if c, err := imagepng.DecodeConfig(bytes.NewReader(d.must("read", "path", "p.png").Images[0].Data)); err != nil || c.Width != 2000 {
		t.Errorf("a wide picture is %+v, %v", c, err)
	}
	if out := d.must("read", "path", "n.ipynb"); !strings.HasPrefix(out.Text, "--- cell 1: code\nx = 1\nx\n--- output\none\n") {
		t.Errorf("a notebook is %q", out.Text)
	}
	if out := d.must("read", "path", "n.ipynb", "from", "1"); !strings.Contains(out.Text, "nbformat") {
		t.Errorf("the notebook's JSON is %q", out.Text)
	}
	d.fails([]string{"65536 × 65536", "make it smaller first"}, "read", "path", "huge.webp")
	d.fails([]string{"not a PNG", "convert it"}, "read", "path", "p.bmp")
	var e *folder.Error
	if _, err := d.call("edit", "path", "p.png", "old", "PNG", "new", "x"); !errors.As(err, &e) || e.Reason != folder.Binary {
		t.Errorf("edit of a picture: %v", err)
	}
}
