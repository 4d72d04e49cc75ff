package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// young is how long a snapshot is kept whatever Prune is told: another process may just have taken it.
const young = time.Hour

// Prune drops all snapshots but keep, the latest, and those taken within the last hour. Hashes that are no snapshots of
// this folder are no error, so that one list will do for all folders.
func (k *Keeper) Prune(ctx context.Context, keep []string) error {
	t, err := k.begin(ctx)
	if err == nil {
		defer t.end()
		err = t.prune(ctx, keep)
	}
	if err != nil {
		return fmt.Errorf("dropping old snapshots of %s: %w", k.store.Dir(), err)
	}
	return nil
}

// prune makes one tree of the trees to keep and lets git drop what neither it nor the index reaches.
func (t *turn) prune(ctx context.Context, keep []string) error {
	recent, err := t.recent()
	if err != nil {
		return err
	}
	var asked []string
	for _, tree := range append(recent, keep...) {
		if hash().MatchString(tree) {
			asked = append(asked, tree)
		}
	}
	var all strings.Builder
	if len(asked) > 0 {
		there, err := t.there(ctx, asked)
		if err != nil {
			return err
		}
		for tree := range there {
			fmt.Fprintf(&all, "040000 tree %s\t%s\n", tree, tree)
		}
	}
	root, err := t.store.Run(ctx, strings.NewReader(all.String()), "mktree")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"update-ref", "refs/kept", strings.TrimSpace(string(root))},
		{"repack", "-a", "-d", "-q"},
		{"prune", "--expire=now"},
	} {
		if _, err := t.store.Run(ctx, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// recent names the snapshots taken lately and forgets when the others were.
func (t *turn) recent() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(t.home, takenDir))
	var trees []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < young {
			trees = append(trees, e.Name())
			continue
		}
		os.Remove(filepath.Join(t.home, takenDir, e.Name()))
	}
	return trees, err
}
