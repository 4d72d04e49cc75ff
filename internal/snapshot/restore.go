package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Restored is what Restore has done.
type Restored struct {
	Tree  string   // the snapshot the folder is now: base of the next Restore
	Kept  string   // a snapshot of what somebody changed since base; empty: nothing
	Files []string // written or removed
	Left  []string // what should have been changed and was not, as "name: reason"
}

// Restore makes the files as they are in the snapshot to. base is the snapshot the caller last knew of: if the files
// are no longer as in it, they are kept in another one before anything is written. An empty base is one nobody knows.
// What no snapshot holds is never touched, and of two files that exclude each other such a one stays. If Restore is
// broken off, some files are as in to and the others as before; nothing is lost, and it can be called again.
func (k *Keeper) Restore(ctx context.Context, to, base string) (Restored, error) {
	t, err := k.begin(ctx)
	if err != nil {
		return Restored{}, fmt.Errorf("bringing files back: %w", err)
	}
	defer t.end()
	r, err := t.restore(ctx, to, base)
	if err != nil {
		return r, fmt.Errorf("bringing files back in %s: %w", k.store.Dir(), err)
	}
	return r, nil
}

func (t *turn) restore(ctx context.Context, to, base string) (r Restored, err error) {
	if err := t.known(ctx, to); err != nil {
		return r, err
	}
	now, err := t.take(ctx, nil, nil)
	if err != nil {
		return r, err
	}
	r.Tree = now.Tree
	if now.Tree == to {
		return r, nil
	}
	if now.Tree != base {
		r.Kept = now.Tree
	}
	changes, err := t.diff(ctx, now.Tree, to, "--raw")
	if err != nil {
		return r, err
	}
	held, err := readIndex(t.index(), t.store.Prefix())
	if err != nil {
		return r, err
	}
	w := &writer{turn: t, held: held, done: map[string]bool{}, left: map[string]string{}}
	forget, err := w.apply(ctx, changes)
	r.Files, r.Left = w.report(changes)
	if err != nil {
		return r, err
	}
	after, err := t.take(ctx, r.Files, forget)
	if err != nil {
		return r, err
	}
	r.Tree = after.Tree
	return r, t.compare(ctx, &r, to)
}

// compare names the files that were written and are something else by now.
func (t *turn) compare(ctx context.Context, r *Restored, to string) error {
	differ, err := t.diff(ctx, r.Tree, to, "--raw")
	for _, c := range differ {
		if _, ours := slices.BinarySearch(r.Files, c.Path); ours {
			r.Left = append(r.Left, c.Path+": changed again meanwhile")
		}
	}
	return err
}

// writer brings the files of one Restore back.
type writer struct {
	*turn
	held index
	done map[string]bool   // by path
	left map[string]string // why not, by path
}

// apply makes the changes. The rules of what is ignored come first, because a file that is in the way only since
// somebody took a rule away must not be removed: it is named in forget.
func (w *writer) apply(ctx context.Context, changes []Change) (forget []string, err error) {
	var rules, remove, write []Change
	for _, c := range changes {
		if path.Base(c.Path) == ".gitignore" {
			rules = append(rules, c)
		}
	}
	if err := w.write(ctx, w.remove(rules)); err != nil {
		return nil, err
	}
	for _, c := range changes {
		switch {
		case w.done[c.Path]:
		case c.Kind == Deleted:
			remove = append(remove, c)
		default:
			write = append(write, c)
		}
	}
	if forget, err = w.ignored(ctx, remove); err != nil {
		return nil, err
	}
	remove = slices.DeleteFunc(remove, func(c Change) bool {
		_, ignored := slices.BinarySearch(forget, c.Path)
		if ignored {
			w.left[c.Path] = "ignored in that snapshot"
		}
		return ignored
	})
	w.remove(remove)
	return forget, w.write(ctx, write)
}

// ignored names those of changes that the rules now on the disk ignore, sorted.
func (w *writer) ignored(ctx context.Context, changes []Change) ([]string, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var names []string
	for _, c := range changes {
		names = append(names, "./"+c.Path) // so that no name is taken for a pattern
	}
	names, err := w.git.List(ctx, names, "check-ignore", "--no-index", "-z", "--stdin")
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "./")
	}
	slices.Sort(names)
	return names, err
}

// remove removes the deleted ones among changes, and returns the others. Folders that become empty go, too.
func (w *writer) remove(changes []Change) (others []Change) {
	for _, c := range changes {
		if c.Kind != Deleted {
			others = append(others, c)
			continue
		}
		name := filepath.FromSlash(c.Path)
		why := w.touchable(c)
		if why == "" {
			if err := w.folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				why = reason(err)
			}
		}
		if why != "" {
			w.left[c.Path] = why
			continue
		}
		w.finished(c)
		for dir := parent(c.Path); dir != ""; dir = parent(dir) {
			if w.folder.Remove(filepath.FromSlash(dir)) != nil {
				break // not empty
			}
		}
	}
	return others
}

func (w *writer) finished(c Change) {
	w.done[c.Path] = true
	delete(w.left, c.Path)
}

// touchable says why what lies at the path of c must stay as it is; empty: it may be replaced. It may if a snapshot
// holds it, as it is this moment.
func (w *writer) touchable(c Change) string {
	if reserved(c.Path, c.mode == linkMode) || !filepath.IsLocal(filepath.FromSlash(c.Path)) {
		return "a name that is never written"
	}
	for dir := parent(c.Path); dir != ""; dir = parent(dir) {
		if info, err := w.folder.Lstat(filepath.FromSlash(dir)); err == nil && !info.IsDir() {
			return dir + " is in the way and is not kept"
		}
	}
	info, err := w.folder.Lstat(filepath.FromSlash(c.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return reason(err)
	case info.IsDir():
		if w.clear(c.Path) {
			return ""
		}
		return "a folder with files that are not kept is in the way"
	case !c.was:
		return "what lies there is not kept: it is ignored, too large, closed to us or no file"
	case !w.held[c.Path].current(info) && !w.held[c.Path].holds(w.folder, filepath.FromSlash(c.Path), info):
		return "somebody is changing it"
	}
	return ""
}

// clear removes a folder that holds nothing but empty folders.
func (w *writer) clear(dir string) bool {
	entries, err := fs.ReadDir(w.folder.FS(), dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.IsDir() || !w.clear(path.Join(dir, e.Name())) {
			return false
		}
	}
	return w.folder.Remove(filepath.FromSlash(dir)) == nil
}

// report lists what was done and what was not, by name.
func (w *writer) report(changes []Change) (done, left []string) {
	for _, c := range changes {
		if w.done[c.Path] {
			done = append(done, c.Path)
		} else if why := w.left[c.Path]; why != "" {
			left = append(left, c.Path+": "+why)
		}
	}
	slices.Sort(done)
	return done, left
}

// reason is what went wrong without the path, which the reader sees anyway.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return strings.TrimSpace(err.Error())
}
