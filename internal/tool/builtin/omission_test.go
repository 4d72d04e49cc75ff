package builtin_test

import (
	"strings"
	"testing"
)

var omissions = []string{"… rest unchanged …", "// ... existing code ...", "# rest of file unchanged", "/* unchanged */", "<!-- ... rest of the file ... -->", "{/* ... existing content ... */}",
	"# ... (rest of the function remains the same)", "// ... rest of the code ...", "-- remaining lines omitted for brevity", "    // ...rest of implementation...", "; ... same as before", "[... unchanged ...]",
	"(rest of methods ...)", "// keep existing code ...", "# ... previous code ...", "... other methods unchanged ...", "// The rest of the file remains the same", "# everything else is unchanged", "/* ... existing imports */",
	"% ... rest of the section", "// ... no changes to the rest", "# existing code here", "// (unchanged)", "// … other tests unchanged …", `"""... rest of the class unchanged ..."""`, "* ... the remaining fields", "// snip", "# [...] code omitted"}

// ordinary are lines of code and prose that have something in common with those.
var ordinary = []string{"...", "…", "# ...", "// ...", "f(args...)", "func f(words ...string) {", "\treturn append(a, b...)", "    ...", "def f(self): ...", "x = [...spread, 1]", "const {a, ...rest} = props", "  ...rest,", "  ...existing,",
	"function f(...rest) {", "And then… nothing.", "The rest is silence.", "the rest of the file is unchanged", "Loading...", "print('...')", "print(\"... existing users ...\")", "# The rest of the options are passed on to make", "// Keep the previous value if the new one is invalid",
	"// same as before, but for the lock", "# existing users keep their name", "// unchanged lines are left out of the diff", "int printf(const char *format, ...);", "template <typename... Rest>", "# other", "// previous", "// remaining is how many bytes are left",
	"- unchanged files: 3", "case ...:", "arr[..., 0]", "a[...]", "yield ...", "@overload", "type Rest<T> = T extends [any, ...infer R] ? R : never", "# see the original paper ... and its appendix", "// the original", "--- same", "* rest", "# Rest API",
	"; the same", "// Body of the function", "# code", "/* remaining */", "-- existing rows", "  ...this.rest,", "  ...other.fields,", "  ...original", "// existing"}

// A line that stands for lines left out is refused, unless the file has it; code and prose with an ellipsis are not.
func TestOmissions(t *testing.T) {
	d := newDesk(t)
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
