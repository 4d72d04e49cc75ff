package builtin

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

// A line of nothing but an ellipsis, or a comment of nothing else, stands for lines left out where the language gives it no meaning.
// Whether it does hangs on the file and on the lines around, so whole files are looked at, as they were and as they would be.

// bareCode are the endings of files in which a line of only an ellipsis means nothing, but for those ellipsisMeans knows. remarkCode
// are others in which a comment of only an ellipsis is one, too.
var (
	bareCode = set(`go js mjs cjs jsx ts tsx mts cts java kt kts scala swift c h cc cpp cxx hpp hh mm rs rb php cs fs sh bash zsh
		ksh fish ps1 sql lua py pyx css scss sass less toml tf hcl proto graphql gql dart erl clj cljs hs ml mli zig
		nim groovy gradle cmake mk json jsonc awk makefile dockerfile containerfile jenkinsfile justfile`)
	remarkCode = set(`html htm vue svelte xml yaml yml r pl pm ex exs jl m pyi`)
	proseFiles = set(`md markdown mdx txt rst adoc org tex log diff patch`)
)

// variadic are those in which an ellipsis may be the last parameter, on a line of its own.
var variadic = set("c h cc cpp cxx hpp hh mm rs lua zig")

// language is the ending of a file's name, or the whole name where it has none.
func language(name string) string {
	base := strings.ToLower(path.Base(name))
	if ext := path.Ext(base); ext != "" {
		return ext[1:]
	}
	return base
}

// elided refuses steps after which files have more lines that only an ellipsis stands in than before. Lines are
// counted over all steps together, so that code may move from one file to another.
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

// elisions are the lines of a text that stand for others, by the rules of its language. Prose and unknown endings
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

// dots says whether a text is an ellipsis.
func dots(t string) bool {
	return t == "…" || len(t) > 2 && strings.Trim(t, ".") == ""
}

// bare says whether a line holds an ellipsis alone, or one in brackets or before a comma. Python, which has it as a value, has
// statements of it alone.
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

// onlyRemark says whether a line is a comment of only an ellipsis, and no part of a longer one.
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
		if !ok || !dots(strings.TrimPrefix(rest, " ")) { // what stands further in is an example in a comment
			continue
		}
		before, after := beside(lines, i, -1), beside(lines, i, 1)
		return !remarks(before) && !remarks(after)
	}
	return false
}

// beside is the next line, in one direction, that is not empty.
func beside(lines []string, i, step int) string {
	for i += step; i >= 0 && i < len(lines); i += step {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// ellipsisMeans says whether a line of only an ellipsis means something where it is: the whole body of a function or class in
// Python, or output in one of its examples; the last parameter of a function in C and its like.
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
		if quote != "" && strings.Count(t, quote) == 1 { // the end of a text that says what it is
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

// indentOf is how many blanks a line begins with, a tab as one: depths are only compared within a file.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// quotation follows the lines of a file through texts and comments of several lines, where an ellipsis is no code.
// It knows enough of each language for that, and errs towards being inside: then an ellipsis is left alone.
type quotation struct {
	lang   string
	inside bool
	end    string // of what it is inside of
}

// pass goes on to the end of a line.
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
		begins["<<"] = "" // a here-document, to the end for all we know
	}
	begin := ""
	for b := range begins {
		i := strings.Index(line, b)
		if b == "/*" || b == "<!--" { // within a line it may be part of a text
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
