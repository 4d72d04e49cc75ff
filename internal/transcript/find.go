package transcript

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Found is a transcript on this machine.
type Found struct {
	Program string    `json:"program"`
	Session string    `json:"session"`
	Dir     string    `json:"dir"` // where it was held
	Title   string    `json:"title"`
	File    string    `json:"file"`
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
}

// Find looks for the transcripts of conversations that were held in dir or below it, the newest first; an empty dir is
// any. Only the beginning of each is read.
//
// Two programs may have the same conversation; each is listed. A file that cannot be read is left out.
func Find(env func(string) string, home, dir string) []Found {
	var all []Found
	if dir != "" {
		dir = realPath(dir)
	}
	for _, p := range programs {
		base := p.home(env, home)
		for _, glob := range p.globs {
			files, _ := filepath.Glob(filepath.Join(literal(base), filepath.FromSlash(glob))) // the pattern is ours
			for _, file := range files {
				if f, ok := p.peek(file, dir); ok && (dir == "" || within(realPath(f.Dir), dir)) {
					all = append(all, f)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Found) int { return b.Changed.Compare(a.Changed) })
	return all
}

// literal is a path in which no sign stands for others.
func literal(path string) string {
	if filepath.Separator == '\\' { // nothing escapes a sign there
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// peek reads the head of a transcript: where it was held, and what it began with.
func (p program) peek(path, dir string) (Found, bool) {
	f, err := open(path)
	if err != nil {
		return Found{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Found{}, false
	}
	b := newBuilder()
	b.program = &p
	b.read(io.LimitReader(f, headSize), func() bool { return b.first != "" && (b.dir != "" || p.dirOf != nil) }) // what can be read, is
	if p.dirOf != nil {
		b.dir = p.dirOf(path, dir)
	}
	title := cmp.Or(b.title, b.first)
	title = clean.Line(strings.ToValidUTF8(title[:min(len(title), 300)], ""))
	return Found{p.name, clean.Line(b.session), clean.Line(b.dir), title, path, info.Size(), info.ModTime().UTC()}, title != ""
}

// realPath is a path without links, as far as it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// within says whether a folder is dir or lies below it.
func within(folder, dir string) bool {
	rel, err := filepath.Rel(dir, folder)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// Files are the files below a folder that may be transcripts, in order; of a file, it alone.
// What is below the folder and cannot be read is left out; links are not followed.
func Files(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	err = filepath.WalkDir(path, func(at string, d os.DirEntry, err error) error {
		switch {
		case err != nil && at == path:
			return err
		case err == nil && d.Type().IsRegular() && slices.Contains([]string{".json", ".jsonl"}, filepath.Ext(at)):
			files = append(files, at)
		}
		return nil
	})
	return files, err
}
