// Package project collects the facts of a folder for the context block of a debate: what exists, never what to think of it.
//
// Describe makes a Block of Markdown: facts (build files, conventions, layout, position in git), then the files that
// were named, with line numbers. Every seat of a debate is shown the same bytes, so the block has a hash and depends
// only on the folder and the arguments: no clock, no names of people, no map order.
//
// The facts judge nothing. Prose is quoted by its first lines, settings are named, counts are counts. What leads seats
// to an answer may be in another text, which a person writes as context; Lint finds it there, word by word, and also
// what looks like a secret. It warns, and the caller decides.
//
// Package folder decides what may be read at all: nothing outside the project, no secrets, no devices. Everything shown
// goes through clean, so a file name with control characters does no harm, and content is between fences that it cannot
// close.
//
// History is a section about earlier decisions for the same block; package idea proposes questions. All functions are
// safe for concurrent use, read the disk again at each call, and stop when ctx ends while they walk or run git.
package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Limits bound a block. A zero field means its default. Sizes count the text with its line numbers. Negative values are not checked for.
type Limits struct {
	FileBytes  int // most bytes shown of one named file; 0: 48 KB
	TotalBytes int // most bytes of all named files together; 0: 192 KB
	Files      int // most named files; 0: 60
}

// withDefaults replaces zero fields by the defaults.
func (l Limits) withDefaults() Limits {
	if l.FileBytes == 0 {
		l.FileBytes = 48 << 10
	}
	if l.TotalBytes == 0 {
		l.TotalBytes = 192 << 10
	}
	if l.Files == 0 {
		l.Files = 60
	}
	return l
}

// Block is what every seat is shown of a project, byte for byte the same.
type Block struct {
	Text   string    // Markdown
	SHA256 string    // of Text, in hexadecimal
	Files  []FileRef // the named files, in the order they appear
}

// FileRef is one named file in a Block.
type FileRef struct {
	Path      string // relative to the project, with slashes
	Name      string // Path, with the lines that were requested
	From, To  int    // the lines shown, from 1; 0, 0: none
	SHA256    string // of the whole file
	Truncated bool   // fewer lines are shown than were requested
}

// Describe reads the project at dir: its name, stack, conventions, layout, position in git, and the named files. Each
// of files is a path, a path with lines (path:from-to or path:line) or a glob pattern. The block depends only on the
// content of dir and the arguments. A named file that cannot be shown ends Describe with a *folder.Error: bad usage.
// The folder is opened once, so files cannot be swapped for links to the outside in between.
func Describe(ctx context.Context, dir string, files []string, limits Limits) (Block, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return Block{}, err
	}
	defer f.Close()
	names, facts, err := Facts(ctx, f)
	if err != nil {
		return Block{}, err
	}
	wanted, err := choose(f, names, files, limits.withDefaults())
	if err != nil {
		return Block{}, err
	}
	var text strings.Builder
	text.WriteString(facts)
	refs, err := show(&text, f, wanted, limits.withDefaults())
	if err != nil {
		return Block{}, err
	}
	sum := sha256.Sum256([]byte(text.String()))
	return Block{text.String(), hex.EncodeToString(sum[:]), refs}, nil
}

// byDepth sorts names by their depth; those deeper than the second level are omitted.
func byDepth(names []string) (levels [3][]string) {
	for _, name := range names {
		if depth := strings.Count(name, "/"); depth < len(levels) {
			levels[depth] = append(levels[depth], name)
		}
	}
	return levels
}

// Facts lists the files of an open project and describes it without the text of any: Markdown, a title and at most
// fifteen lines. git runs while the files are listed, since both wait. On an error of git the names and the facts
// without git are returned with it.
func Facts(ctx context.Context, f *folder.Folder) (names []string, facts string, err error) {
	var past []string
	var failed error
	var asking sync.WaitGroup
	asking.Go(func() { past, failed = history(ctx, f) })
	defer asking.Wait()
	if names, err = f.Files(ctx, "."); err != nil {
		return nil, "", fmt.Errorf("listing the project: %w", err)
	}
	levels := byDepth(names)
	lines := slices.Concat(stack(f, append(levels[0], levels[1]...)), conventions(f, levels), layout(names))
	asking.Wait()
	return names, fmt.Sprintf("# Project: %s\n\n%s\n", clean.Line(filepath.Base(f.Dir())),
		strings.Join(append(lines, past...), "\n")), failed
}

// history describes the project's position in git, without the names of people. A missing repository, or one without a
// commit, is a fact and no error. Hashes have twelve digits, subjects are cut.
func history(ctx context.Context, f *folder.Folder) ([]string, error) {
	repo, err := f.Repo()
	for _, known := range []error{git.ErrNone, git.ErrNoGit, git.ErrOld} {
		if errors.Is(err, known) {
			return []string{"- " + known.Error()}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the git status: %w", err)
	}
	branch := "detached"
	if head.Branch != "" {
		branch = "branch " + clean.Line(head.Branch)
	}
	if head.Hash == "" {
		return []string{"- git: " + branch + ", no commit yet"}, nil
	}
	lines := []string{"- git: " + branch + ", last commits:"}
	commits, err := repo.Log(ctx, head.Hash, "", 3)
	if err != nil {
		return nil, fmt.Errorf("asking git for the last commits: %w", err)
	}
	for _, c := range commits {
		lines = append(lines, fmt.Sprintf("  - %.12s %s", c.Hash, shorten(c.Subject, 100)))
	}
	return lines, nil
}

// shorten makes one line of at most width letters. White space becomes single blanks.
func shorten(s string, width int) string {
	s = strings.Join(strings.Fields(clean.Line(s)), " ")
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}
