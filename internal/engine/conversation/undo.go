package conversation

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Undo reverts the files changed by the last turn that changed any, or by the last Redo; the conversation stays where
// it is. Called again it reverts the turn before that. The branch grows by a record of what was done to the files.
// Commits made since stay, and are reported.
type Undo struct{ Tree string }

// Do implements engine.Op.
func (op Undo) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	return In(e).refile(ctx, op.Tree, "undo", func(path []tree.Node) ([]filed, string) {
		done, undone := filings(path)
		if len(undone) > 0 {
			return done, "nothing to undo: every change is reverted already"
		}
		return done, "nothing to undo: no turn of this conversation changed files of the project"
	})
}

// instead suggests what a person with nothing to undo may have meant: the last event that an undo of files does not cover.
func instead(path []tree.Node, dir string) string {
	left := latest(path).Left
	set := margin.Settings(path)
	for _, n := range slices.Backward(path) {
		b, _ := talk.JudgeKind.Of(n)
		hidden := unkept(b, dir, left)
		switch {
		case hidden != "":
			return hidden + ", so no snapshot contains it, and what the turn changed there cannot be undone"
		case b.Alters:
			return "files outside the project are not saved, so changes to them cannot be undone"
		case n.Kind == string(material.SummaryKind) && set[margin.UndoSummary(n.ID).Key] == "":
			return "to restore the history that was compacted: /compact undo"
		}
		if s, ok := margin.SnapKind.Of(n); ok && s.Why == "restored" {
			return "apply the last reverted change again: socrates tree redo"
		}
	}
	return "your own changes and those of socrates tool are not undone: git diff shows them"
}

// unkept returns the file that a call was to write although no snapshot contains it, and why; empty: there is none. left are the files that
// snapshots leave out, as "name: reason".
func unkept(b talk.Judged, dir string, left []string) string {
	if !b.Let() {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as the paths of acts
	}
	for _, a := range b.Acts {
		name, err := filepath.Rel(dir, a.Path)
		if a.Effect != tool.Writes || err != nil {
			continue
		}
		for _, l := range left {
			i := max(0, strings.LastIndex(l, ": "))
			if is := l[:i]; is == filepath.ToSlash(name) {
				return is + " is " + l[i+2:]
			} else if strings.HasSuffix(is, "/") && strings.HasPrefix(filepath.ToSlash(name), is) {
				return filepath.ToSlash(name) + " is in " + is + ", which is " + l[i+2:]
			}
		}
	}
	return ""
}

// beyond reports whether a turn, or one after it, changed files outside the project or others that no snapshot contains. Changes before an
// earlier undo, which reported them, do not count.
func beyond(path []tree.Node, dir string, turn tree.ID) bool {
	left := latest(path).Left
	for _, n := range slices.Backward(path) {
		if b, _ := talk.JudgeKind.Of(n); b.Alters || unkept(b, dir, left) != "" {
			return true
		}
		if s, ok := margin.SnapKind.Of(n); n.ID == turn || ok && s.Why == "restored" {
			return false
		}
	}
	return false
}

// Redo reverts the last Undo, or the last time a person went back with files: the files become what they were,
// including the person's edits.
type Redo struct{ Tree string }

// Do implements engine.Op.
func (op Redo) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	return In(e).refile(ctx, op.Tree, "redo", func(path []tree.Node) ([]filed, string) {
		_, undone := filings(path)
		return undone, "nothing to redo"
	})
}

// refile reverts the last of the changes that choose returns, or refuses with the message choose returns. by is the command.
func (l *Library) refile(ctx context.Context, name, by string, choose func(path []tree.Node) ([]filed, string)) (tree.ID, error) {
	t, unlock, err := l.Lock(ctx, name)
	if err != nil {
		return "", err
	}
	defer unlock()
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	parts, none := choose(path)
	if len(parts) == 0 {
		refusal := &engine.Refusal{Message: none}
		if by == "undo" {
			refusal.Hint = instead(path, t.Dir)
		}
		return t.Root, refusal
	}
	f := parts[len(parts)-1]
	f.by, f.beyond = by, by == "undo" && beyond(path, t.Dir, f.node)
	// Careful: the command for an undo does not name what it may overwrite.
	return t.Root, l.takeBack(ctx, &t, f, true, store.Change{})
}
