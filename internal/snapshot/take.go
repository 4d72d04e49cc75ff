package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/socrates-cli/socrates/internal/project/litter"
)

const (
	attempts  = 3
	many      = 500   // number of files from which on a pack is written instead of single files
	atOnce    = 5_000 // files for one call of git: none may take minutes
	mostNamed = 100   // ignored names in Left, and as many beyond the limits
	takenDir  = "taken"
	// tempPrefix is the prefix of files that Restore is writing. One that is found later was left by a killed process.
	tempPrefix = ".socrates-restore-"
)

// take updates the index and writes it as a tree. also are files to include even if they are ignored; forget are files
// to drop, sorted. Files that change in the meantime can make git give up, and a crash of the machine can damage the
// index, so it tries again, the last time without the index.
func (t *session) take(ctx context.Context, also, forget []string) (Snapshot, error) {
	var failed error
	for n := range attempts {
		if n == attempts-1 {
			os.Remove(t.index())
		}
		err := t.fresh()
		var s Snapshot
		if err == nil {
			s, err = t.attempt(ctx, also, forget)
		}
		if err == nil {
			return s, nil
		}
		failed = err
		if ctx.Err() != nil {
			break
		}
	}
	return Snapshot{}, fmt.Errorf("taking a snapshot of %s: %w", t.store.Dir(), failed)
}

// attempt takes one snapshot from the session's index. It changes nothing of the keeper's before its last step.
func (t *session) attempt(ctx context.Context, also, forget []string) (Snapshot, error) {
	held, err := t.held()
	if err != nil {
		return Snapshot{}, err
	}
	names, ignored, err := t.changed(ctx, held)
	if err != nil {
		return Snapshot{}, err
	}
	names = append(names, also...)
	slices.Sort(names)
	p := plan{session: t, closed: t.closed(), held: held, files: len(held), bytes: held.bytes(), real: map[string]bool{}, forget: forget}
	for _, name := range slices.Compact(names) {
		if _, ok := slices.BinarySearch(forget, name); !ok {
			p.look(name)
		}
	}
	if err := t.update(ctx, p); err != nil {
		return Snapshot{}, err
	}
	tree, err := t.written(ctx)
	if err == nil {
		err = errors.Join(t.note(tree, p.absent), p.closed.save(), t.commit())
	}
	p.leave(ignored, "ignored")
	p.leave(p.over, fmt.Sprintf("the snapshot is full: %d files or %d MB", t.most.files, t.most.bytes>>20))
	return Snapshot{Tree: tree, Left: p.left}, err
}

// caches makes git ignore the folders of package litter, unless they are tracked.
func caches() (out []string) {
	for _, name := range litter.Folders {
		out = append(out, "--exclude="+name+"/")
	}
	return out
}

// changed returns the names that are new or may differ from the index, and the ignored ones.
func (t *session) changed(ctx context.Context, held index) (names, ignored []string, err error) {
	lists := [4][]string{}
	errs := [4]error{}
	var all sync.WaitGroup
	// The four commands read the same folder only, so they run concurrently.
	list := func(i int, args ...string) {
		all.Go(func() { lists[i], errs[i] = t.git.List(ctx, nil, args...) })
	}
	list(0, "diff-files", "-z", "--name-only", "--relative")
	list(1, slices.Concat([]string{"ls-files", "-z", "--others", "--exclude-standard"}, caches(), t.beyond)...)
	list(2, slices.Concat([]string{"ls-files", "-z", "--others", "--ignored", "--directory", "--exclude-standard"}, caches(), t.beyond)...)
	all.Go(func() { lists[3], errs[3] = t.store.Forced(ctx) })
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, nil, err
	}
	forced := map[string]bool{}
	for _, name := range lists[3] {
		forced[name] = true
	}
	ignored = slices.DeleteFunc(lists[2], func(name string) bool { return forced[name] })
	maps.DeleteFunc(forced, func(name string, _ bool) bool { _, ok := held[name]; return ok })
	return slices.Concat(lists[0], lists[1], slices.Collect(maps.Keys(forced))), ignored, nil
}

// plan is what a take is going to do. Files are added in order of their names, so that equal folders include the same files.
type plan struct {
	*session
	held   index
	files  int   // recorded so far
	bytes  int64 // recorded so far
	real   map[string]bool
	add    []string
	forget []string
	over   []string // beyond the limits
	left   []string
	absent []string // existing, but not in the snapshot
	closed *closed
}

// leave records the first of names as left out, and how many more there are.
func (p *plan) leave(names []string, why string) {
	for _, name := range names[:min(len(names), mostNamed)] {
		p.left = append(p.left, name+": "+why)
	}
	if more := len(names) - mostNamed; more > 0 {
		p.left = append(p.left, fmt.Sprintf("%d more: %s", more, why))
	}
}

// look decides what happens to one name.
func (p *plan) look(name string) {
	// A recorded file first gives back its room: a file that grew counts like a new one.
	old, is := p.held[name]
	if is {
		p.files, p.bytes = p.files-1, p.bytes-int64(old.size)
	}
	info, why := p.see(name)
	if why == "" && info != nil {
		if p.files < p.most.files && p.bytes+info.Size() <= p.most.bytes {
			p.files, p.bytes = p.files+1, p.bytes+info.Size()
			p.add = append(p.add, name)
			p.closed.set(name, info.Mode())
			return
		}
		p.over = append(p.over, name)
	}
	if info != nil || why != "" {
		p.absent = append(p.absent, name)
	}
	if is {
		p.forget = append(p.forget, name)
	}
	if why != "" {
		p.left = append(p.left, name+": "+why)
	}
}

// see checks one name: it returns a file to save, or why it cannot be saved; neither if there is no file.
func (p *plan) see(name string) (fs.FileInfo, string) {
	full := filepath.FromSlash(name)
	if strings.HasSuffix(name, "/") {
		return nil, "a separate repository"
	}
	info, err := p.folder.Lstat(full)
	if err != nil || info.IsDir() || !p.plain(name, p.real) {
		return nil, ""
	}
	link := info.Mode()&fs.ModeSymlink != 0
	switch {
	// Nobody else holds the lock, so no Restore is writing it.
	case strings.HasPrefix(path.Base(name), tempPrefix):
		p.folder.Remove(full)
		return nil, ""
	case reserved(name, link):
		return nil, "a name reserved by git"
	case link:
		return info, ""
	case !info.Mode().IsRegular():
		return nil, "a pipe, socket or device"
	case info.Size() > LargestFile:
		return nil, fmt.Sprintf("larger than %d MB", LargestFile>>20)
	}
	// Git would give up on the whole snapshot because of one file it cannot read.
	f, err := p.folder.Open(full)
	if err != nil {
		return nil, "cannot be read"
	}
	f.Close()
	return info, ""
}

// reserved reports whether name means .git on some system, so that git rejects it and we never write it. A folder may
// have a .gitmodules, but git accepts no link of that name.
func reserved(name string, link bool) bool {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.Map(func(c rune) rune {
			if unicode.Is(unicode.Cf, c) {
				return -1
			}
			return unicode.ToLower(c)
		}, part)
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, " .")
		if part == ".git" || part == "git~1" || link && part == ".gitmodules" {
			return true
		}
	}
	return false
}

// update puts the plan into the index.
func (t *session) update(ctx context.Context, p plan) error {
	if len(p.forget) > 0 {
		if _, err := t.git.List(ctx, p.forget, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	store := t.git
	if len(p.add) > many {
		store = store.With("core.bigFileThreshold", "1") // git writes big files into one pack
	}
	for names := range slices.Chunk(p.add, atOnce) {
		if _, err := store.List(ctx, names, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// written returns the tree of the index, and writes it unless this process knows that it exists.
func (t *session) written(ctx context.Context) (string, error) {
	info, _ := os.Stat(t.own)
	if last := t.last.Load(); last.of(info) {
		return last.tree, nil
	}
	tree, err := t.write(ctx)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(t.own); err == nil { // writing the tree changes the index file: git caches in it what it wrote
		t.last.Store(&written{info, tree})
	}
	return tree, nil
}

// write writes the index as a tree.
func (t *session) write(ctx context.Context) (string, error) {
	args := []string{"write-tree"}
	if prefix := t.store.Prefix(); prefix != "" {
		held, err := t.held()
		if err != nil {
			return "", err
		}
		args = append(args, "--prefix="+prefix)
		if len(held) == 0 {
			args = []string{"mktree"} // an empty tree
		}
	}
	out, err := t.git.Run(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}
