package work

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Move puts the merged steps on top of another commit, the project's current one: step by step, each checked again
// there. Steps that clash with the new commits, and those that depend on them, are to be repeated by the same
// executors. Nothing is recorded before all of that is known. The refs are set around the record as in advance:
// moves/ keeps the commits alive, then the record is written, then the branch moves.
func (r *Run) Move(ctx context.Context, j journal.Journal, onto string) error {
	s, err := r.load(j)
	if err != nil {
		return err
	}
	m := record.Moved{Key: onto, From: s.Begun.Base.Commit, Onto: onto}
	r.base, r.head = onto, onto
	again := map[string]bool{}
	for i, merged := range s.Merges {
		t := s.Task(merged.Task)
		if t == nil {
			return fmt.Errorf("the plan no longer has a step %s", merged.Task)
		}
		redo := false
		for _, need := range t.Needs {
			redo = redo || again[need]
		}
		var clash *record.Clash
		if !redo {
			if clash, err = r.pick(ctx, *t, merged, &m, i+1 == len(s.Merges)); err != nil {
				return err
			}
		}
		if clash != nil {
			m.Clashes = append(m.Clashes, *clash)
			if clash.Text != "" {
				m.Texts = append(m.Texts, clash.Text)
			}
		}
		if redo || clash != nil {
			again[t.ID] = true
			m.Again = append(m.Again, t.ID)
		}
	}
	m.Head = r.head
	if err := r.Space.Point(ctx, "moves/"+onto, m.Head); err != nil {
		return err
	}
	if err := r.book.Add(ctx, record.MoveKind.New(r.root, "code", m)); err != nil {
		return err
	}
	return r.Space.Point(ctx, "heads/run", m.Head)
}

// pick puts one merged step on top of the branch being rebuilt, if it fits and is green there; last: with the checks
// of all.
func (r *Run) pick(ctx context.Context, t Task, was record.Merged, m *record.Moved, last bool) (*record.Clash, error) {
	clash := &record.Clash{Key: "moved/" + m.Key + "/" + t.ID, Task: t.ID, Kept: was.Commit}
	tree, files, err := r.Space.Pick(ctx, r.head, was.Onto, was.Commit)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		clash.Files = files
		return clash, nil
	}
	c := record.Claim{Task: t.ID, Attempt: was.Attempt, Executor: t.Executor}
	commit, err := r.Space.Commit(ctx, tree, commitMessage(r.frame.Run, t.Task, c), r.head)
	if err != nil {
		return nil, err
	}
	var with []record.Merged
	if last {
		with = m.Picks
	}
	if clash.Check, err = r.failingCheck(ctx, t, with, commit); err != nil {
		return nil, err
	}
	if clash.Check != nil {
		clash.Text, err = keepOutput(ctx, r, commit, clash.Check)
		return clash, err
	}
	m.Picks = append(m.Picks, record.Merged{Key: t.ID, Task: t.ID, Attempt: was.Attempt, Change: was.Change, Commit: commit, Onto: r.head})
	r.head = commit
	return nil, nil
}

// applyMove applies a move of the merged steps to another commit.
func (s *Status) applyMove(m record.Moved) {
	begun := *s.Begun
	begun.Base.Commit, begun.Base.Head = m.Onto, m.Onto
	s.Begun, s.Head, s.Merges, s.Taken, s.Request, s.State = &begun, m.Head, m.Picks, nil, nil, Open
	for _, p := range m.Picks {
		if t := s.Task(p.Task); t != nil {
			t.Commit = p.Commit
		}
	}
	for _, id := range m.Again {
		t := s.Task(id)
		if t == nil {
			continue
		}
		t.reset()
		t.Commit = ""
		for _, c := range m.Clashes {
			if c.Task == id {
				t.Clash = &c
			}
		}
	}
	if len(s.Left()) == 0 {
		s.State = Done
	}
}
