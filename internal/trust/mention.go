package trust

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

var (
	token = pattern.Of(`[A-Za-z0-9_@+./-]+`)
	// interpreted is a line that has an interpreter run something, which may be a file of any mode and ending.
	interpreted = pattern.Of(`(?:^|[^\w./-])(?:source|exec|env|(?:ba|da|z|k|a|fi)?sh|` +
		`python[0-9.]*|node|deno|bun|perl|ruby|php|lua)(?:$|[^\w./-])|` +
		`(?:^|[\s;&|(])\.\s`)
	// written is where a script's output goes: a log is not run, and changes at each run.
	written = pattern.Of(`>+[|&]?\s*[^\s;&|<>()]+`)
)

// mentioned takes in the files a text names that can be run: beside it, or from the project's folder. It errs on the side
// of too many: a name in a comment counts. What a program puts together while it runs is not seen.
func (r *reader) mentioned(full string, raw []byte) {
	seen, left := map[string]bool{}, mostNames
	for line := range bytes.Lines(raw) {
		anything := interpreted().Match(line)
		if anything {
			line = written().ReplaceAll(line, []byte(" "))
		}
		for _, t := range token().FindAll(line, left) {
			left--
			r.meant(full, string(t), anything, seen)
		}
	}
}

// script takes in every file that a word of a command names which is a script itself, in whatever quotes.
// Words are cut in three ways, as tokens, at what parts words in a shell, and at quotes, and looked for in the
// project's folder and in each folder that the script names. A pattern such as *.sh takes all files it fits.
func (r *reader) script(text string) {
	text = written().ReplaceAllString(text, " ")
	words := token().FindAllString(text, -1)
	parted := func(bare string) []string {
		return strings.FieldsFunc(bare, func(c rune) bool { return strings.ContainsRune(" \t\r\n;&|<>()`=", c) })
	}
	words = append(words, parted(text)...)
	words = append(words, parted(strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(text))...)
	words = append(words, strings.FieldsFunc(text, func(c rune) bool { return c == '"' || c == '\'' })...) // names with blanks
	folders := []string{r.dir}
	for _, w := range words { // cd hooks && sh guard
		if full := filepath.Join(r.dir, filepath.FromSlash(w)); filepath.IsLocal(w) && !slices.Contains(folders, full) &&
			len(folders) < mostFolders {
			if info, err := os.Stat(full); err == nil && info.IsDir() {
				folders = append(folders, full)
			}
		}
	}
	if len(words)*len(folders) > mostNames {
		r.fail("its command has too many words to check")
		return
	}
	for _, folder := range folders {
		seen := map[string]bool{}
		for _, w := range words {
			r.meant(filepath.Join(folder, "-"), w, true, seen)
			if strings.ContainsAny(w, "*?[") && filepath.IsLocal(w) {
				matches, _ := filepath.Glob(filepath.Join(globbed(folder), filepath.FromSlash(w)))
				for _, file := range matches {
					r.present(file)
				}
			}
		}
	}
}

// A script with more has its words looked for in the first of them.
const mostFolders = 50 // folders that a script may go to

// meant takes in the files that a word may mean as it is written: .claude/x.sh, ./x.sh, $DIR/x.sh.
func (r *reader) meant(full, word string, anything bool, seen map[string]bool) {
	r.named(full, strings.Trim(word, "./+-"), anything, seen)
	if dotted := strings.Trim(word, "/+-"); strings.HasPrefix(dotted, ".") {
		r.named(full, dotted, anything, seen)
	}
}

// named takes in the files a word means that can be run, or anything it means, each part of it taken for their beginning once.
// A word is a file's name from any of its slashes on: $DIR/lib/x.sh is lib/x.sh and x.sh. The ending of the file that
// names it is tried, too, as interpreters do; seen remembers words apart for files that can be run and for any file.
func (r *reader) named(full, word string, anything bool, seen map[string]bool) {
	if word == "" || seen[word] && !anything || seen[word+"\x00"] {
		return
	}
	seen[word] = true
	if anything {
		seen[word+"\x00"] = true
	}
	ext := filepath.Ext(full)
	for rest := word; rest != ""; {
		for _, base := range []string{filepath.Dir(full), r.dir} {
			for _, name := range []string{rest, rest + ext, path.Join(rest, "index"+ext), strings.ReplaceAll(rest, ".", "/") + ".py"} {
				if file := filepath.Join(base, filepath.FromSlash(name)); isFile(file) && (anything || runnable(file)) {
					r.take(file, anything)
				}
			}
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
}

// runnable says whether a file looks as if it were run: by its ending, or by its mode if its ending is none that data
// has.
func runnable(full string) bool {
	info, err := os.Stat(full)
	ext := strings.ToLower(filepath.Ext(full))
	return err == nil && (slices.Contains(scripts, ext) || info.Mode().Perm()&0o111 != 0 &&
		slices.Contains([]string{"", ".bin", ".exe", ".out"}, ext))
}
