package conversation

import (
	"cmp"
	"slices"

	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// filed is a part of a conversation that changed the files of the project, with what it takes to take it back.
// It is computed from a path each time and never stored.
type filed struct {
	node   tree.ID // the state before a turn, or where files were brought back
	to     margin.Snap
	steps  []snapshot.Step
	on     string  // the branch of the repository it left
	by     string  // what takes it back: undo, redo, or empty
	beyond bool    // files outside the project were changed in it or since
	first  *filed  // what was undone, of one that can be done again
	change tree.ID // the node of the change itself, however often it was undone and done again
}

// filings are the parts of a path that changed files, oldest first: those that can be undone, and those that can be done
// again.
// A turn is filed where it begins, a restore where it ended. A turn that nobody can take back, because its state
// before is not known, is in neither.
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

// finishes says whether a node says that the files were brought back, which another began.
func finishes(n tree.Node, began tree.ID) bool {
	end, ok := margin.SnapKind.Of(n)
	return ok && end.Began == began
}

// filing is the parts of a path so far.
type filing struct{ done, undone []filed }

// restored files a bringing back that ended: an undo moves what it undid from done to undone, a redo moves it back,
// and a going back with files is undone as a whole.
func (a *filing) restored(id tree.ID, s margin.Snap) {
	of := func(f filed) bool { return f.node == s.Undid }
	was := cmp.Or(s.Kept, s.Was)
	f := filed{node: id, change: id, to: margin.Snap{Tree: was, Branch: s.Branch}, steps: []snapshot.Step{{Before: was, After: s.Tree}},
		on: cmp.Or(s.On, s.Branch)}
	if i := slices.IndexFunc(a.undone, of); i >= 0 { // a redo, and what it did again can be undone again
		again := a.undone[i].first
		a.undone = slices.Delete(a.undone, i, i+1)
		if again != nil {
			f.to, f.steps, f.on, f.change = again.to, again.steps, again.on, again.change
		}
		if !slices.ContainsFunc(a.done, func(g filed) bool { return g.change == f.change }) { // it is, if the undo was broken off
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

// brokenOff files a bringing back that did not end: what it was to take back can still be taken back, and what it did can be, too: of an
// undo by redo, of a redo by undo.
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

// changed is what a turn did to the files: one step for each time it changed some, so that what a person changed between
// two of them stays. The last has no end if the turn was broken off in it. No steps: it changed none.
func changed(turn []tree.Node) (f filed) {
	var before []margin.Snap // one, while a step is open
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
