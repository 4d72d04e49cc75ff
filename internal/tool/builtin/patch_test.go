package builtin_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/aymanbagabas/go-udiff"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

const letters = "a\nb\nc\nd\ne\nf\ng\nh\n"

func TestPatch(t *testing.T) {
	for _, c := range []struct{ name, body, patch, want string }{
		{"git", letters, "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@ func x\n a\n-b\n+x\n c\n d\n", "a\nx\nc\nd\ne\nf\ng\nh\n"},
		{"two hunks", letters, "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n+1\n b\n@@ -7,2 +8,1 @@\n g\n-h\n", "a\n1\nb\nc\nd\ne\nf\ng\n"},
		{"wrong numbers", letters, "--- a/f\n+++ b/f\n@@ -40,9 +41,2 @@\n d\n-e\n f\n", "a\nb\nc\nd\nf\ng\nh\n"},
		{"no numbers", letters, "--- a/f\n+++ b/f\n@@\n d\n-e\n+E\n", "a\nb\nc\nd\nE\nf\ng\nh\n"},
		{"the line decides", "x\ny\nx\ny\n", "--- a/f\n+++ b/f\n@@ -3 +3 @@\n-x\n+z\n", "x\ny\nz\ny\n"},
		{"the line after earlier hunks", "x\ny\nx\ny\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n+1\n x\n y\n@@ -3 +4 @@\n-x\n+z\n", "1\nx\ny\nz\ny\n"},
		{"CRLF", "a\r\nb\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\r\nc\r\n"},
		{"a patch in CRLF", letters, strings.ReplaceAll("--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n-a\n b\n", "\n", "\r\n"), letters[2:]},
		{"no newline at the end", "a\nb", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nc"},
		{"a newline at the end", "a\nb", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"},
		{"no newline, not said", "a\nb", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc"},
		{"empty lines that lost their blank", "a\n\nb\n\nc\n", "--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n a\n\n-b\n+x\n\n c\n\n", "a\n\nx\n\nc\n"},
		{"lines that look like a header", "-- x\n++ y\nz\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n--- x\n+++ x\n ++ y\n z\n", "++ x\n++ y\nz\n"},
		{"signed", letters, "From 1 Mon\nSubject: x\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -7,2 +7,2 @@\n g\n-h\n+x\n-- \n2.39.5\n\n", "a\nb\nc\nd\ne\nf\ng\nx\n"},
		{"an empty file", "", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newBench(t)
			write(t, d.dir, "f", c.body)
			d.must("read", "path", "f")
			d.must("patch", "patch", c.patch)
			d.has("f", c.want)
		})
	}
}

func TestPatchOfManyFiles(t *testing.T) {
	d := newBench(t)
	for name, body := range map[string]string{"mod": "a\nb\n", "del": "x\ny\n", "old name": "1\n2\n", "sh": "#!\n"} {
		write(t, d.dir, name, body)
		d.must("read", "path", name)
	}
	os.Chmod(filepath.Join(d.dir, "sh"), 0o755)
	out := d.must("patch", "patch", `diff --git a/mod b/mod
--- a/mod
+++ b/mod
@@ -1,2 +1,2 @@
 a
-b
+c
diff --git a/del b/del
deleted file mode 100644
--- a/del
+++ /dev/null
@@ -1,2 +0,0 @@
-x
-y
diff --git a/new/n\303\244me b/new/n\303\244me
new file mode 100755
index 0000000..1
--- /dev/null
+++ "b/new/n\303\244me"
@@ -0,0 +1 @@
+new
diff --git a/old name b/to/here
similarity index 50%
rename from old name
rename to to/here
--- a/old name
+++ b/to/here
@@ -1,2 +1,2 @@
 1
-2
+3
diff --git a/sh b/bin
similarity index 100%
rename from sh
rename to bin
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
`)
	for name, body := range map[string]string{"mod": "a\nc\n", "new/näme": "new\n", "to/here": "1\n3\n", "bin": "#!\n", "empty": ""} {
		d.has(name, body)
	}
	for name, want := range map[string]os.FileMode{"new/näme": 0o100, "bin": 0o100, "mod": 0} {
		if info, err := os.Stat(filepath.Join(d.dir, name)); err != nil || info.Mode()&0o100 != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	for _, name := range []string{"del", "old name", "sh"} {
		if _, err := os.Lstat(filepath.Join(d.dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if want := []string{"mod", "del", "new/näme", "old name", "to/here", "sh", "bin", "empty"}; !slices.Equal(out.Wrote, want) || len(d.acts) != len(want) {
		t.Errorf("wrote %q, %d acts", out.Wrote, len(d.acts))
	}
	if d.acts[1].Lost != "the file is deleted" || d.acts[3].Lost != "" || d.acts[3].Text != "rename from old name\nrename to to/here\n" {
		t.Errorf("acts %+v", d.acts)
	}
	d.must("edit", "path", "to/here", "old", "3", "new", "4") // what a patch made is known
	d.clear()
}

func TestPatchesThatAreRefused(t *testing.T) {
	head := "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+x\n"
	for patch, want := range map[string]string{
		"": "not a unified diff",
		"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch":                           "not a unified diff",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-z\n+x\n":                                                  "hunk 1 of 1: its lines are not in the file",
		head + "@@ -5 +5 @@\n-zz\n+x\n":                                                            "hunk 2 of 2: its lines are not in the file",
		"--- a/twice\n+++ b/twice\n@@\n-x\n+y\n":                                                   "it fits 2 times, at lines 1, 2",
		"--- a/f\n+++ b/f\n@@ -3,0 +4 @@\n+x\n":                                                    "no context line",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n":                                                      "changes nothing",
		"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n*x\n":                                              "line 6 of the patch: \"*x\" is not a hunk line",
		head + "--- a/../out\n+++ b/../out\n@@ -1 +1 @@\n-a\n+b\n":                                 "outside the project",
		head + "--- a//etc/passwd\n+++ b//etc/passwd\n@@\n-a\n+b\n":                                "outside the project",
		head + "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+b\n":                            "never shown",
		head + "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+b\n":                                       "that file already exists",
		head + "--- a/none\n+++ b/none\n@@\n-a\n+b\n":                                              "no such file",
		head + "--- a/unread\n+++ b/unread\n@@\n-a\n+b\n":                                          "read the file before you write to it",
		head + "--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n":                                       "does not take out all its lines",
		head + "--- a/f\n+++ b/f\n@@ -3 +3 @@\n-c\n+b\n":                                           "in the patch twice",
		"--- a/f\n+++ b/g\n@@\n-a\n+b\n":                                                           "rename from",
		"diff --git a/f b/g\nrename from f\nrename to g\n":                                         "that file already exists",
		"diff --git a/f b/../g\nrename from f\nrename to ../g\n":                                   "outside the project",
		"diff --git a/f b/.env\nrename from f\nrename to .env\n":                                   "never shown",
		"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n":                                   "old mode",
		"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n": "only ordinary files",
		"diff --git a/b b/b\nindex 1..2\nGIT binary patch\nliteral 1\nx\n":                         "GIT binary patch",
		"diff --git a/f b/f\nindex 1..2\n":                                                         "has no changes for",
	} {
		d := newBench(t)
		for name, body := range map[string]string{"f": letters, "g": "1\n2\n", "twice": "x\nx\n", "unread": "a\n"} {
			write(t, d.dir, name, body)
			if name != "unread" {
				d.must("read", "path", name)
			}
		}
		d.fails([]string{want}, "patch", "patch", patch)
		d.has("f", letters)
		if len(d.acts) > 0 {
			t.Errorf("%q: somebody was asked", patch)
		}
	}
}

// A difference of any two texts, made by a program, is applied as it is meant, however many lines repeat.
func TestDiffsAreApplied(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "", "\t}", "-- x", "++ y", "@@ -1 +1 @@", "é", " "})
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "newline") && s != "" {
			s += "\n"
		}
		return s
	})
	n := 0
	d := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		if before == after || before == "" {
			return
		}
		n++
		name := fmt.Sprint("f", n)
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		patch := udiff.Unified("a/"+name, "b/"+name, before, after)
		if _, err := d.call("read", "path", name); err != nil {
			t.Fatal(err)
		}
		if _, err := d.call("patch", "patch", patch); err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		if got, _ := os.ReadFile(filepath.Join(d.dir, name)); string(got) != after {
			t.Fatalf("%q became %q, want %q by\n%s", before, got, after, patch)
		}
	})
}

// No text makes the reader of patches panic or write outside the one folder.
func FuzzPatch(f *testing.F) {
	f.Add("diff --git a/f b/f\nindex 1..2\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n")
	f.Add("diff --git a/f b/g\nrename from f\nrename to g\n--- /dev/null\n+++ \"b/\\303\\244\"\n@@ -0,0 +1 @@\n+x\n-- \n2.3\n")
	f.Add("diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
	f.Fuzz(func(t *testing.T, patch string) {
		if len(patch) > 1<<12 || !utf8.ValidString(patch) {
			t.Skip()
		}
		d := newBench(t)
		write(t, d.dir, "f", "a\nb\n")
		d.must("read", "path", "f")
		out, err := d.call("patch", "patch", patch)
		if err != nil {
			d.has("f", "a\nb\n")
		}
		for i, a := range d.acts {
			rel, relErr := filepath.Rel(d.dir, a.Path)
			if relErr != nil || !filepath.IsLocal(rel) || err == nil && filepath.ToSlash(rel) != out.Wrote[i] {
				t.Fatalf("%q writes %s", patch, a.Path)
			}
		}
		d.clear()
	})
}

// TestPatchChanges: a patch tells each file it changes, under both names where it renames one.
func TestPatchChanges(t *testing.T) {
	patch := "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+c\n" +
		"diff --git a/old.txt b/moved.txt\nrename from old.txt\nrename to moved.txt\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n"
	args, _ := json.Marshal(map[string]string{"patch": patch})
	tools := builtin.All()
	all, err := tools[slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == "patch" })].Changes(args)
	var got []string
	for _, c := range all {
		got = append(got, fmt.Sprintf("%s %q %q", c.Path, c.Old, c.New))
	}
	want := `one.txt "a\n" "b\n", new.txt "" "c\n", old.txt "" "", moved.txt "" "", gone.txt "d\n" ""`
	if err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%s, %v", strings.Join(got, ", "), err)
	}
}
