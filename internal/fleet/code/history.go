package code

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// looked is the result of searching the history up to a commit for files with names of secrets.
type looked struct {
	Commit string   `json:"commit"` // all its ancestors were searched
	Names  [][]byte `json:"names"`
}

const mostLooked = 20 // remembered commits

// committed returns the names of secrets in any ancestor of head. The history is searched once: the result is kept
// beside the objects.
func (p *project) committed(ctx context.Context, head string) ([]string, error) {
	file := filepath.Join(p.at, "looked.json")
	var memory []looked
	if raw, err := os.ReadFile(file); err == nil && json.Unmarshal(raw, &memory) != nil {
		memory = nil
	}
	names, before := map[string]bool{}, ""
	for _, m := range slices.Backward(memory) {
		if _, err := p.store.Run(ctx, nil, "merge-base", "--is-ancestor", m.Commit, head); err != nil {
			continue
		}
		before = m.Commit
		for _, name := range m.Names {
			names[string(name)] = true
		}
		break
	}
	if before != head {
		if err := p.look(ctx, head, before, names); err != nil {
			return nil, fmt.Errorf("looking for secrets in the history: %w", err)
		}
		seen := looked{Commit: head}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			seen.Names = append(seen.Names, []byte(name))
		}
		memory = append(memory, seen)
		raw, err := json.Marshal(memory[max(0, len(memory)-mostLooked):])
		if err == nil {
			err = private.Replace(file, raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// look adds the names of secrets in the commits between. A file added by a merge alone differs from all its parents,
// and is therefore listed.
func (p *project) look(ctx context.Context, head, before string, names map[string]bool) error {
	in := head + "\n"
	if before != "" {
		in += "^" + before + "\n"
	}
	read := func(out io.Reader) error {
		lines := bufio.NewReaderSize(out, 64<<10)
		for {
			name, err := lines.ReadString(0)
			if name = strings.Trim(name, "\x00\n"); name != "" && sensitive.Secret(name) {
				names[name] = true
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return p.store.Stream(ctx, strings.NewReader(in), read, "log", "--stdin", "--format=", "--name-only", "-z", "-c", "--root",
		"--no-renames", "--no-ext-diff", "--no-textconv")
}
