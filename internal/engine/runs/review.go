package runs

import (
	"context"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/mutant"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/review"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Mutate tests a run's checks: it puts small faults into the lines the run merged, in clean clones, and records those that no check
// notices. Faults tried before are not tried again. It does not change the result, and needs that no process executes the run.
type Mutate struct {
	Run   string
	Most  int           // faults to try now
	Limit time.Duration // for all of them
}

// Do implements engine.Op.
func (op Mutate) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	space, err := l.Space(ctx, s)
	if err == nil {
		err = requireOwn(l, s, root)
	}
	seq := int64(0)
	if err == nil {
		seq, err = l.store.Version(ctx)
	}
	if err != nil {
		unlock()
		return root, err
	}
	l.core.Start(ctx, root, seq, func(ctx context.Context, _ *engine.Job) error {
		defer unlock()
		changes, err := changesOf(ctx, l, s, space)
		if err != nil {
			return err
		}
		hunks, err := order(ctx, space, s, changes)
		if err != nil {
			return err
		}
		nodes, err := l.store.Tree(ctx, root)
		if err != nil {
			return err
		}
		r := &work.Run{Space: space, Check: l.wiring.Check}
		return r.Mutate(ctx, journalOf(l, nodes), spots(s, changes, hunks), op.Most, op.Limit)
	})
	return root, nil
}

// Review returns the run's changes for a person, hunk by hunk, the least proved first. What an eye would not see is
// written as numbers.
func (l *Library) Review(ctx context.Context, run string) ([]review.Hunk, error) {
	root, s, err := l.Status(ctx, run)
	if err != nil {
		return nil, err
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return nil, err
	}
	changes, err := changesOf(ctx, l, s, space)
	if err != nil {
		return nil, err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, m := range mutant.Kind.All(nodes) {
		if m.Head != s.Head || m.Fate == mutant.Stillborn {
			continue
		}
		for i, c := range changes {
			if p := slices.IndexFunc(c.lines, func(p addedLine) bool { return p.file == m.File && p.now == m.Line }); p >= 0 {
				changes[i].Mutants = append(changes[i].Mutants, review.Mutant{File: m.File, Line: c.lines[p].line, Change: m.Change(),
					Survived: m.Fate == mutant.Survived})
			}
		}
	}
	hunks, err := order(ctx, space, s, changes)
	for i := range hunks {
		hunks[i].Text = clean.Reveal(hunks[i].Text)
	}
	return hunks, err
}

// change is a step's change, with its lines that the branch still has.
type change struct {
	review.Change
	lines []addedLine
}

// addedLine is a line that a step added: where it was then, and where it is now.
type addedLine struct {
	file, text string
	line, now  int
}

// changesOf returns the changes of a run's merged steps.
func changesOf(ctx context.Context, l *Library, s work.Status, space *workspace.Space) (changes []change, err error) {
	now := map[string][]workspace.Line{}
	for _, m := range s.Merges {
		c := change{Change: review.Change{Task: s.Task(m.Task).Task}}
		if c.Step, err = l.Step(ctx, s.Frame.Run, m.Task); err != nil {
			return nil, err
		}
		if c.Patch, err = space.Patch(ctx, m.Onto, m.Commit); err != nil {
			return nil, err
		}
		edits, err := space.Edits(ctx, m.Onto, m.Commit)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			if !mutant.Code(e.Name) || len(proof.Tests([]workspace.Edit{e})) > 0 || !space.Exists(ctx, s.Head, e.Name) {
				continue
			}
			if now[e.Name] == nil {
				if now[e.Name], err = space.Lines(ctx, s.Head, e.Name); err != nil {
					return nil, err
				}
			}
			c.lines = append(c.lines, kept(e.Name, review.Added(c.Patch, e.Name), now[e.Name], m.Commit)...)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// kept returns the added lines of a file that it still has from that commit. Both lists are in the order of the file.
func kept(file string, added []review.Line, now []workspace.Line, commit string) (lines []addedLine) {
	at := 0
	for _, a := range added {
		for i := at; i < len(now); i++ {
			if now[i].Commit == commit && now[i].Text == a.Text {
				lines, at = append(lines, addedLine{file, a.Text, a.Line, i + 1}), i+1
				break
			}
		}
	}
	return lines
}

// order sorts the hunks, the least proved first. Whether a test mentions a word is asked of git, and cached: the same
// names recur in many hunks.
func order(ctx context.Context, space *workspace.Space, s work.Status, changes []change) ([]review.Hunk, error) {
	known := map[string]bool{}
	var all []review.Change
	for _, c := range changes {
		all = append(all, c.Change)
	}
	return review.Order(all, func(word string) (bool, error) {
		if ok, seen := known[word]; seen {
			return ok, nil
		}
		names, err := space.Mentions(ctx, s.Head, word)
		var edits []workspace.Edit
		for _, name := range names {
			edits = append(edits, workspace.Edit{Name: name})
		}
		known[word] = len(proof.Tests(edits)) > 0
		return known[word], err
	})
}

// mostLines is how many lines of a hunk get faults.
const mostLines = 8

// spots are the lines to try: first one of each hunk, the most doubtful hunks first, then the next line of each.
func spots(s work.Status, changes []change, hunks []review.Hunk) (list []mutant.Spot) {
	var pieces [][]mutant.Spot
	for _, h := range hunks {
		i := slices.IndexFunc(changes, func(c change) bool { return c.Step.ID == h.Step })
		var piece []mutant.Spot
		for _, p := range changes[i].lines {
			if _, ok := h.Adds(p.line); ok && p.file == h.File && len(mutant.Of(p.text)) > 0 {
				piece = append(piece, mutant.Spot{File: p.file, Text: p.text, Line: p.now, Checks: checksOf(s, changes[i])})
			}
		}
		if n := len(piece); n > mostLines { // spread over the piece
			for i := range mostLines {
				piece[i] = piece[i*n/mostLines]
			}
			piece = piece[:mostLines]
		}
		pieces = append(pieces, piece)
	}
	for i := range mostLines {
		for _, p := range pieces {
			if i < len(p) {
				list = append(list, p[i])
			}
		}
	}
	return list
}

// checksOf returns the checks that should notice a fault of a step: its own and the project's or, if it has none, those of the steps that
// build on it.
func checksOf(s work.Status, c change) (list [][]string) {
	own := func(id string) {
		if t := s.Task(id); t != nil {
			for _, check := range t.Checks {
				if len(check.Command) > 0 {
					list = append(list, check.Command)
				}
			}
		}
	}
	own(c.Task.ID)
	if list = append(list, s.Options().Checks...); len(s.Options().Checks) > 0 {
		return list
	}
	for _, t := range s.Tasks {
		if slices.Contains(t.Needs, c.Task.ID) {
			own(t.ID)
		}
	}
	return list
}
