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

// Restored is the result of Restore.
type Restored struct {
	Tree    string   // the snapshot that the folder now equals
	Kept    string   // a snapshot of the earlier state, if files were written and it was not as the last step left it; empty: neither
	Files   []string // written or removed
	Removed []string // those of Files that were removed
	Edited  []string // those of Files that had changed since the steps
	Left    []string // what should have been changed but was not, as "name: reason"
	Outside []string // files of the folder that no snapshot contains: see Snapshot.Left
}

// Edited is the error of a careful Restore that would have overwritten changes. Nothing was written.
type Edited struct{ Files []string }

// Error lists the files whose changes would have been lost.
func (e *Edited) Error() string { return "changed since: " + strings.Join(e.Files, ", ") }

// Step is a change of the folder between two snapshots.
type Step struct{ Before, After string } // an empty After is an unknown state

// Restore reverts steps, oldest first: files that differ between the two ends of a step become as they are in to, and no other file is
// touched. Without steps, or if it is not known what one of them changed, all files become as in to. If the folder has changed since the
// last step, its state is saved in a snapshot before anything is written; with careful, nothing is written if one of the files to write
// has changed since, and the error is *Edited. What no snapshot contains is never touched, and if such a file excludes another one, it
// stays. Before the first file is written, begin is called with the snapshot of the current folder; it may be nil. If Restore is
// interrupted, some files are as in to and the others as in that snapshot; nothing is lost, and it can be called again.
func (k *Keeper) Restore(ctx context.Context, to string, steps []Step, careful bool, begin func(now string) error) (Restored, error) {
	t, err := k.begin(ctx)
	if err != nil {
		return Restored{}, fmt.Errorf("bringing files back: %w", err)
	}
	defer t.end()
	r, err := t.restore(ctx, to, steps, careful, begin)
	if err != nil {
		return r, fmt.Errorf("restoring files in %s: %w", k.store.Dir(), err)
	}
	return r, nil
}

func (t *session) restore(ctx context.Context, to string, steps []Step, careful bool, begin func(now string) error) (
	r Restored, err error,
) {
	if err := t.known(ctx, to); err != nil {
		return r, err
	}
	now, err := t.take(ctx, nil, nil)
	if err != nil {
		return r, err
	}
	r.Tree, r.Outside = now.Tree, now.Left
	if len(steps) == 0 || now.Tree != steps[len(steps)-1].After {
		r.Kept = now.Tree
	}
	changes, edited, err := t.backwards(ctx, now.Tree, to, steps)
	if err != nil || len(changes) == 0 {
		return Restored{Tree: r.Tree, Outside: r.Outside}, err
	}
	if careful && len(edited) > 0 {
		return Restored{Tree: r.Tree}, &Edited{edited}
	}
	if begin != nil {
		if err := begin(now.Tree); err != nil {
			return Restored{Tree: r.Tree}, err
		}
	}
	held, err := readIndex(t.index(), t.store.Prefix())
	if err != nil {
		return r, err
	}
	w := &writer{session: t, held: held, closed: t.closed(), lacks: t.lacks(to), done: map[string]bool{}, left: map[string]string{}}
	forget, err := w.apply(ctx, changes)
	w.report(&r, changes, edited)
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

// backwards lists the changes that revert steps in the current folder, and names the files among them that changed since.
//
// If it is not known what the steps changed, edited is empty: then all files become as in to, and the folder is saved first.
func (t *session) backwards(ctx context.Context, now, to string, steps []Step) (changes []Change, edited []string, err error) {
	changes, err = t.diff(ctx, now, to, "--raw")
	if err != nil || len(changes) == 0 || len(steps) == 0 {
		return changes, nil, err
	}
	ours := map[string]bool{}
	for _, s := range steps {
		err := t.known(ctx, s.Before, s.After)
		// The snapshot was pruned: without it, nobody can say whose changes these are.
		if errors.Is(err, ErrUnknown) {
			return changes, nil, nil
		}
		if err == nil {
			err = t.paths(ctx, ours, s.Before, s.After)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return !ours[c.Path] })
	since := map[string]bool{}
	err = t.paths(ctx, since, steps[len(steps)-1].After, now)
	for _, c := range changes {
		if since[c.Path] {
			edited = append(edited, c.Path)
		}
	}
	return changes, edited, err
}

// paths adds the files that differ between two snapshots to set.
func (t *session) paths(ctx context.Context, set map[string]bool, from, to string) error {
	if from == to {
		return nil
	}
	changes, err := t.diff(ctx, from, to, "--raw")
	for _, c := range changes {
		set[c.Path] = true
	}
	return err
}

// compare records the files that were written and have changed again.
func (t *session) compare(ctx context.Context, r *Restored, to string) error {
	differ, err := t.diff(ctx, r.Tree, to, "--raw")
	for _, c := range differ {
		if _, ours := slices.BinarySearch(r.Files, c.Path); ours {
			r.Left = append(r.Left, c.Path+": changed again meanwhile")
		}
	}
	return err
}

// writer restores the files of one Restore.
type writer struct {
	*session
	held   index
	closed *closed
	lacks  func(path string) bool // it existed at the snapshot to restore, which does not contain it
	done   map[string]bool        // by path
	left   map[string]string      // reasons for what was not done, by path
}

// apply makes the changes. Ignore rules are written first, because a file that is only in the way because somebody
// removed a rule must not be removed: it is returned in forget.
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
		// Deleted in the direction of the restore: the file exists now and did not then.
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

// ignored returns the names of changes that the rules now on disk ignore, sorted.
func (w *writer) ignored(ctx context.Context, changes []Change) ([]string, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var names []string
	for _, c := range changes {
		names = append(names, "./"+c.Path) // so that no name is read as a pattern
	}
	names, err := w.git.List(ctx, names, "check-ignore", "--no-index", "-z", "--stdin")
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "./")
	}
	slices.Sort(names)
	return names, err
}

// remove removes the deleted files among changes, and returns the other changes. Folders that become empty are removed, too.
func (w *writer) remove(changes []Change) (others []Change) {
	for _, c := range changes {
		if c.Kind != Deleted {
			others = append(others, c)
			continue
		}
		name := filepath.FromSlash(c.Path)
		why := w.touchable(c)
		if why == "" && w.lacks(c.Path) {
			why = "it existed before, but its content was not saved"
		}
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
			// This only removes an empty folder.
			if w.folder.Remove(filepath.FromSlash(dir)) != nil {
				break // not empty
			}
		}
	}
	return others
}

// finished records that a change was made, and clears an earlier failure.
func (w *writer) finished(c Change) {
	w.done[c.Path] = true
	delete(w.left, c.Path)
}

// touchable returns why the file at the path of c must stay as it is; empty: it may be replaced, because a snapshot
// contains its current state.
func (w *writer) touchable(c Change) string {
	if reserved(c.Path, c.mode == linkMode) || !filepath.IsLocal(filepath.FromSlash(c.Path)) {
		return "a reserved name, never written"
	}
	for dir := parent(c.Path); dir != ""; dir = parent(dir) {
		if info, err := w.folder.Lstat(filepath.FromSlash(dir)); err == nil && !info.IsDir() {
			return dir + " is in the way and is not in a snapshot"
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
		return "a folder with files that are in no snapshot is in the way"
	case !c.was:
		return "the current content is not saved: it is ignored, too large, unreadable or not a file"
	case !w.held[c.Path].current(info) && !w.held[c.Path].holds(w.folder, filepath.FromSlash(c.Path), info):
		return "it is being changed"
	}
	return ""
}

// clear removes a folder that contains only empty folders. It stops at the first file and may have removed empty folders before it.
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
func (w *writer) report(r *Restored, changes []Change, edited []string) {
	for _, c := range changes {
		switch {
		case w.done[c.Path]:
			r.Files = append(r.Files, c.Path)
			if c.Kind == Deleted {
				r.Removed = append(r.Removed, c.Path)
			}
			if slices.Contains(edited, c.Path) {
				r.Edited = append(r.Edited, c.Path)
			}
		case w.left[c.Path] != "":
			r.Left = append(r.Left, c.Path+": "+w.left[c.Path])
		}
	}
	slices.Sort(r.Files)
}

// reason is the error without the path, which the reader sees anyway.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return strings.TrimSpace(err.Error())
}
