// Package idea proposes questions about a repository: by rule, from its content, without a model.
//
// A first page shows them to people who do not know what to type. For reads names and a bounded number of source files,
// counts rivals (two ways to do one thing, both in use) and notes about things to do, and adds the last commit. It
// takes milliseconds and sends nothing.
//
// It never fails: what cannot be read yields no proposal, and the last resort is to explain the folder. Texts are safe
// to show. The same files give the same ideas.
package idea

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Idea is a question or a task, and its origin. Debate and Rivals say which front page it suits: a question goes to a
// panel, a task to an agent.
type Idea struct {
	Text   string // as a person would type it
	Why    string // its source, a place or figures, in a few words
	Debate bool   // it is a question for a panel
	Rivals bool   // both its answers already occur in the files
}

// Bounds of what is read: a first page must not wait for a large repository.
const (
	mostFiles = 500     // to read
	mostBytes = 4 << 20 // in total
	fileBytes = 64 << 10
	widest    = 90 // letters of a question from a note
)

// For returns at most three ideas about the repository at dir, the best first: a choice that its files or notes leave open, a note about
// something to do, its last commit. A folder that is no repository has only the last resort.
func For(ctx context.Context, dir string) []Idea {
	f, err := folder.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	whole := Idea{Text: "Explain this folder", Why: "read-only"}
	repo, err := f.Repo()
	if err != nil {
		return []Idea{whole}
	}
	whole.Text = "Explain this repository"
	names, err := f.Files(ctx, ".")
	if err != nil {
		return []Idea{whole}
	}
	s := survey{rivals: rivalsOf(names)}
	s.read(ctx, f, names)
	out := s.ideas()
	if head, err := repo.Head(ctx); err == nil && head.Hash != "" {
		if last, err := repo.Log(ctx, head.Hash, "", 1); err == nil && len(last) == 1 {
			out = append(out, Idea{Text: "Review the last commit", Why: shorten(last[0].Subject, widest/2)})
		}
	}
	out = append(out, whole)
	return out[:min(len(out), 3)]
}

// survey is what was found in the files.
type survey struct {
	rivals []rival
	asks   []note // notes that end in a question
	todo   []note
}

// note is a comment about something to do.
type note struct{ text, at string }

// code are the extensions of files to read.
var code = map[string]bool{".go": true, ".py": true, ".js": true, ".jsx": true, ".ts": true, ".tsx": true, ".mjs": true, ".rs": true,
	".java": true, ".kt": true, ".rb": true, ".php": true, ".cs": true, ".c": true, ".h": true, ".cc": true, ".cpp": true, ".swift": true,
	".scala": true, ".ex": true, ".exs": true, ".sh": true, ".sql": true, ".vue": true, ".svelte": true, ".zig": true, ".lua": true}

// aside reports whether a file is in a folder of others' code, samples or generated files.
func aside(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch part {
		case "testdata", "fixtures", "vendor", "node_modules", "third_party", "dist", "examples", "generated":
			return true
		}
	}
	return false
}

// read reads files in the order of their names until a bound is reached. A file that cannot be read, or is too large, is skipped.
func (s *survey) read(ctx context.Context, f *folder.Folder, names []string) {
	r := f.Reader()
	defer r.Close()
	files, bytes := 0, 0
	for _, name := range names {
		if ctx.Err() != nil || files == mostFiles || bytes > mostBytes {
			return
		}
		if !code[path.Ext(name)] || aside(name) {
			continue
		}
		body, err := r.Read(name, fileBytes)
		if err != nil {
			continue
		}
		files, bytes = files+1, bytes+len(body)
		s.look(name, string(body))
	}
}

// look searches one file.
func (s *survey) look(name, text string) {
	for i := range s.rivals {
		s.rivals[i].count(path.Ext(name), text)
	}
	for _, mark := range []string{"TODO", "FIXME"} {
		if !strings.Contains(text, mark) {
			continue
		}
		number := 0
		for row := range strings.Lines(text) {
			number++
			said, open := left(row, mark)
			if said == "" {
				continue
			}
			n := note{said, fmt.Sprintf("%s:%d", clean.Line(name), number)}
			if open {
				s.asks = append(s.asks, n)
			} else {
				s.todo = append(s.todo, n)
			}
		}
	}
}

// comments are the beginnings of comments.
var comments = []string{"//", "#", "/*", "* ", "--", "<!--"}

// left returns what a line of a file leaves to do, and whether it is a question. A note counts only in a comment, and
// not in a quoted text; it needs at least two words and ten letters to mean something to others.
func left(row, mark string) (said string, asks bool) {
	before, after, found := strings.Cut(row, mark)
	if !found || after == "" || !strings.ContainsAny(after[:1], ":( ") {
		return "", false
	}
	comment := false
	for _, c := range comments {
		comment = comment || strings.Contains(before, c)
	}
	if strings.HasPrefix(after, "(") {
		_, after, found = strings.Cut(after, ")")
	}
	if !comment || !found || strings.ContainsAny(before, "\"'`") { // in quotes it is a text
		return "", false
	}
	said = strings.Trim(clean.Line(strings.TrimSpace(after)), ":*-/> ")
	if question, _, ok := strings.Cut(said, "?"); ok {
		said, asks = question+"?", true
	}
	if n := len([]rune(said)); n < 10 || n > widest || !strings.Contains(said, " ") {
		return "", false
	}
	r, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(r)) + said[size:], asks
}

// ideas returns the ideas from the files: first an open choice, then a thing to do.
func (s *survey) ideas() (out []Idea) {
	var best *rival
	for i := range s.rivals {
		if r := &s.rivals[i]; r.first.files > 0 && r.second.files > 0 && (best == nil || r.both() > best.both()) {
			best = r
		}
	}
	if best != nil {
		out = append(out, Idea{Text: best.question(), Why: best.why(), Debate: true, Rivals: true})
	}
	if len(s.asks) > 0 {
		out = append(out, Idea{Text: s.asks[0].text, Why: s.asks[0].at + " asks", Debate: true})
	}
	if len(s.todo) > 0 {
		n := s.todo[0]
		out = append(out, Idea{Text: "Resolve the note at " + n.at + ": " + n.text, Why: "a note in the code"})
	}
	return out[:min(len(out), 2)]
}

// shorten cuts a line to at most so many letters.
func shorten(s string, most int) string {
	s = cmp.Or(clean.Line(s), "no subject")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
