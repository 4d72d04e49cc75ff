package builtin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// filePatch is a patch's changes to one file.
type filePatch struct {
	from, to string // empty: there is none, the file is made or deleted
	exec     bool
	moved    bool // the patch says that to is the new name
	hunks    []hunk
}

// hunk replaces lines. line is the stated beginning of the old ones; 0 if none is stated.
type hunk struct {
	line     int
	old, now string
}

// patchReader reads a unified diff line by line. It does not rely on the stated line counts of a hunk: models count
// badly.
type patchReader struct {
	lines []string
	at    int
	files []*filePatch
	one   *filePatch // the current file
}

// parsePatch reads a unified diff, as git, diff and models write it. It accepts counts that are wrong, empty lines
// that lost their blank, and text before the first file; it refuses what it cannot do (modes, copies, binary files)
// and headers with two names that do not say that the file is renamed. Errors name the line of the patch.
func parsePatch(text string) ([]*filePatch, error) {
	r := patchReader{lines: strings.Split(strings.TrimRight(text, "\r\n"), "\n")}
	for i, line := range r.lines {
		r.lines[i] = strings.TrimSuffix(line, "\r")
	}
	for r.at < len(r.lines) {
		if err := r.next(); err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", r.at+1, err)
		}
	}
	if len(r.files) == 0 {
		return nil, errors.New("it is not a unified diff: a file begins with the lines \"--- a/NAME\" and \"+++ b/NAME\", a hunk with " +
			"\"@@ -1,3 +1,4 @@\"")
	}
	for _, f := range r.files {
		if f.from == f.to && len(f.hunks) == 0 {
			return nil, fmt.Errorf("the patch has no changes for %q", f.from)
		}
		if f.from != f.to && f.from != "" && f.to != "" && !f.moved {
			return nil, fmt.Errorf("the patch calls one file %q and %q: to rename it, say so with rename from and rename to", f.from, f.to)
		}
	}
	return r.files, nil
}

// tooMuch is what makes a patch be refused as a whole, since applying only the rest would be wrong.
var tooMuch = []string{"old mode ", "new mode ", "copy from ", "copy to ", "GIT binary patch", "Binary files ", "Submodule "}

// next reads one line, or a whole hunk.
func (r *patchReader) next() (err error) {
	line := r.lines[r.at]
	for _, prefix := range tooMuch {
		if strings.HasPrefix(line, prefix) {
			return fmt.Errorf("%q is not supported: a patch changes, makes, deletes or renames text files", strings.TrimSpace(prefix))
		}
	}
	name := func(prefix string) string { return headerName(strings.TrimPrefix(line, prefix)) }
	switch {
	case strings.HasPrefix(line, "diff --git "):
		both := strings.TrimPrefix(line, "diff --git ")
		from, to := headerName(both[:len(both)/2]), headerName(both[(len(both)+1)/2:])
		r.begin(strings.TrimPrefix(from, "a/"), strings.TrimPrefix(to, "b/"))
	case r.header():
		r.names(name("--- "), headerName(strings.TrimPrefix(r.lines[r.at+1], "+++ ")))
		r.at++
	case r.one == nil: // a message before the first file
	case strings.HasPrefix(line, "@@"):
		return r.hunk()
	case strings.HasPrefix(line, "rename from "):
		r.one.from = name("rename from ")
	case strings.HasPrefix(line, "rename to "):
		r.one.to, r.one.moved = name("rename to "), true
	case strings.HasPrefix(line, "new file mode "):
		r.one.from = ""
		r.one.exec, err = fileMode(name("new file mode "))
	case strings.HasPrefix(line, "deleted file mode "):
		r.one.to = ""
	case line == "" || line == "-- " || len(r.one.hunks) == 0 || strings.HasPrefix(line, "index "):
		if line == "-- " { // the signature of git format-patch
			r.at = len(r.lines)
		}
	default:
		return fmt.Errorf("%q is outside any hunk", short(line))
	}
	r.at++
	return err
}

// fileMode reports whether a file that a patch makes is executable.
func fileMode(mode string) (exec bool, err error) {
	if mode != "100644" && mode != "100755" {
		return false, fmt.Errorf("a file of mode %q cannot be made: only ordinary files can", mode)
	}
	return mode == "100755", nil
}

// begin begins the part about a file.
func (r *patchReader) begin(from, to string) {
	r.one = &filePatch{from: from, to: to}
	r.files = append(r.files, r.one)
}

// header reports whether the lines that name a file begin here. A removed line that begins with two dashes looks like
// one of them, but never like all three.
func (r *patchReader) header() bool {
	return r.at+2 < len(r.lines) && strings.HasPrefix(r.lines[r.at], "--- ") && strings.HasPrefix(r.lines[r.at+1], "+++ ") &&
		strings.HasPrefix(r.lines[r.at+2], "@@")
}

// names reads the names of a header; the lines before it may have said more.
func (r *patchReader) names(from, to string) {
	if (from == "/dev/null" || strings.HasPrefix(from, "a/")) && (to == "/dev/null" || strings.HasPrefix(to, "b/")) {
		from, to = strings.TrimPrefix(from, "a/"), strings.TrimPrefix(to, "b/")
	}
	if r.one == nil || len(r.one.hunks) > 0 || !strings.HasPrefix(r.lines[max(r.at-1, 0)], "index ") && !r.one.goesBy(from, to) {
		r.begin("", "")
	}
	r.one.from, r.one.to = strings.TrimPrefix(from, "/dev/null"), strings.TrimPrefix(to, "/dev/null")
}

// goesBy reports whether a header is about the current file.
func (f *filePatch) goesBy(from, to string) bool {
	return (from == f.from || from == "/dev/null") && (to == f.to || to == "/dev/null")
}

// headerName returns a name as a patch writes it: in quotes with escapes, or followed by a time.
func headerName(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\t")
	if plain, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return plain
	}
	return s
}

// hunkLine matches the head of a hunk. Only its first line number counts, as a hint: models miscount the rest.
var hunkLine = pattern.Of(`^@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@`)

// hunk reads the lines of a hunk, and joins those of its old and its new side.
func (r *patchReader) hunk() error {
	var h hunk
	if m := hunkLine().FindStringSubmatch(r.lines[r.at]); m != nil {
		h.line, _ = strconv.Atoi(m[1])
	}
	var old, now strings.Builder
	last := byte(0)
	r.at++
	for ; r.at < len(r.lines) && !r.over(); r.at++ {
		line := r.lines[r.at]
		sign, rest := byte(' '), ""
		if line != "" { // an empty line is a context line that lost its blank
			sign, rest = line[0], line[1:]
		}
		switch sign {
		case ' ':
			old.WriteString(rest + "\n")
			now.WriteString(rest + "\n")
		case '-':
			old.WriteString(rest + "\n")
		case '+':
			now.WriteString(rest + "\n")
		case '\\':
			h.cut(&old, &now, last)
		default:
			return fmt.Errorf("%q is not a hunk line: it must start with a space, + or -", short(line))
		}
		last = sign
	}
	h.old, h.now = h.old+old.String(), h.now+now.String()
	if h.old == h.now {
		r.at--
		return errors.New("the hunk that ends here changes nothing")
	}
	r.one.hunks = append(r.one.hunks, h)
	return nil
}

// cut: the line before, of the given sign, has no newline. It is the last of its side, so what follows is of the other.
func (h *hunk) cut(old, now *strings.Builder, sign byte) {
	if sign != '+' {
		h.old += strings.TrimSuffix(old.String(), "\n")
		old.Reset()
	}
	if sign != '-' {
		h.now += strings.TrimSuffix(now.String(), "\n")
		now.Reset()
	}
}

// over reports whether a hunk ends before this line. Empty lines at its end are not part of it.
func (r *patchReader) over() bool {
	line := r.lines[r.at]
	if line == "" {
		for _, later := range r.lines[r.at:] {
			if later != "" {
				line = later
				break
			}
		}
		return line == "" || strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "@@")
	}
	return strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "diff --git ") || r.header() || line == "-- " && r.signed()
}

// signed reports whether the version number that ends git format-patch output follows.
func (r *patchReader) signed() bool {
	rest := strings.TrimSpace(strings.Join(r.lines[r.at+1:], ""))
	return rest != "" && strings.Trim(rest, "0123456789.") == ""
}
