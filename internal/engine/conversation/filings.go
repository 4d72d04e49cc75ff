package conversation

import (
	"cmp"
	"slices"

	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// filed is a part of a conversation that changed the project's files, with what is needed to revert it. It is computed
// from a path each time and never stored.
type filed struct {
	node   tree.ID // the state before a turn, or the restoration of files
	to     margin.Snap
	steps  []snapshot.Step
	on     string  // the repository's branch that it left
	by     string  // what reverts it: undo, redo, or empty
	beyond bool    // files outside the project were changed during it or since
	first  *filed  // if it can be redone: the change that was undone
	change tree.ID // the node of the change itself, however often it was undone and done again
}

// filings are the parts of a path that changed files, oldest first: those that can be undone, and those that can be
// redone. A turn is filed at its beginning, a restore at its end. A turn that cannot be reverted, because the state
// before it is not known, is in neither.
func filings(path []tree.Node) (done, undone []filed) {
	var a filing
	begin := 0
	for _, end := range append(view.Turns(path), len(path)) {
		if f := changed(path[begin:end]); len(f.steps) > 0 {
			a.done = append(a.done, f)
		}
		for i := begin; i < end; i++ {
			s, ok := margin.SnapKind.Of(path[i])
			switch {
			case !ok:
			case s.Why == "restored":
				a.restored(path[i].ID, s)
			case s.Why == "restoring" && (i+1 == len(path) || !finishes(path[i+1], path[i].ID)):
				a.brokenOff(path[i].ID, s)
			}
		}
		begin = end
	}
	return a.done, a.undone
}

// finishes reports whether n records the end of the restoration that another node began.
func finishes(n tree.Node, began tree.ID) bool {
	end, ok := margin.SnapKind.Of(n)
	return ok && end.Began == began
}

// filing has the parts of a path so far.
type filing struct{ done, undone []filed }

// restored files a completed restoration: an undo moves what it undid from done to undone, a redo moves it back, and
// going back with files can itself be undone as a whole.
//
// One that nothing came of, because every file was in the way, leaves both as they are. A redo that went over edits made meanwhile is a
// change of its own: undoing it brings back the edits.
func (a *filing) restored(id tree.ID, s margin.Snap) {
	if len(s.Files) == 0 && len(s.Left) > 0 {
		return
	}
	of := func(f filed) bool { return f.node == s.Undid }
	was := cmp.Or(s.Kept, s.Was)
	f := filed{node: id, change: id, to: margin.Snap{Tree: was, Branch: s.Branch}, steps: []snapshot.Step{{Before: was, After: s.Tree}},
		on: cmp.Or(s.On, s.Branch)}
	if i := slices.IndexFunc(a.undone, of); i >= 0 { // a redo, and the repeated change can be undone again
		again := a.undone[i].first
		a.undone = slices.Delete(a.undone, i, i+1)
		if again != nil && len(s.Edited) == 0 {
			f.to, f.steps, f.on, f.change = again.to, again.steps, again.on, again.change
		}
		if !slices.ContainsFunc(a.done, func(g filed) bool { return g.change == f.change }) { // it is there after an interrupted undo
			a.done = append(a.done, f)
		}
	} else {
		if i := slices.IndexFunc(a.done, of); i >= 0 {
			f.first = new(a.done[i])
			a.done = slices.Delete(a.done, i, i+1)
		}
		a.undone = append(a.undone, f)
	}
	if was == "" { // nothing was different
		drop := func(g filed) bool { return g.node == f.node }
		a.done, a.undone = slices.DeleteFunc(a.done, drop), slices.DeleteFunc(a.undone, drop)
	}
}

// brokenOff files an interrupted restoration: the change it was to revert can still be reverted, and what it did can be reverted, too: an
// undo by redo, a redo by undo.
func (a *filing) brokenOff(id tree.ID, s margin.Snap) {
	f := filed{node: id, change: id, to: margin.Snap{Tree: s.Tree, Branch: s.Branch},
		steps: []snapshot.Step{{Before: s.Tree, After: s.Goal}}, on: cmp.Or(s.On, s.Branch)}
	if i := slices.IndexFunc(a.done, func(g filed) bool { return g.node == s.Undid }); i >= 0 {
		f.first = new(a.done[i])
	} else if slices.ContainsFunc(a.undone, func(g filed) bool { return g.node == s.Undid }) {
		a.done = append(a.done, f)
		return
	}
	a.undone = append(a.undone, f)
}

// changed returns what a turn did to the files: one step for each time it changed some, so that a person's changes
// between two steps stay. The last step has no end if the turn was interrupted in it. No steps: it changed no files.
func changed(turn []tree.Node) (f filed) {
	var before []margin.Snap // one element while a step is open
	add := func(after string) {
		if len(f.steps) == 0 {
			f.node, f.change, f.to = turn[0].ID, turn[0].ID, before[0]
		}
		f.steps = append(f.steps, snapshot.Step{Before: before[0].Tree, After: after})
	}
	for _, n := range turn {
		s, ok := margin.SnapKind.Of(n)
		if !ok || s.Why == "restored" || s.Why == "restoring" {
			continue
		}
		f.on = s.Branch
		if s.Why == "before" {
			before = []margin.Snap{s}
		} else if len(before) > 0 {
			if s.Tree != before[0].Tree {
				add(s.Tree)
			}
			before = nil
		}
	}
	if len(before) > 0 {
		add("")
	}
	return f
}
