package rehearsal

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// class is the kind of text of a line.
type class string

const (
	code     class = "code"
	comment  class = "comment"
	test     class = "test"
	setting  class = "setting"
	document class = "document"
	commit   class = "commit"
	nothing  class = "" // generated, data, too long to read or too short to quote
)

// line is a line of the project that was seen. Number is below 1 if it is unknown; file is empty for the history.
type line struct {
	file   string
	number int
	text   string
	class  class
	words  []word
}

// project is what was seen of it, sorted by file and number. Numbers below 1 distinguish lines whose place is
// unknown.
type project struct{ lines []line }

// The lengths in bytes of a line that is written for people, and of one that is long enough to be a quote.
const (
	longest  = 280
	shortest = 6
)

// seen collects what the context shows and what the tools returned. A line that was seen several times counts once,
// as it was last seen; failed calls are ignored.
func seen(a asked) project {
	files := map[string]map[int]string{}
	note := func(file string, number int, text string) {
		if files[file] == nil {
			files[file] = map[int]string{}
		}
		files[file][number] = text
	}
	readContext(a.context, note)
	for _, l := range a.looks {
		if l.failed {
			continue
		}
		switch l.tool {
		case "grep":
			readHits(l.text, note)
		case "read":
			readNumbered(l.args.Path, l.text, note)
		case "git_log":
			readLog(l.text, note)
		}
	}
	var p project
	for file, numbered := range files {
		for number, text := range numbered {
			text = strings.TrimSpace(text)
			if c := classOf(file, text); c != nothing {
				p.lines = append(p.lines, line{file, number, text, c, wordsOf(text)})
			}
		}
	}
	slices.SortFunc(p.lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number))
	})
	return p
}

// hit matches a line of grep's output: file:number: text.
var hit = pattern.Of(`^(.+?):(\d+): (.*)$`)

// readHits notes what grep found. Headings and notes of the tool are no such lines and are skipped.
func readHits(text string, note func(string, int, string)) {
	for l := range strings.Lines(text) {
		if m := hit().FindStringSubmatch(strings.TrimRight(l, "\n")); m != nil {
			n, _ := strconv.Atoi(m[2])
			note(m[1], n, m[3])
		}
	}
}

// readNumbered notes the lines that read returned: a number, a tab and the text.
func readNumbered(file, text string, note func(string, int, string)) {
	for l := range strings.Lines(text) {
		number, rest, ok := strings.Cut(strings.TrimRight(l, "\n"), "\t")
		if n, err := strconv.Atoi(strings.TrimSpace(number)); ok && err == nil && n > 0 {
			note(file, n, rest)
		}
	}
}

// readLog notes the subjects with their hashes and dates as lines without a number.
func readLog(text string, note func(string, int, string)) {
	n := 0
	for l := range strings.Lines(text) {
		if fields := strings.Fields(l); len(fields) >= 3 && !strings.HasPrefix(l, "[") {
			n--
			note("", n, strings.TrimSpace(l))
		}
	}
}

// fileTitle matches the title above the lines of a file in a context, numberLine such a line.
var (
	fileTitle  = pattern.Of(`^(?:### |- )([^\s()]+\.?[^\s()]*)$`)
	numberLine = pattern.Of(`^\s*(\d+)\t(.*)$`)
)

// readContext finds the files that the context quotes: numbered lines under a title, or "> " lines under a list item.
func readContext(text string, note func(string, int, string)) {
	file, loose := "", 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if m := fileTitle().FindStringSubmatch(l); m != nil {
			file = strings.Trim(m[1], "`")
		} else if strings.HasPrefix(l, "#") {
			file = ""
		} else if m := numberLine().FindStringSubmatch(l); m != nil && file != "" {
			n, _ := strconv.Atoi(m[1])
			note(file, n, m[2])
		} else if quote, ok := strings.CutPrefix(strings.TrimSpace(l), "> "); ok && file != "" {
			loose--
			note(file, loose, quote)
		}
	}
}

// File kinds by lower-case endings; names of data; parts of paths that mark a test or an example; and what comments
// begin with.
var (
	documents = set(".md .markdown .txt .rst .adoc .org .tex .html .htm")
	settings  = set(".yaml .yml .toml .ini .cfg .conf .json .jsonc .xml .env .properties .mod .gradle .tf .proto .graphql")
	data      = set(".lock .sum .svg .jsonl .ndjson .csv .tsv .map .snap .golden .pem .log .ipynb .po .patch .diff")
	dataNames = set("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock composer.lock go.work.sum")
	tests     = set("test tests spec specs testdata fixture fixtures example examples mock mocks")
	openings  = []string{"//", "#", "/*", "* ", "*/", "--", "<!--", ";", `"""`, "'''", "%"}
)

// classOf derives the class of a line from its file's name and its own beginning.
func classOf(file, text string) class {
	name := strings.ToLower(path.Base(file))
	kind := path.Ext(name)
	switch {
	case len(text) > longest || len(strings.Join(strings.Fields(text), "")) < shortest || strings.HasSuffix(text, "…"):
		return nothing
	case file == "":
		return commit
	case data[kind] || dataNames[name] || strings.Contains(name, ".min."):
		return nothing
	case documents[kind] || kind == "" && (strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "changelog")):
		return document
	}
	for _, w := range wordsOf(file) {
		if tests[strings.ToLower(w.text)] {
			return test
		}
	}
	for _, o := range openings {
		if strings.HasPrefix(text, o) {
			return comment
		}
	}
	if settings[kind] {
		return setting
	}
	return code
}
