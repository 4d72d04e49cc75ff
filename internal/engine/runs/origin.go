package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/report"
	"github.com/socrates-cli/socrates/internal/work/review"
	"github.com/socrates-cli/socrates/internal/work/trace"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Origin is where a line of the project comes from.
type Origin struct {
	File    string       `json:"file"` // from the top of the repository
	Line    int          `json:"line"`
	Text    string       `json:"text"`
	Commit  string       `json:"commit"` // all zeros: it is not committed
	Subject string       `json:"subject"`
	Date    string       `json:"date"`
	By      string       `json:"found_by,omitempty"` // trailers of the commit, or content: the run has this line in this file
	Marks   []trace.Mark `json:"marks,omitempty"`    // what the commit says of itself
	Steps   []trace.Step `json:"steps,omitempty"`    // that brought it: one, unless a squash leaves several possible
}

// Step is a step of a run with all that led to it.
func (l *Library) Step(ctx context.Context, run, id string) (trace.Step, error) {
	root, err := l.Root(ctx, run)
	if err != nil {
		return trace.Step{}, err
	}
	nodes, s, err := l.byRoot(ctx, root)
	if err != nil {
		return trace.Step{}, err
	}
	step, ok := trace.Of(s, nodes, id)
	if !ok {
		return step, &engine.Refusal{Message: fmt.Sprintf("run %s has no step %q", run, id),
			Hint: "see its steps: socrates work show " + run}
	}
	t, err := l.talks.Open(ctx, step.Conversation)
	if step.Conversation == "" || errors.Is(err, store.ErrNotFound) {
		return step, nil
	}
	if err != nil {
		return step, err
	}
	all, err := l.store.Tree(ctx, t.Root)
	for _, spent := range spending.Spent(all) {
		step.Models = append(step.Models, spent.Model)
	}
	return step, err
}

// Origin finds the run and the step that brought a line of a file, also after a squash or a rebase: by the trailers of its commit, or
// because the run has the same line in the same file.
func (l *Library) Origin(ctx context.Context, file string, line int) (o Origin, err error) {
	repo, at, err := blame(ctx, file, line, &o)
	if err != nil || strings.Trim(at.Hash, "0") == "" {
		return o, err
	}
	name := filepath.Base(file)
	shown, err := repo.Show(ctx, git.Query{From: at.Hash, Stat: true, Size: 1 << 20})
	if err != nil {
		return o, err
	}
	if o.Marks = trace.Marks(shown.Body); len(o.Marks) != 1 {
		blobs, err := repo.Objects(ctx, at.Hash, []string{name})
		if err != nil {
			return o, err
		}
		step, err := l.byContent(ctx, repo.Top(), o, at.Was, blobs[name])
		if err != nil {
			return o, err
		}
		if step != nil {
			o.By, o.Steps = "content", []trace.Step{*step}
			return o, nil
		}
	}
	err = marked(ctx, l, &o)
	return o, err
}

// blame asks git for the commit of a line.
func blame(ctx context.Context, file string, line int, o *Origin) (repo git.Repo, at git.Origin, err error) {
	dir, name := filepath.Split(file)
	repo, err = git.Open(dir)
	if errors.Is(err, git.ErrNone) {
		return repo, at, &engine.Refusal{Message: file + " is in no git repository"}
	}
	if err != nil {
		return repo, at, err
	}
	found, err := repo.Blame(ctx, "", name, line, line)
	if err != nil || len(found) == 0 {
		return repo, at, &engine.Refusal{Message: fmt.Sprintf("git knows no line %d of %s", line, name), Err: err}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return repo, at, err
	}
	rel, err := filepath.Rel(repo.Top(), filepath.Join(real, name))
	if err != nil {
		return repo, at, err
	}
	at = found[0]
	*o = Origin{File: filepath.ToSlash(rel), Line: line, Text: at.Text, Commit: at.Hash, Subject: at.Subject, Date: at.Date}
	return repo, at, nil
}

// marked finds the steps that the commit of a line names.
func marked(ctx context.Context, l *Library, o *Origin) error {
	for _, m := range o.Marks {
		step, err := l.Step(ctx, m.Run, m.Step)
		if errors.Is(err, store.ErrNotFound) {
			continue // the run was deleted; the marks say what is left
		}
		if err != nil {
			return err
		}
		o.By, o.Steps = "trailers", append(o.Steps, step)
	}
	return nil
}

// byContent finds the step whose run has the line in the file. Where the whole file is the same, its number says which line it is;
// else the text must be long enough, and only one step may have brought it.
func (l *Library) byContent(ctx context.Context, top string, o Origin, line int, blob string) (*trace.Step, error) {
	all, err := l.List(ctx, top)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if len(o.Marks) > 0 && !slices.ContainsFunc(o.Marks, func(m trace.Mark) bool { return m.Run == r.Name }) {
			continue
		}
		_, s, err := l.Status(ctx, r.Name)
		if err != nil {
			return nil, err
		}
		if s.Begun == nil || len(s.Merges) == 0 {
			continue
		}
		if _, err := os.Stat(s.Begun.Space); err != nil {
			continue // its workspaces are gone
		}
		space, err := l.Space(ctx, s)
		if err != nil {
			return nil, err
		}
		if id := brought(ctx, space, s, o, line, blob); id != "" {
			step, err := l.Step(ctx, r.Name, id)
			return &step, err
		}
	}
	return nil, nil
}

// leastText is how many characters besides blanks a line must have to be known by its text alone.
const leastText = 10

// brought is the step of a run that brought a line; empty: none, or it cannot be told.
func brought(ctx context.Context, space *workspace.Space, s work.Status, o Origin, line int, blob string) string {
	of := map[string]string{}
	for _, m := range s.Merges {
		of[m.Commit] = m.Task
	}
	for _, m := range slices.Backward(s.Merges) {
		if blob == "" || space.Blob(ctx, m.Commit, o.File) != blob {
			continue
		}
		if lines, err := space.Lines(ctx, m.Commit, o.File); err == nil && line >= 1 && line <= len(lines) {
			return of[lines[line-1].Commit]
		}
	}
	if len(o.Marks) == 0 && len(strings.Join(strings.Fields(o.Text), "")) < leastText {
		return ""
	}
	lines, err := space.Lines(ctx, s.Head, o.File)
	if err != nil {
		return "" // the run has no such file
	}
	found := map[string]bool{}
	for _, l := range lines {
		if l.Text == o.Text {
			found[of[l.Commit]] = true
		}
	}
	if len(found) != 1 {
		return ""
	}
	for id := range found {
		return id
	}
	return ""
}

// Review is what a run changed, piece by piece, first what is least proved.
func (l *Library) Review(ctx context.Context, run string) ([]review.Hunk, error) {
	_, s, err := l.Status(ctx, run)
	if err != nil {
		return nil, err
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return nil, err
	}
	var changes []review.Change
	for _, m := range s.Merges {
		step, err := l.Step(ctx, run, m.Task)
		if err != nil {
			return nil, err
		}
		patch, err := space.Patch(ctx, m.Onto, m.Commit)
		if err != nil {
			return nil, err
		}
		changes = append(changes, review.Change{Step: step, Task: s.Task(m.Task).Task, Patch: patch})
	}
	known := map[string]bool{}
	return review.Order(changes, func(word string) (bool, error) {
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

// Report is a run with all its steps, as it is told to people who were not there.
func (l *Library) Report(ctx context.Context, run string) (r report.Report, err error) {
	if _, r.Status, err = l.Status(ctx, run); err != nil {
		return r, err
	}
	r.Asked = r.Status.Frame.Asked
	if refined := r.Status.Refined; refined != nil {
		if r.Asked, err = l.store.Named(ctx, refined.Text); err != nil {
			return r, err
		}
	}
	for _, t := range r.Status.Tasks {
		step, err := l.Step(ctx, run, t.ID)
		if err != nil {
			return r, err
		}
		r.Steps = append(r.Steps, step)
	}
	return r, nil
}
