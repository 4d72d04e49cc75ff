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
	many      = 500   // files from which on a pack is written instead of a file each
	atOnce    = 5_000 // files that one git takes in: no git may take minutes
	mostNamed = 100   // names in Left that are ignored, and as many for which there is no room
	takenDir  = "taken"
	// tempPrefix begins names of files that Restore is writing. One that is found later is left from a killed process.
	tempPrefix = ".socrates-restore-"
)

// take brings the index up to date and writes it as a tree. also: files to look at even if they are ignored; forget:
// files to hold no longer,
// sorted. Files that change meanwhile can make git give up, and a crash of the machine can spoil the
// index, so it is tried again, at last without what the index says.
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

// attempt takes one snapshot from what the turn's index says. Nothing of the keeper's is changed before its last
// step.
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

// caches has git take the folders of package litter for ignored, wherever nobody tracks them.
func caches() (out []string) {
	for _, name := range litter.Folders {
		out = append(out, "--exclude="+name+"/")
	}
	return out
}

// changed names what may differ from the index or is new, and what is ignored.
func (t *session) changed(ctx context.Context, held index) (names, ignored []string, err error) {
	lists := [4][]string{}
	errs := [4]error{}
	var all sync.WaitGroup
	// The four look at the same folder and read only, so they run at once.
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

// plan is what a take is going to do.
// Files are added in order of their names, so that of equal folders the same ones find room.
type plan struct {
	*session
	held   index
	files  int   // held so far
	bytes  int64 // likewise
	real   map[string]bool
	add    []string
	forget []string
	over   []string // for which there is no room
	left   []string
	absent []string // there, and not in the snapshot
	closed *closed
}

// leave tells the first of names, and how many more there are.
func (p *plan) leave(names []string, why string) {
	for _, name := range names[:min(len(names), mostNamed)] {
		p.left = append(p.left, name+": "+why)
	}
	if more := len(names) - mostNamed; more > 0 {
		p.left = append(p.left, fmt.Sprintf("%d more: %s", more, why))
	}
}

// look decides what becomes of one name.
func (p *plan) look(name string) {
	// What is held gives its room back first: a file that grew is weighed like a new one.
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

// see looks at one name: a file to keep, or why it cannot be kept; neither if there is no file.
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
	// Nobody else has the turn, so no Restore is writing it.
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
	// Git would give up on the whole snapshot for one file it cannot read.
	f, err := p.folder.Open(full)
	if err != nil {
		return nil, "cannot be read"
	}
	f.Close()
	return info, ""
}

// reserved says whether name means .git on some system, so that git does not take it and we never write it. Of
// .gitmodules, which a folder may have, git takes no link.
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

// written is the tree of the index, which is written unless this process knows that it is.
func (t *session) written(ctx context.Context) (string, error) {
	info, _ := os.Stat(t.own)
	if last := t.last.Load(); last.of(info) {
		return last.tree, nil
	}
	tree, err := t.write(ctx)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(t.own); err == nil { // git keeps in it what it wrote
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
			args = []string{"mktree"} // of nothing
		}
	}
	out, err := t.git.Run(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}
