package builtin

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

// A line of only an ellipsis, or a comment of nothing else, stands for omitted lines where the language gives it no
// meaning. That depends on the file and on the lines around, so whole files are compared, before and after the
// change.

// bareCode are the endings of files in which a line of only an ellipsis means nothing, except what ellipsisMeans
// recognizes. remarkCode are others in which a comment of only an ellipsis means nothing, too.
var (
	bareCode = set(`go js mjs cjs jsx ts tsx mts cts java kt kts scala swift c h cc cpp cxx hpp hh mm rs rb php cs fs sh bash zsh
		ksh fish ps1 sql lua py pyx css scss sass less toml tf hcl proto graphql gql dart erl clj cljs hs ml mli zig
		nim groovy gradle cmake mk json jsonc awk makefile dockerfile containerfile jenkinsfile justfile`)
	remarkCode = set(`html htm vue svelte xml yaml yml r pl pm ex exs jl m pyi`)
	proseFiles = set(`md markdown mdx txt rst adoc org tex log diff patch`)
)

// variadic are the languages in which an ellipsis may be the last parameter, on its own line.
var variadic = set("c h cc cpp cxx hpp hh mm rs lua zig")

// language returns the ending of a file's name, or the whole name if it has none.
func language(name string) string {
	base := strings.ToLower(path.Base(name))
	if ext := path.Ext(base); ext != "" {
		return ext[1:]
	}
	return base
}

// elided refuses steps after which files have more lines of only an ellipsis than before. Lines are counted over all
// steps together, so that code may move from one file to another.
func elided(steps []step) error {
	had := map[string]int{}
	for _, s := range steps {
		for _, l := range elisions(s.Was.Name, string(s.Was.Body)) {
			had[l.text]++
		}
	}
	for _, s := range steps {
		if s.Gone {
			continue
		}
		for _, l := range elisions(s.Was.Name, string(s.Now)) {
			if had[l.text]--; had[l.text] < 0 {
				return fmt.Errorf("%s: line %d would be %q, which stands for text that is left out, and that text would be lost: write "+
					"all of it, or edit only the lines that change", s.Was.Name, l.number, l.text)
			}
		}
	}
	return nil
}

// elision is a line that stands for others.
type elision struct {
	number int
	text   string
}

// elisions returns the lines of a text that stand for others, by the rules of its language. Prose and unknown endings
// have none.
func elisions(name, text string) (out []elision) {
	if !strings.Contains(text, "...") && !strings.Contains(text, "…") {
		return nil
	}
	lang := language(name)
	if proseFiles[lang] {
		return nil
	}
	lines := folder.Lines([]byte(text))
	q := quotation{lang: lang}
	for i, line := range lines {
		inside := q.inside
		q.pass(line)
		if t := strings.TrimSpace(line); !inside && (bareCode[lang] && bare(t, lang) && !ellipsisMeans(lines, i, lang) ||
			onlyRemark(lines, i, lang)) {
			out = append(out, elision{i + 1, t})
		}
	}
	return out
}

// dots reports whether a text is an ellipsis.
func dots(t string) bool {
	return t == "…" || len(t) > 2 && strings.Trim(t, ".") == ""
}

// bare reports whether a line is only an ellipsis, also in brackets or before a comma. In Python, where it is a
// value, the line must be a statement of it alone.
func bare(t, lang string) bool {
	if lang == "py" || lang == "pyx" || variadic[lang] {
		return dots(t)
	}
	t = strings.TrimRight(t, ",;")
	for _, pair := range []string{"{}", "[]"} {
		if len(t) > 2 && t[0] == pair[0] && t[len(t)-1] == pair[1] {
			t = strings.TrimSpace(t[1 : len(t)-1])
		}
	}
	return dots(t)
}

// onlyRemark reports whether a line is a comment of only an ellipsis, and not part of a longer one.
func onlyRemark(lines []string, i int, lang string) bool {
	t := strings.TrimSpace(lines[i])
	for _, pair := range [][2]string{{"/*", "*/"}, {"{/*", "*/}"}, {"<!--", "-->"}} {
		if inner, ok := strings.CutPrefix(t, pair[0]); ok && strings.HasSuffix(inner, pair[1]) &&
			dots(strings.TrimSpace(strings.TrimSuffix(inner, pair[1]))) {
			return true
		}
	}
	if !bareCode[lang] && !remarkCode[lang] {
		return false
	}
	for _, begin := range []string{"//", "#", "--", ";", "%"} {
		rest, ok := strings.CutPrefix(t, begin)
		if !ok || !dots(strings.TrimPrefix(rest, " ")) { // a more indented line is an example in a comment
			continue
		}
		before, after := beside(lines, i, -1), beside(lines, i, 1)
		return !remarks(before) && !remarks(after)
	}
	return false
}

// beside returns the next line in one direction that is not empty.
func beside(lines []string, i, step int) string {
	for i += step; i >= 0 && i < len(lines); i += step {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// ellipsisMeans reports whether a line of only an ellipsis has a meaning: the whole body of a function or class in
// Python, or output in one of its examples; the last parameter of a function in C and similar languages.
func ellipsisMeans(lines []string, i int, lang string) bool {
	after := beside(lines, i, 1)
	switch {
	case variadic[lang]:
		return strings.HasPrefix(strings.TrimSpace(after), ")")
	case lang != "py" && lang != "pyx":
		return false
	}
	if after != "" && indentOf(after) >= indentOf(lines[i]) {
		return false
	}
	at := i - 1
	for at >= 0 {
		t := strings.TrimSpace(lines[at])
		quote := ""
		for _, q := range []string{`"""`, "'''"} {
			if strings.HasSuffix(t, q) {
				quote = q
			}
		}
		if t != "" && t[0] != '#' && quote == "" {
			break
		}
		if quote != "" && strings.Count(t, quote) == 1 { // the end of a docstring
			for at--; at >= 0 && !strings.Contains(lines[at], quote); at-- {
			}
		}
		at--
	}
	if at < 0 {
		return false
	}
	head, _, _ := strings.Cut(lines[at], " #")
	head = strings.TrimSpace(head)
	return strings.HasSuffix(head, ":") && indentOf(lines[at]) < indentOf(lines[i]) &&
		slices.ContainsFunc([]string{"def ", "class ", "async def ", "cdef ", "cpdef ", ")", "]"},
			func(begin string) bool { return strings.HasPrefix(head, begin) })
}

// indentOf returns how many blanks a line begins with, a tab as one: depths are only compared within a file.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// quotation follows the lines of a file through strings and comments of several lines, where an ellipsis is not code.
// It knows only as much of each language, and in doubt assumes to be inside: then an ellipsis is left alone.
type quotation struct {
	lang   string
	inside bool
	end    string // of the current string or comment
}

// pass advances to the end of a line.
func (q *quotation) pass(line string) {
	if q.inside {
		if i := strings.Index(line, q.end); i >= 0 && q.end != "" {
			q.inside = false
			q.pass(line[i+len(q.end):])
		}
		return
	}
	begins, at := map[string]string{"/*": "*/", "<!--": "-->"}, -1
	switch q.lang {
	case "go", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts":
		begins["`"] = "`"
	case "py", "pyx", "toml", "java", "kt", "kts", "scala", "swift", "cs", "dart", "groovy", "graphql", "gql", "nim":
		begins[`"""`], begins["'''"] = `"""`, "'''"
	case "sh", "bash", "zsh", "ksh", "rb", "php":
		begins["<<"] = "" // a here-document, which may reach to the end
	}
	begin := ""
	for b := range begins {
		i := strings.Index(line, b)
		if b == "/*" || b == "<!--" { // in the middle of a line it may be part of a string
			if i = -1; strings.HasPrefix(strings.TrimSpace(line), b) {
				i = strings.Index(line, b)
			}
		}
		if i >= 0 && (at < 0 || i < at) {
			at, begin = i, b
		}
	}
	if at >= 0 {
		q.inside, q.end = true, begins[begin]
		q.pass(line[at+len(begin):])
	}
}
