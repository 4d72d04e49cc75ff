package runs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/parcel"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Parcel is a whole run, to be moved to another store: its record, its agents' conversations and its commits. Missing
// texts are omitted, as are deleted conversations.
func (l *Library) Parcel(ctx context.Context, run, program string) (p parcel.Parcel, err error) {
	root, err := l.Root(ctx, run)
	if err != nil {
		return p, err
	}
	var s work.Status
	if p.Nodes, s, err = l.byRoot(ctx, root); err != nil {
		return p, err
	}
	p.Head = parcel.Head{Run: run, Program: program}
	p.Texts = map[string]string{}
	for _, n := range p.Nodes {
		for _, hash := range receipt.Named(n) {
			if text, err := l.store.Blob(ctx, hash); err == nil {
				p.Texts[hash] = text
			}
		}
	}
	for _, name := range sorted(append(conversations(run, p.Nodes), phaseTalks(run)...)) {
		t, err := l.talks.Open(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return p, err
		}
		r, err := l.talks.Record(ctx, t)
		if err != nil {
			return p, err
		}
		p.Talks = append(p.Talks, r)
	}
	if s.Begun == nil {
		return p, nil
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return p, err
	}
	p.Bottom = record.BeginKind.All(p.Nodes)[0].Base.Head // not the base it was rebased to: earlier work builds on the first one
	if p.Refs, err = space.Refs(ctx); err != nil {
		return p, err
	}
	p.Objects, err = space.Pack(ctx, p.Bottom, record.Commits(p.Nodes)...)
	return p, err
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Import adds a run from a file. It then belongs to Dir, whatever folder it was made in. An import that fails halfway
// leaves conversations behind, but no run: its ref comes last.
type Import struct {
	Parcel parcel.Parcel
	Dir    string
	Safe   func(spec string) bool // see conversation.Import
}

// Do implements engine.Op.
func (op Import) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l, p := In(e), op.Parcel
	s, _ := work.Read(p.Nodes)
	if _, err := l.Root(ctx, p.Run); err == nil {
		return "", &engine.Refusal{Message: "run " + p.Run + " already exists", Hint: "delete it first: socrates work rm " + p.Run}
	}
	unlock, err := l.core.Lock(ctx, "run-"+p.Run, &engine.Refusal{Message: "another process is using run " + p.Run})
	if err != nil {
		return "", err
	}
	defer unlock()
	root := p.Nodes[0].ID
	if _, err := l.store.Node(ctx, root); err == nil {
		return "", &engine.Refusal{Message: "run " + p.Run + " is in the trash", Hint: "restore it: socrates work restore " + p.Run}
	} else if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	folder, err := l.wiring.Folder()
	if err != nil {
		return "", err
	}
	space := filepath.Join(folder, p.Run)
	// Before anything else of it is stored: a run that is stored without the mark could be continued.
	if err := markForeign(folder, p.Run, root); err != nil {
		return "", err
	}
	if s.Begun != nil {
		if err := scratch.RemoveAll(space); err != nil {
			return "", err
		}
		if _, err := workspace.Unpack(ctx, space, p.Bottom, p.Objects, p.Refs, s.Begun.Base.Author); err != nil {
			return "", errors.Join(err, scratch.RemoveAll(space))
		}
	}
	for _, t := range p.Talks {
		op := conversation.Import{Record: t, Dir: op.Dir, Safe: op.Safe}
		if _, err := e.Do(ctx, op); err != nil {
			return "", err
		}
	}
	for _, text := range p.Texts {
		if _, err := l.store.PutBlob(ctx, text); err != nil {
			return "", err
		}
	}
	nodes, err := parcel.Move(p.Nodes, op.Dir, space)
	if err != nil {
		return "", err
	}
	_, err = l.store.AppendTo(ctx, refs+p.Run, "", root, nodes...)
	return root, err
}

// foreign is the file that marks a run of this name as imported.
func foreign(folder, run string) string { return filepath.Join(folder, run+".imported") }

func markForeign(folder, run string, root tree.ID) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(foreign(folder, run), []byte(root), 0o600)
}

// requireOwn refuses to continue a run that was imported: its executors, mode and checks were chosen by somebody else, and nobody here has
// agreed to them.
func requireOwn(l *Library, s work.Status, root tree.ID) error {
	folder, err := l.wiring.Folder()
	if err != nil {
		return err
	}
	if from, err := os.ReadFile(foreign(folder, s.Frame.Run)); err == nil && tree.ID(from) == root {
		return &engine.Refusal{Message: "run " + s.Frame.Run + " was imported: its executors, mode and checks were chosen elsewhere",
			Hint: "inspect it and accept what it contains, or execute its plan again: socrates execute PLAN.md"}
	}
	return nil
}
