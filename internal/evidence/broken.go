package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/debate/fact"
)

// Limits of the search for a claim's fact: number of files, and bytes per file.
const (
	mostFiles = 2000
	mostBytes = 64 << 10
)

// breakFact replaces the first fact of a claim that occurs in a copy's files, in all files except tests and scripts, and says what it
// replaced; empty: no file has one. Files are replaced, not overwritten, since a copy may share them with the original.
func breakFact(dir, claim string) (string, error) {
	facts := fact.Of(claim)
	if len(facts) == 0 {
		return "", nil
	}
	texts, err := texts(dir)
	if err != nil {
		return "", err
	}
	for _, f := range facts {
		broken := 0
		for name, text := range texts {
			other := fact.Swap(text, f[0], f[1])
			if other == text {
				continue
			}
			if err := replace(filepath.Join(dir, name), other); err != nil {
				return "", err
			}
			broken++
		}
		if broken > 0 {
			return fmt.Sprintf("%s for %s", f[1], f[0]), nil
		}
	}
	return "", nil
}

var errEnough = errors.New("enough files")

// texts returns the small text files of a folder, by name, up to a limit. It skips links and hidden folders.
func texts(dir string) (map[string]string, error) {
	out := map[string]string{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || checks(name):
			return nil
		case len(out) >= mostFiles:
			return errEnough
		}
		info, err := d.Info()
		if err != nil || info.Size() > mostBytes {
			return err
		}
		text, err := root.ReadFile(name)
		if err == nil && utf8.Valid(text) && !strings.Contains(string(text), "\x00") {
			out[name] = string(text)
		}
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// checks reports whether a file is a test or a script: it has to notice that the fact is broken, so the fact stays intact there.
func checks(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	for _, part := range strings.Split(dir, "/") {
		if part == "test" || part == "tests" || part == "testdata" || part == "spec" {
			return true
		}
	}
	stem, ending, _ := strings.Cut(base, ".")
	return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "test") || base == "makefile" ||
		strings.HasPrefix(ending, "test.") || strings.HasPrefix(ending, "spec.") || ending == "sh" || ending == "bats"
}

// replace replaces a file by a new one with the same mode.
func replace(file, text string) error {
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	next := file + ".broken"
	if err := os.WriteFile(next, []byte(text), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(next, file)
}
