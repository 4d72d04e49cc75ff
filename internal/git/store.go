package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Store is a git dir of our own for the files of somebody's folder. The repository of the folder, if there is one, is
// only asked what it ignores and tracks. Paths are relative to the folder. No attribute or setting changes a byte on
// its way in or out. It is a value: At, Indexed and With return another view of the same git dir. Several processes
// must not write to one store at once; the caller holds a lock.
type Store struct {
	repo     Repo
	theirs   *Repo // the repository of the folder; nil: none
	settings [][2]string
}

// storeSettings override what git init detected at the place of the git dir, which may be on another disk than the folder.
var storeSettings = [][2]string{
	{"core.autocrlf", "false"}, {"core.safecrlf", "false"}, {"core.fileMode", posix}, {"core.symlinks", posix},
	{"core.protectNTFS", strconv.FormatBool(runtime.GOOS == "windows")}, {"core.protectHFS", strconv.FormatBool(runtime.GOOS == "darwin")},
	{"core.splitIndex", "false"}, {"core.sparseCheckout", "false"}, {"index.sparse", "false"}, {"index.version", "2"},
	{"core.fsync", "committed"}, {"core.fsyncMethod", "batch"}, {"core.looseCompression", "1"}, {"pack.compression", "1"},
	{"init.defaultRefFormat", "files"}, {"pack.writeBitmaps", "false"}, {"pack.allowPackReuse", "false"},
}

var posix = strconv.FormatBool(runtime.GOOS != "windows")

// attributes cancels everything a .gitattributes says about contents: info/attributes takes precedence.
const attributes = "* -text -eol -crlf -ident -filter -working-tree-encoding !diff\n"

// OpenStore opens the store at gitDir for the files of dir, and creates it if there is none. One process at a time may
// use it. What the surrounding repository ignores is left out of the store, too, which keeps builds and dependencies
// out of snapshots.
func OpenStore(ctx context.Context, dir, gitDir string) (Store, error) {
	dir, err := real(dir)
	if err != nil {
		return Store{}, err
	}
	s := Store{repo: Repo{dir: dir, top: dir, own: gitDir}, settings: storeSettings}
	theirs, err := Open(dir)
	if err == nil {
		err = s.within(ctx, theirs)
	}
	if err != nil && !errors.Is(err, ErrNone) {
		return Store{}, err
	}
	if s.repo.program, err = find(s.repo.top); err != nil {
		return Store{}, err
	}
	if err = s.make(ctx); err == nil && s.theirs == nil { // otherwise Open has checked git
		err = s.repo.sound()
	}
	return s, err
}

// within applies the rules of theirs, unless they ignore the folder: then it is not part of their project.
func (s *Store) within(ctx context.Context, theirs Repo) error {
	if theirs.prefix != "" {
		whole := Repo{program: theirs.program, dir: theirs.top, top: theirs.top}
		in := strings.NewReader(strings.TrimSuffix(theirs.prefix, "/"))
		out, _, err := whole.feed(ctx, in, 64<<10, whole.environment(nil), "check-ignore", "-z", "--stdin")
		if err != nil && !quiet(err) || len(out) > 0 {
			return err
		}
	}
	exclude, err := ownExcludes(ctx, theirs)
	if err != nil {
		return err
	}
	s.theirs, s.repo.top, s.repo.prefix = &theirs, theirs.top, theirs.prefix
	s.settings = append(s.settings[:len(s.settings):len(s.settings)], [2]string{"core.excludesFile", exclude})
	return nil
}

// make creates the git dir. The attributes are written last: if they exist, it is complete.
func (s Store) make(ctx context.Context) error {
	last := filepath.Join(s.repo.own, "info", "attributes")
	if body, err := os.ReadFile(last); err == nil && string(body) == attributes {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(last), 0o700); err != nil {
		return err
	}
	if _, err := s.Run(ctx, nil, "init", "--quiet", "--template=", "--object-format=sha1"); err != nil {
		return err
	}
	return os.WriteFile(last, []byte(attributes), 0o600)
}

// Dir is the folder, absolute and without links.
func (s Store) Dir() string { return s.repo.dir }

// Prefix is the folder's path in the work tree, with a closing slash: entries of the index begin with it.
func (s Store) Prefix() string { return s.repo.prefix }

// Indexed is s with another index file than the git dir's.
func (s Store) Indexed(file string) Store {
	s.repo.index = file
	return s
}

// With is s with one more setting.
func (s Store) With(key, value string) Store {
	s.settings = append(s.settings[:len(s.settings):len(s.settings)], [2]string{key, value})
	return s
}

// WithOthers is s for transfers to or from another machine: the duration of a call is bounded only by its context, since the network may
// be slow, and git allocates no large amounts of memory because of what it was sent.
func (s Store) WithOthers() Store {
	s.repo.others = true
	return s
}

// Run runs git with in as its input (nil: none) and returns its output. args are complete: only settings are added. The
// output is bounded by listSize; more is an error.
func (s Store) Run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	out, cut, err := s.repo.feed(ctx, in, listSize, s.repo.environment(s.settings), args...)
	if cut {
		err = fmt.Errorf("git %s: %w", args[0], orCut(nil))
	}
	return out, err
}

// Stream is Run for long output: out reads it.
func (s Store) Stream(ctx context.Context, in io.Reader, out func(io.Reader) error, args ...string) error {
	return s.repo.start(ctx, call{s.repo.environment(s.settings), in, out}, args...)
}

// List runs git with names as its input, separated by NULs, and splits its output at NUL. If git says no, such as
// check-ignore when no name is ignored, the list is empty.
func (s Store) List(ctx context.Context, names []string, args ...string) ([]string, error) {
	var in bytes.Buffer
	for _, name := range names {
		in.WriteString(name)
		in.WriteByte(0)
	}
	out, err := s.Run(ctx, &in, args...)
	if quiet(err) {
		err = nil
	}
	return fields(out), err
}

// Head is the commit that the folder's repository is at; empty: there is none, or it cannot be determined.
func (s Store) Head(ctx context.Context) Head {
	if s.theirs == nil {
		return Head{}
	}
	h, _ := s.theirs.Head(ctx)
	return h
}

// Forced names the files of the folder that its own repository tracks although its rules ignore them. A snapshot must
// include them, although the rules alone would leave them out.
func (s Store) Forced(ctx context.Context) ([]string, error) {
	if s.theirs == nil {
		return nil, nil
	}
	return s.theirs.list(ctx, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
}
