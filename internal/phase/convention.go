package phase

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Convention is an AGENTS.md, or what another agent has in its place: what a project asks of whoever works in it.
type Convention struct {
	File string `json:"file"` // relative to the folder in use, with slashes
	Text string `json:"text"` // nothing in it is hidden
}

// Bounds of what a project may have its agents told. A file over largestOnDisk is not read at all.
const (
	conventionFile  = "AGENTS.md"
	maxConvention   = 32 << 10 // bytes of one that are shown
	maxConventions  = 64 << 10 // of all together
	mostOfOneFile   = 5        // hidden places of one file that are told one by one
	largestOnDisk   = 1 << 20
	commentBegin    = "<!--"
	shownInSentence = 40
)

// foreign are folders that hold what others wrote. Nothing below one speaks for the project.
var foreign = []string{"node_modules", "vendor", "third_party", "bower_components", "site-packages", "venv", ".venv", "Pods", ".git"}

// upTo are the folders from the top of the project to at, "." first, as far as they are the project's own.
func upTo(at string) []string {
	out := []string{"."}
	if at == "." {
		return out
	}
	for i, part := range strings.Split(at, "/") {
		if slices.Contains(foreign, part) {
			break
		}
		out = append(out, strings.Join(strings.Split(at, "/")[:i+1], "/"))
	}
	return out
}

// instead are the files that count in a folder that has no AGENTS.md, the first that is there.
var instead = []string{conventionFile, "CLAUDE.md", "GEMINI.md"}

// conventionOf is the file of a folder that counts; empty: none.
// Only one file of a folder counts: the others say the same in most projects, and would be paid for again at each turn.
func conventionOf(names []string, dir string) string {
	for _, name := range instead {
		if file := path.Join(dir, name); has(names, file) {
			return file
		}
	}
	return ""
}

// has says whether a file is among names, which are sorted.
func has(names []string, file string) bool {
	_, ok := slices.BinarySearch(names, file)
	return ok
}

// conventions reads the AGENTS.md of at and the folders above it, with what they import, as far as git does not ignore them: names are
// all files there are. What an eye could not see in them is shown and told of, and so is what was cut off.
// From the top down, so that the deepest comes last and counts most. Once the sum is used up, of deeper files only
// their names are told.
func conventions(f *folder.Folder, names []string, at string) (found []Convention, wrong []string) {
	left := maxConventions
	var files []string
	for _, dir := range upTo(at) {
		if file := conventionOf(names, dir); file != "" {
			more, out := imports(f, names, file)
			files, wrong = append(append(files, file), more...), append(wrong, out...)
		}
	}
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			continue
		}
		name := from(at, file)
		raw, err := f.Read(file, largestOnDisk)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		text, more := shown(name, string(raw), min(maxConvention, left))
		wrong = append(wrong, more...)
		if left -= len(text); strings.HasSuffix(text, goesOn) {
			left = 0
		}
		left = max(0, left)
		if text != "" {
			found = append(found, Convention{clean.Line(name), text})
		}
	}
	return found, wrong
}

// goesOn is how a text ends that was cut.
const goesOn = "\n\n(Truncated: this is only the beginning of the file.)"

// shown is as much of a file as agents are shown, with nothing hidden, and what a person should know of it.
func shown(name, raw string, limit int) (text string, wrong []string) {
	text = strings.TrimSpace(clean.Reveal(strings.TrimPrefix(raw, "\ufeff")))
	wrong = hidden(name, raw)
	if len(text) > limit {
		cut := strings.ToValidUTF8(text[:limit], "")
		if i := strings.LastIndexByte(cut, '\n'); i > 0 {
			cut = cut[:i]
		}
		wrong = append(wrong, fmt.Sprintf("%s is %d bytes; agents see only the first %d", clean.Line(name), len(text), len(cut)))
		text = strings.TrimSpace(cut + goesOn)
	}
	return text, wrong
}

// Own is what a person asks of agents in every project: AGENTS.md in the folder of their settings. What is hidden in it is shown and
// told of, and so is what was cut off.
func Own(dir string) (text string, wrong []string) {
	file := filepath.Join(dir, conventionFile)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", nil // most people have none
	}
	if info.Size() > largestOnDisk {
		return "", []string{fmt.Sprintf("%s is larger than %d KiB; agents are not shown it", clean.Line(file), largestOnDisk>>10)}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", []string{clean.Line(err.Error())}
	}
	return shown(file, string(raw), maxConvention)
}

// from is the way from the folder at to a file, both relative to the same folder.
func from(at, file string) string {
	way, err := filepath.Rel(filepath.FromSlash(at), filepath.FromSlash(file))
	if err != nil { // one of them is absolute, and neither is
		return file
	}
	return filepath.ToSlash(way)
}

// mostBelow is how many conventions of folders below are named.
const mostBelow = 40

// below names the conventions of folders below at, which are read when they are needed.
func below(names []string, at string) (out []string) {
	for _, name := range names {
		way := from(at, name)
		dir := path.Dir(way)
		if !slices.Contains(instead, path.Base(way)) || name != conventionOf(names, path.Dir(name)) {
			continue
		}
		if dir != "." && filepath.IsLocal(way) && len(out) < mostBelow &&
			!slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool { return slices.Contains(foreign, part) }) {
			out = append(out, clean.Line(way))
		}
	}
	return out
}

// hidden tells of places that a person who looks at the file, as text or laid out, might not see.
// It looks at what is not shown on a page that is laid out: control characters, letters without a shape, comments of
// HTML. A limit keeps one file from filling the screen.
func hidden(file, raw string) []string {
	var out []string
	more := 0
	raw = strings.TrimPrefix(strings.ReplaceAll(raw, "\r\n", "\n"), "\ufeff")
	for i, line := range strings.Split(raw, "\n") {
		why := ""
		if shown := clean.Reveal(line); shown != line {
			why = "contains invisible characters; agents see it as " + around(shown, firstDifference(line, shown))
		} else if strings.Contains(line, commentBegin) {
			why = "contains a comment that is hidden when rendered; agents see it"
		}
		switch {
		case why == "":
		case len(out) == mostOfOneFile:
			more++
		default:
			out = append(out, fmt.Sprintf("%s:%d: %s", clean.Line(file), i+1, why))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%s: %d more lines like these", clean.Line(file), more))
	}
	return out
}

// firstDifference is where a and b part, at the beginning of a letter.
func firstDifference(a, b string) int {
	at := 0
	for i, r := range b {
		if i >= len(a) || !strings.HasPrefix(a[i:], string(r)) {
			break
		}
		at = i + len(string(r))
	}
	return at
}

// around quotes a few letters from at on.
// At most shownInSentence letters, quoted as Go does, so that what cannot be seen is an escape.
func around(text string, at int) string {
	letters := []rune(text[at:])
	if len(letters) > shownInSentence {
		return fmt.Sprintf("%q", string(letters[:shownInSentence])+"…")
	}
	return fmt.Sprintf("%q", string(letters))
}
