package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of one item. Beyond the first two it has a problem; beyond the third files are named by their hash; beyond the
// last words of a file are not looked at.
const (
	mostFiles = 300
	mostBytes = 16 << 20 // of all files of an item
	mostShown = 256 << 10
	mostNames = 20_000 // words of one file that are looked at
)

// reader gathers the files an item would run, as far as they lie in the project or are named through it.
// The first problem ends the search: what is incomplete can be neither approved nor run.
type reader struct {
	dir     string
	files   []File
	bytesIn int64
	shown   int
	problem string
}

// fail notes a problem. The first one counts: later ones may follow from it.
func (r *reader) fail(format string, args ...any) {
	if r.problem == "" {
		r.problem = fmt.Sprintf(format, args...)
	}
}

// inside returns the path of a file relative to the project, with slashes.
// False: it lies outside. Programs of the system are not the project's to change, so they are not hashed.
func (r *reader) inside(full string) (string, bool) {
	rel, err := filepath.Rel(r.dir, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// bytes reads a regular file of at most so many bytes. It never waits for a pipe.
func (r *reader) bytes(full string, most int64) ([]byte, error) {
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Base(full), cause(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not an ordinary file", filepath.Base(full))
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Base(full), cause(err))
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = fmt.Errorf("%s is larger than %d KiB", filepath.Base(full), most>>10)
	}
	return raw, err
}

// cause is what the system said, without the path: it would name the machine's folders in a text that may be shared.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// add takes in a file and, if it can be run, the files of the project it names that can be run, and so on.
func (r *reader) add(full string) { r.take(full, false) }

// take is add of a file that is run whatever it looks like, if a command names it: sh takes a script of any mode and ending.
// A file is taken once, so names in a circle end. Its mode is hashed, because a file that becomes a program is another
// one; what sets the user is refused.
func (r *reader) take(full string, run bool) {
	name, ok := r.inside(full)
	if !ok || slices.ContainsFunc(r.files, func(f File) bool { return f.Path == name }) || r.problem != "" {
		return
	}
	f := File{Path: name}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		r.fail("%s cannot be read: %v", name, cause(err))
		return
	}
	if real != full {
		f.Link = real
		if to, ok := r.inside(real); ok {
			f.Link = to
		}
	}
	raw, err := r.bytes(real, mostBytes-r.bytesIn)
	if err != nil {
		r.fail("%v", err)
		return
	}
	if len(r.files) >= mostFiles {
		r.fail("it would run more than %d files of the project, too many to check", mostFiles)
		return
	}
	if info, err := os.Stat(real); err == nil {
		f.Mode = fmt.Sprintf("%03o", info.Mode().Perm())
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			r.fail("%s would run as another user", name)
		}
	}
	sum := sha256.Sum256(raw)
	f.SHA256, f.size = hex.EncodeToString(sum[:]), int64(len(raw))
	if utf8.Valid(raw) && !slices.Contains(raw, 0) && r.shown+len(raw) <= mostShown {
		f.text = string(raw)
		r.shown += len(raw)
	}
	r.bytesIn += int64(len(raw))
	r.files = append(r.files, f)
	if f.runs() || run && f.text != "" {
		r.mentioned(full, raw)
	}
}

// folder takes in every file below a folder.
// A link to a folder is a problem: what it leads to could change without a trace here.
func (r *reader) folder(full string) {
	err := filepath.WalkDir(full, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		}
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a link to a folder", d.Name())
		}
		r.add(p)
		return nil
	})
	if err != nil {
		r.fail("%v", cause(err))
	}
}

// scripts are the endings of what an interpreter runs.
var scripts = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".pm", ".php", ".lua",
	".awk", ".ps1", ".psm1", ".bat", ".cmd", ".mk", ".tcl", ".r", ".go"}

// runs says whether a file is one that is run: by its mode, its ending or its first line.
// It is asked of the mode as three octal digits: an odd one lets somebody run the file.
func (f File) runs() bool {
	return strings.ContainsAny(f.Mode, "1357") || slices.Contains(scripts, strings.ToLower(path.Ext(f.Path))) ||
		strings.HasPrefix(f.text, "#!") ||
		slices.Contains([]string{"Makefile", "makefile", "GNUmakefile", "package.json", "justfile"}, path.Base(f.Path))
}

// plans are files that tell a program what to run, by its name.
var plans = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"},
	"just": {"justfile", "Justfile", ".justfile"},
	"npm":  {"package.json", ".npmrc"}, "npx": {"package.json", ".npmrc"}, "pnpm": {"package.json", ".npmrc"},
	"yarn": {"package.json", ".yarnrc", ".yarnrc.yml"},
	"bun":  {"package.json", "bunfig.toml"}, "bunx": {"package.json", "bunfig.toml"}, "task": {"Taskfile.yml", "Taskfile.yaml"},
	"docker": {"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "Dockerfile"},
}

// mains are files that are run when a folder is.
var mains = []string{"__main__.py", "__init__.py", "index.js", "index.mjs", "index.ts", "package.json", "Makefile"}

// command takes in what the words of a command name: files of the project, and what is run of a folder.
// A program without a slash is looked for in PATH and counts only if that leads into the project. Words are taken as
// paths, as NAME=PATH, as modules of Python, and, if they are no file, as scripts that name files.
func (r *reader) command(argv []string) {
	if len(argv) == 0 || argv[0] == "" {
		return
	}
	if program, err := exec.LookPath(argv[0]); err == nil && !strings.ContainsAny(argv[0], `/\`) {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			r.add(real) // nothing, unless PATH leads into the project
		}
	}
	for _, plan := range plans[path.Base(filepath.ToSlash(argv[0]))] {
		r.present(filepath.Join(r.dir, plan))
	}
	for _, word := range argv {
		if !isFile(filepath.Join(r.dir, filepath.FromSlash(word))) { // sh -c "sh hooks/guard", and whatever else takes a script as a word
			r.script(word)
		}
		for _, w := range []string{word, word[strings.LastIndexByte(word, '=')+1:], strings.ReplaceAll(word, ".", "/") + ".py"} {
			full := w
			if !filepath.IsAbs(w) {
				full = filepath.Join(r.dir, filepath.FromSlash(w))
			} else if real, err := filepath.EvalSymlinks(filepath.Dir(w)); err == nil {
				full = filepath.Join(real, filepath.Base(w))
			}
			r.present(full)
		}
	}
}

// present takes in a file if it is there, or what is run of a folder below the project's.
// A link to nothing is taken, too: somebody could make what it leads to. Of a folder the files count that interpreters
// look for, and all Go sources, since go run takes a folder.
func (r *reader) present(full string) {
	info, err := os.Stat(full)
	switch {
	case err != nil:
		if info, err := os.Lstat(full); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			r.add(full) // which says that it leads nowhere
		}
	case !info.IsDir():
		r.take(full, true)
	case full != r.dir:
		for _, name := range mains {
			if file := filepath.Join(full, name); isFile(file) {
				r.add(file)
			}
		}
		sources, _ := filepath.Glob(filepath.Join(globbed(full), "*.go"))
		for _, file := range sources {
			r.add(file)
		}
	}
}

// globbed is a folder as a pattern that fits nothing else.
func globbed(dir string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// isFile says whether an ordinary file is there, also through a link.
func isFile(full string) bool {
	info, err := os.Stat(full)
	return err == nil && info.Mode().IsRegular()
}
