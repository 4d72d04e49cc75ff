package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Tips are the commits that a repository's refs, reflogs and HEAD named at one time. Whatever is created or fetched later, everything
// reachable from them existed then. The first is the one that was checked out, if there was one.
type Tips []string

// Tips returns the current tips.
func (r Repo) Tips(ctx context.Context) (Tips, error) {
	head, _ := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") // there may be no commit yet
	out, cut, err := r.run(ctx, listSize, nil, "rev-list", "--no-walk", "--all", "--reflog")
	if cut {
		err = fmt.Errorf("more than %d MB of refs", listSize>>20)
	}
	return append(strings.Fields(head), strings.Fields(string(out))...), err
}

// Arrival says when content reached git. Its zero value: git does not have that content there.
type Arrival int

// The times at which git got content.
const (
	Nowhere   Arrival = iota
	Meanwhile         // the commit that is checked out or an unfinished merge has it in that place
	Before            // so does a commit from before the tips
)

// Brought says, for files of the work tree by their paths from the folder, when git got their current content, ignoring
// line endings. For a missing file it says when git recorded its removal; Nowhere if git never had it. It checks the
// current commits first and then searches the history for at most longestSearch in total; what is not found by then
// counts as new, which is the safe side, because new content needs approval.
func (r Repo) Brought(ctx context.Context, names []string, tips Tips) (map[string]Arrival, error) {
	out := map[string]Arrival{}
	if len(names) == 0 {
		return out, nil
	}
	b := bringing{Repo: r, tips: tips, until: time.Now().Add(longestSearch)}
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, mostNamed) {
		if err := b.some(ctx, some, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

const (
	mostNamed     = 400             // names per git command
	longestSearch = 5 * time.Second // of a search in the history for what the current commits lack
	largestBlob   = 64 << 20        // that is compared
)

// bringing finds out when files arrived. Each call makes its own.
type bringing struct {
	Repo
	tips       Tips
	sources    []source // the checked-out commit first; then those it was made from
	unfinished bool     // a merge or similar has not ended, and the index is part of it
	until      time.Time
}

// source is a commit from which the work tree may have been made.
type source struct {
	commit string
	old    bool
}

// look finds the checked-out commit, its parents, those of an unfinished merge, and what was checked out before.
func (b *bringing) look(ctx context.Context) error {
	line, _ := b.line(ctx, "rev-list", "--parents", "--max-count=1", "HEAD") // there may be no commit yet
	commits := strings.Fields(line)
	for _, under := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "HEAD@{1}"} {
		commit, err := b.line(ctx, "rev-parse", "--verify", "--quiet", under+"^{commit}")
		if err != nil || commit == "" {
			continue
		}
		commits = append(commits, commit)
		b.unfinished = b.unfinished || !strings.Contains(under, "@")
	}
	if len(commits) > 0 {
		out, _, err := b.feed(ctx, b.since(commits[0]), 1<<20, b.environment(nil), "rev-list", "--boundary", "--max-count=1000", "--stdin")
		if err != nil {
			return err
		}
		for _, line := range strings.Fields(string(out)) {
			if base, ok := strings.CutPrefix(line, "-"); ok { // the base of the new commits
				b.sources = append(b.sources, source{base, true})
			}
		}
	}
	if len(b.tips) > 0 {
		commits = append(commits, b.tips[0])
	}
	for i, commit := range slices.Backward(commits) {
		old, err := b.reached(ctx, commit)
		if err != nil {
			return err
		}
		b.sources = append(b.sources, source{commit, old})
		if i == 0 { // first
			b.sources[0], b.sources[len(b.sources)-1] = b.sources[len(b.sources)-1], b.sources[0]
		}
	}
	return nil
}

// since selects the commits that a commit has and the tips do not.
func (b *bringing) since(commit string) io.Reader {
	var in strings.Builder
	fmt.Fprintln(&in, commit)
	for _, tip := range b.tips {
		fmt.Fprintln(&in, "^"+tip)
	}
	return strings.NewReader(in.String())
}

// reached reports whether a commit is reachable from the tips.
func (b *bringing) reached(ctx context.Context, commit string) (bool, error) {
	if slices.Contains(b.tips, commit) {
		return true, nil
	}
	out, _, err := b.feed(ctx, b.since(commit), 4<<10, b.environment(nil), "rev-list", "--max-count=1", "--stdin")
	return err == nil && len(bytes.TrimSpace(out)) == 0, err
}

// blob is a file in the forms that git may have it in.
type blob struct {
	gone   bool
	mode   string
	hashes []string // names that git may have for it
}

// is reports whether an entry of a tree or of the index is the file.
func (f blob) is(entry string) bool {
	words := strings.Fields(entry)
	return len(words) > 0 && f.hasMode(words[0]) && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(f.hashes, w) })
}

// hasMode compares modes. git may be configured to ignore the executable bit, so a file that lacks git's bit counts as unchanged.
func (f blob) hasMode(mode string) bool {
	return mode == f.mode || mode == "100755" && f.mode == "100644"
}

// One call of git for many names: a call for each would take seconds in a large project.
func (b *bringing) some(ctx context.Context, names []string, out map[string]Arrival) error {
	files, specs, here := map[string]blob{}, map[string]string{}, []string{}
	for _, name := range names {
		spec, err := filepath.Rel(b.top, filepath.Join(b.dir, name))
		if err != nil {
			return err
		}
		if files[name], err = hashed(filepath.Join(b.dir, name)); err != nil {
			return err
		}
		specs[name] = filepath.ToSlash(spec)
		here = append(here, specs[name])
	}
	has, tracked := make([]map[string][]string, len(b.sources)), map[string]bool{}
	for i, m := range b.sources {
		entries, err := b.list(ctx, append([]string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", m.commit,
			"--"}, here...)...)
		if err != nil {
			return err
		}
		has[i] = byName(entries)
		for name, spec := range specs {
			tracked[name] = tracked[name] || len(has[i][spec]) > 0
		}
	}
	staged := map[string][]string{}
	if b.unfinished {
		entries, err := atTop(b.Repo).list(ctx, append([]string{"--literal-pathspecs", "ls-files", "--stage", "--full-name", "-z",
			"--"}, here...)...)
		if err != nil {
			return err
		}
		staged = byName(entries)
	}
	for _, name := range names {
		f, spec := files[name], specs[name]
		now, before := slices.ContainsFunc(staged[spec], f.is), false
		for i, m := range b.sources {
			is := slices.ContainsFunc(has[i][spec], f.is) || f.gone && len(has[i][spec]) == 0
			now, before = now || i == 0 && is, before || m.old && is
		}
		switch {
		case f.gone && !tracked[name]:
		case f.gone && now && before, !f.gone && before, !f.gone && b.search(ctx, spec, f):
			out[name] = Before
		case now:
			out[name] = Meanwhile
		}
	}
	return nil
}

// atTop is the same repository, opened at its top.
func atTop(r Repo) Repo {
	r.dir, r.prefix = r.top, ""
	return r
}

// byName groups entries of a tree or of the index by the file's name; an unfinished merge has up to three for one.
func byName(entries []string) map[string][]string {
	out := map[string][]string{}
	for _, e := range entries {
		head, name, _ := strings.Cut(e, "\t")
		out[name] = append(out[name], head)
	}
	return out
}

// search looks in the history of the tips for a commit that has, or had before it, the file in its place.
func (b *bringing) search(ctx context.Context, spec string, f blob) bool {
	for _, hash := range f.hashes {
		if !time.Now().Before(b.until) || len(b.tips) == 0 {
			return false
		}
		if len(hash) != len(b.tips[0]) {
			continue
		}
		if _, err := b.line(ctx, "cat-file", "-e", hash); err != nil {
			continue
		}
		limited, cancel := context.WithDeadline(ctx, b.until)
		in := strings.Join(b.tips, "\n") + "\n"
		out, _, err := atTop(b.Repo).feed(limited, strings.NewReader(in), 64<<10, b.environment([][2]string{{"core.commitGraph", "false"}}),
			"--literal-pathspecs", "log", "--full-history", "-m", "--max-count=1", "--format=", "--raw", "--no-abbrev", "--no-renames",
			"-z", "--find-object="+hash, "--stdin", "--", spec)
		cancel()
		if err == nil && f.inRaw(string(out), hash) {
			return true
		}
	}
	return false
}

// inRaw parses lines such as ":100644 100755 OLD NEW M".
func (f blob) inRaw(raw, hash string) bool {
	for _, field := range strings.Split(raw, "\x00") {
		words := strings.Fields(strings.TrimLeft(field, "\n"))
		if len(words) < 4 || !strings.HasPrefix(words[0], ":") {
			continue
		}
		if words[2] == hash && f.hasMode(words[0][1:]) || words[3] == hash && f.hasMode(words[1]) {
			return true
		}
	}
	return false
}

// hashed returns a file in the forms that git may have it in. git does not have anything that is neither a file nor a
// link; a file larger than largestBlob counts as one it does not have.
func hashed(at string) (blob, error) {
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return blob{gone: true}, nil
	case err != nil:
		return blob{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(at)
		return blob{mode: "120000", hashes: hashesOf([]byte(filepath.ToSlash(to)))}, err
	case !info.Mode().IsRegular() || info.Size() > largestBlob:
		return blob{}, nil
	}
	text, err := os.ReadFile(at)
	f := blob{mode: "100644", hashes: hashesOf(text)}
	if info.Mode().Perm()&0o100 != 0 {
		f.mode = "100755"
	}
	return f, err
}

// hashesOf returns the object names of this content, also with other line endings, in both of git's formats.
func hashesOf(text []byte) (out []string) {
	for _, text := range [][]byte{text, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))} {
		object := append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)
		out = append(out, fmt.Sprintf("%x", sha1.Sum(object)), fmt.Sprintf("%x", sha256.Sum256(object)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
