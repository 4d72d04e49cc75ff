package snapshot

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// young is how long a snapshot is kept whatever Prune is told: another process may just have taken it.
const young = time.Hour

// Pruned is what Prune did to the snapshots of a folder, or would do. In a dry run After stays 0.
type Pruned struct {
	Kept    int   `json:"kept"`
	Dropped int   `json:"dropped"`
	Bytes   int64 `json:"bytes"` // disk usage of all of them
	After   int64 `json:"after"` // disk usage of those kept; not known before it is done
}

// Prune drops all snapshots except keep, the latest, and those taken within the last hour. old are other snapshots that
// may exist, for counting. dry only counts. Hashes that are not snapshots of this folder are no error, so that one list
// serves all folders.
//
// keep must be complete: snapshots that are not listed, older than an hour and not the latest are lost for good.
func (k *Keeper) Prune(ctx context.Context, keep, old []string, dry bool) (Pruned, error) {
	var p Pruned
	t, err := k.begin(ctx)
	if err == nil {
		defer t.end()
		p, err = t.prune(ctx, keep, old, dry)
	}
	if err != nil {
		return p, fmt.Errorf("dropping old snapshots of %s: %w", k.store.Dir(), err)
	}
	return p, nil
}

// prune makes one tree of the trees to keep and lets git drop everything that neither it nor the index references.
func (t *session) prune(ctx context.Context, keep, old []string, dry bool) (p Pruned, err error) {
	recent, past, err := t.taken()
	if err != nil {
		return p, err
	}
	latest, err := t.latest(ctx)
	if err != nil {
		return p, err
	}
	keep = slices.Concat(recent, keep, latest)
	all := slices.DeleteFunc(slices.Concat(keep, past, old), func(tree string) bool { return !hash().MatchString(tree) })
	there := map[string]bool{}
	if len(all) > 0 {
		if there, err = t.there(ctx, all); err != nil {
			return p, err
		}
	}
	var list strings.Builder
	for tree := range there {
		if slices.Contains(keep, tree) {
			p.Kept++
			fmt.Fprintf(&list, "040000 tree %s\t%s\n", tree, tree)
		}
	}
	p.Dropped, p.Bytes = len(there)-p.Kept, t.size()
	if dry {
		return p, nil
	}
	// A tree whose entries are the trees to keep needs only one ref, however many there are.
	root, err := t.store.Run(ctx, strings.NewReader(list.String()), "mktree")
	if err != nil {
		return p, err
	}
	for _, args := range [][]string{
		{"update-ref", "refs/kept", strings.TrimSpace(string(root))},
		{"repack", "-a", "-d", "-q"},
		{"prune", "--expire=now"},
	} {
		if _, err := t.store.Run(ctx, nil, args...); err != nil {
			return p, err
		}
	}
	for _, tree := range past {
		os.Remove(filepath.Join(t.home, takenDir, tree))
	}
	p.After = t.size()
	return p, nil
}

// latest is the snapshot in the index; none if nothing was ever saved.
func (t *session) latest(ctx context.Context) ([]string, error) {
	if err := t.fresh(); err != nil {
		return nil, err
	}
	if held, err := t.held(); err != nil || len(held) == 0 {
		return nil, nil // the next Take rebuilds a damaged index
	}
	tree, err := t.write(ctx)
	return []string{tree}, err
}

// taken lists the snapshots that were taken recently, and the other recorded ones. A note that cannot be read counts as
// recent: better to keep one too many.
func (t *session) taken() (recent, past []string, err error) {
	entries, err := os.ReadDir(filepath.Join(t.home, takenDir))
	for _, e := range entries {
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < young {
			recent = append(recent, e.Name())
		} else {
			past = append(past, e.Name())
		}
	}
	return recent, past, err
}

// size is the disk usage of the snapshots.
func (t *session) size() (n int64) {
	filepath.WalkDir(t.home, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files that vanish in the meantime do not matter
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

// Folders returns the folders that have snapshots below store, as Open names them.
func Folders(store string) (dirs []string, err error) {
	all, err := filepath.Glob(filepath.Join(store, "*", "folder"))
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("looking for snapshots: %w", err)
		}
		dir, _, _ := strings.Cut(string(text), "\n")
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs, err
}
