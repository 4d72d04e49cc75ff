package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var omissions = []string{"… rest unchanged …", "// ... existing code ...", "# rest of file unchanged", "/* unchanged */", "<!-- ... rest of the file ... -->", "{/* ... existing content ... */}",
	"# ... (rest of the function remains the same)", "// ... rest of the code ...", "-- remaining lines omitted for brevity", "    // ...rest of implementation...", "; ... same as before", "[... unchanged ...]",
	"(rest of methods ...)", "// keep existing code ...", "# ... previous code ...", "... other methods unchanged ...", "// The rest of the file remains the same", "# everything else is unchanged", "/* ... existing imports */",
	"% ... rest of the section", "// ... no changes to the rest", "# existing code here", "// (unchanged)", "// … other tests unchanged …", `"""... rest of the class unchanged ..."""`, "* ... the remaining fields", "// snip", "# [...] code omitted",
	"# [rest of code]", "// (existing implementation)", "/* <rest of the file> */", "// ... (other methods) ...", "// ... other methods", "# ... (fields)", "/* ... imports ... */", "// TODO: keep the remaining code", "# FIXME: existing code here", "// NOTE: keep the rest of the file", "# TODO: rest of the code",
	"-- same as before --", "// --- existing code ---", "# === unchanged ===", "// keep existing code", "// leave the rest of the code as it is", "# your existing code here ...", "// preserve remaining methods",
	"// unchanged code omitted", "# existing lines omitted", "[... 20 lines omitted ...]", "// ... 12 more lines ...", "# (35 lines unchanged)", "... (10 lines truncated) ...", "// [8 unchanged lines]"}

// ordinary are lines of code and prose that have something in common with those.
var ordinary = []string{"...", "…", "# ...", "// ...", "f(args...)", "func f(words ...string) {", "\treturn append(a, b...)", "    ...", "def f(self): ...", "x = [...spread, 1]", "const {a, ...rest} = props", "  ...rest,", "  ...existing,",
	"function f(...rest) {", "And then… nothing.", "The rest is silence.", "the rest of the file is unchanged", "Loading...", "print('...')", "print(\"... existing users ...\")", "# The rest of the options are passed on to make", "// Keep the previous value if the new one is invalid",
	"// same as before, but for the lock", "# existing users keep their name", "// unchanged lines are left out of the diff", "int printf(const char *format, ...);", "template <typename... Rest>", "# other", "// previous", "// remaining is how many bytes are left",
	"- unchanged files: 3", "case ...:", "arr[..., 0]", "a[...]", "yield ...", "@overload", "type Rest<T> = T extends [any, ...infer R] ? R : never", "# see the original paper ... and its appendix", "// the original", "--- same", "* rest", "# Rest API",
	"; the same", "// Body of the function", "# code", "/* remaining */", "-- existing rows", "  ...this.rest,", "  ...other.fields,", "  ...original", "// existing",
	"# TODO: handle the rest", "// see the rest of the file", "...args", "// TODO: add remaining methods", "# TODO: remaining tests", "// TODO: the rest", "// keep the existing file", "// keep the rest", "// preserve existing fields", "// (optional)", "# (see above)", "// --- helper functions ---", "# === tests ===",
	"-- remaining rows first --", "// others follow ...", "// keep the original implementation for tests", "// leave room for the rest", "REMAINDER = '...'", "# 20 lines", "// 3 fields follow", "// ... 3", "# keep 2 lines", "// lines omitted by the parser: 20", "[1, 2, ...]", "# 12 more", "# [existing] users are kept", "// ...and then it ends", "/* the rest */"}

// A line that stands for lines left out is refused, unless the file has it; code and prose with an ellipsis are not.
func TestOmissions(t *testing.T) {
	d := newBench(t)
	body := "package a\n\nfunc one() {\n\tone()\n\ttwo()\n}\n"
	for _, line := range omissions {
		write(t, d.dir, "f", body)
		d.must("read", "path", "f")
		d.fails([]string{"stands for text that is left out", "write all of it, or edit only the lines that change"}, "edit", "path", "f", "old", "\tone()\n\ttwo()", "new", "\tthree()\n"+line)
		d.fails([]string{"line 2 of the new text"}, "write", "path", "f", "content", "package b\n"+line+"\n")
		d.fails([]string{"line 1 of the new text"}, "write", "path", "made", "content", line+"\n")
		d.fails([]string{"stands for text that is left out"}, "patch", "patch", "--- a/f\n+++ b/f\n@@ -3,4 +3,3 @@\n func one() {\n-\tone()\n-\ttwo()\n+"+line+"\n }\n")
		d.has("f", body)
		write(t, d.dir, "has", body+strings.TrimSpace(line)+"\n")
		d.must("read", "path", "has")
		d.must("edit", "path", "has", "old", "two()", "new", "two()\n"+line)
	}
	for _, line := range ordinary {
		write(t, d.dir, "f", body)
		d.must("read", "path", "f")
		d.must("edit", "path", "f", "old", "\tone()\n\ttwo()", "new", "\tthree()\n"+line)
	}
}

// A line of only an ellipsis, or a comment of one, is refused where the language gives it no meaning there.
func TestElisions(t *testing.T) {
	d := newBench(t)
	refused := []struct{ file, now string }{
		{"a.go", "func a() {\n\t...\n}\n"}, {"a.go", "func a() {\n\t// ...\n}\n"}, {"a.go", "func a() {\n\t/* ... */\n}\n"}, {"f", "a {\n\t/* ... */\n}\n"}, {"a.css", "/* ... */\n"}, {"a.js", "const a = [\n  1,\n  ...\n]\n"}, {"a.ts", "{\n  ...,\n}\n"}, {"a.js", "{ ... }\n"},
		{"a.jsx", "<a>\n  {/* ... */}\n</a>\n"}, {"a.html", "<a>\n  <!-- ... -->\n</a>\n"}, {"a.py", "def f():\n    a()\n    ...\n"}, {"a.py", "def f():\n    ...\n    return 1\n"}, {"a.py", "...\n"}, {"a.py", "if a:\n    ...\n"}, {"a.py", "def f():\n    # ...\n    return 1\n"}, {"a.py", "a = 1\n…\nb = 2\n"},
		{"a.sh", "echo a\n...\n"}, {"a.sql", "select 1;\n-- ...\n"}, {"Makefile", "all:\n\t...\n"}, {"a.c", "int f() {\n\t...\n}\n"}, {"a.c", "int a[] = {\n\t1,\n\t...\n};\n"}, {"a.yaml", "a: 1\n# ...\nb: 2\n"}, {"a.json", "{\n  \"a\": 1,\n  ...\n}\n"}, {"a.rb", "def f\n  # ...\nend\n"}}
	for _, c := range refused {
		d.fails([]string{"stands for text that is left out"}, "write", "path", c.file, "content", c.now)
		write(t, d.dir, c.file, "old\n")
		d.must("read", "path", c.file)
		d.fails([]string{"stands for text that is left out"}, "edit", "path", c.file, "old", "old\n", "new", c.now)
		d.has(c.file, "old\n")
		write(t, d.dir, c.file, "old\n"+c.now) // what it has may stay, and be moved
		d.must("read", "path", c.file)
		d.must("edit", "path", c.file, "old", "old\n"+c.now, "new", c.now+"fresh\n")
		os.Remove(filepath.Join(d.dir, c.file))
	}
	for _, c := range []struct{ file, now string }{
		{"a.py", "def f(): ...\n"}, {"a.py", "def f(\n    a,\n) -> int:  # stub\n    ...\n\nclass B:\n    ...\n"}, {"a.py", "class P(Protocol):\n    def f(self):\n        \"\"\"Does.\n\n        More.\n        \"\"\"\n        ...\n\n    async def g(self):\n        # later\n        ...\n"}, {"a.py", "def f():\n    \"\"\"\n    >>> f()\n    ...\n    \"\"\"\n    return 1\n"}, {"a.pyi", "...\n"},
		{"a.c", "void f(\n\tconst char *a,\n\t...\n);\n"}, {"a.rs", "fn f(\n    a: u8,\n    ...\n) -> u8;\n"}, {"a.go", "const a = `\n...\n`\n"}, {"a.go", "// Use it so:\n//\n//\tf()\n//\t...\nfunc f() {}\n"}, {"a.go", "// a\n// ...\n// b\nfunc f() {}\n"}, {"a.js", "/*\n f()\n ...\n*/\n"}, {"a.js", "f(\n  ...args,\n)\n"}, {"a.js", "const a = {\n  ...rest\n}\n"},
		{"a.yaml", "a: 1\n...\n"}, {"a.md", "...\n# ...\n    // ...\n"}, {"a.txt", "...\n"}, {"f", "...\n# ...\n// ...\n"}, {"a.sh", "cat <<EOF\n...\nEOF\n"}, {"a.r", "f <- function(\n  ...\n) 1\n"}, {"a.pl", "sub f {\n  ...\n}\n"}, {"a.go", "case ...:\n\tf(a...)\n"}} {
		d.must("write", "path", c.file, "content", c.now)
		os.Remove(filepath.Join(d.dir, c.file))
	}
	write(t, d.dir, "a.go", "a\n")
	d.must("read", "path", "a.go")
	d.fails([]string{"stands for text that is left out"}, "patch", "patch", "--- a/a.go\n+++ b/a.go\n@@ -1,1 +1,1 @@\n-a\n+...\n")
}
