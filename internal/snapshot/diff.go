package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// ChangeKind says what happened to a file.
type ChangeKind string

// Modified includes a file that became a link, or the other way round. Mode: only the executable bit changed.
const (
	Added    ChangeKind = "added"
	Modified ChangeKind = "modified"
	Deleted  ChangeKind = "deleted"
	Mode     ChangeKind = "mode"
)

// Change is one file that differs between two snapshots. Path is below the folder, with slashes. Restore needs only
// what git says about the blobs, and no line counts.
type Change struct {
	Path           string
	Kind           ChangeKind
	Binary         bool // lines are not counted then
	Added, Removed int  // lines

	mode, blob string // in the later snapshot
	was        bool   // a file existed in the earlier one
}

// patchSize bounds the result of Patch.
const patchSize = 8 << 20

// Diff lists the files that differ between two snapshots, by path. A file that was left out of one of them, for example
// because it grew too large, counts as missing there.
func (k *Keeper) Diff(ctx context.Context, from, to string) ([]Change, error) {
	err := k.known(ctx, from, to)
	var changes []Change
	if err == nil {
		changes, err = k.diff(ctx, from, to, "--raw", "--numstat")
	}
	if err != nil {
		return nil, fmt.Errorf("comparing snapshots: %w", err)
	}
	return changes, nil
}

// diff counts lines and reads contents only if what includes --numstat.
func (k *Keeper) diff(ctx context.Context, from, to string, what ...string) ([]Change, error) {
	args := append([]string{"diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"}, what...)
	rows, err := k.store.List(ctx, nil, append(args, from, to)...)
	if err != nil {
		return nil, err
	}
	var changes []Change
	at := map[string]int{}
	for len(rows) > 0 && strings.HasPrefix(rows[0], ":") {
		f := strings.Fields(rows[0][1:])
		if len(f) != 5 || len(rows) < 2 {
			return nil, fmt.Errorf("git diff-tree printed %q", rows[0])
		}
		at[rows[1]] = len(changes)
		changes = append(changes, change(rows[1], f))
		rows = rows[2:]
	}
	for _, row := range rows {
		f := strings.SplitN(row, "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("git diff-tree printed %q", row)
		}
		c := &changes[at[f[2]]]
		c.Binary = f[0] == "-"
		if !c.Binary {
			c.Added, _ = strconv.Atoi(f[0])
			c.Removed, _ = strconv.Atoi(f[1])
		}
	}
	return changes, nil
}

// change parses a raw row: two modes, two hashes, a letter.
func change(name string, f []string) Change {
	c := Change{Path: name, Kind: Modified, mode: f[1], blob: f[3], was: f[4] != "A"}
	switch {
	case f[4] == "A":
		c.Kind = Added
	case f[4] == "D":
		c.Kind = Deleted
	case f[2] == f[3] && f[4] == "M":
		c.Kind = Mode
	}
	return c
}

// Patch returns the difference of two snapshots, or of some paths in them, as a patch for people: it is cut at 8 MB,
// omits binary files, and shows what an eye would not see as numbers.
func (k *Keeper) Patch(ctx context.Context, from, to string, paths ...string) (string, error) {
	if err := k.known(ctx, from, to); err != nil {
		return "", fmt.Errorf("comparing snapshots: %w", err)
	}
	args := []string{"diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", from, to, "--"}
	for _, p := range paths {
		args = append(args, ":(top,literal)"+p)
	}
	var body []byte
	err := k.store.Stream(ctx, nil, func(r io.Reader) (err error) {
		body, err = io.ReadAll(io.LimitReader(r, patchSize+1))
		if len(body) > patchSize {
			return errLong
		}
		return err
	}, args...)
	// Reading stopped at the limit, and git was ended.
	if errors.Is(err, errLong) {
		return clean.Reveal(string(body[:patchSize])) + "\n… the rest is left out; ask for single files\n", nil
	}
	if err != nil {
		return "", fmt.Errorf("comparing snapshots: %w", err)
	}
	return clean.Reveal(string(body)), nil
}

var errLong = errors.New("the patch is too long")
