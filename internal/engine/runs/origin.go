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
	"github.com/socrates-cli/socrates/internal/work/report"
	"github.com/socrates-cli/socrates/internal/work/trace"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Origin says where a line of the project comes from.
type Origin struct {
	File    string       `json:"file"` // path from the top of the repository
	Line    int          `json:"line"`
	Text    string       `json:"text"`
	Commit  string       `json:"commit"` // all zeros: the line is not committed
	Subject string       `json:"subject"`
	Date    string       `json:"date"`
	By      string       `json:"found_by,omitempty"` // trailers of its commit, a note on it, content of the run, or kept commits
	Note    string       `json:"note,omitempty"`     // on the commit of the step
	Marks   []trace.Mark `json:"marks,omitempty"`    // what the commit's message says
	Steps   []trace.Step `json:"steps,omitempty"`    // that wrote the line: one, unless a squash leaves several possible
}

// Step returns a step of a run with its history.
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

// Origin finds the run and the step that wrote a line of a file, even after a squash or a rebase: by the trailers of its commit or the
// note on it, because a run has the same line in the same place, or because the repository keeps a run's commits that do. The cheapest
// method is tried first. Several steps are returned only if a squash leaves it open; none is no error.
func (l *Library) Origin(ctx context.Context, file string, line int) (o Origin, err error) {
	repo, at, err := blame(ctx, file, line, &o)
	if err != nil || strings.Trim(at.Hash, "0") == "" {
		return o, err
	}
	s := &search{Library: l, repo: repo, name: filepath.Base(file), line: at.Was}
	if o.Marks, err = s.marks(ctx, at.Hash); err != nil {
		return o, err
	}
	if o.By = "trailers"; len(o.Marks) == 0 {
		o.By, o.Note = "note", l.store.Clean(s.annals.Noted(ctx, repo, at.Hash))
		o.Marks = trace.Marks(o.Note)
	}
	// One mark is conclusive. Without one, or with those of a squash, the content decides.
	if len(o.Marks) != 1 {
		if s.text, err = s.lines(ctx, at.Hash); err != nil {
			return o, err
		}
		step, err := s.byContent(ctx, o)
		if err != nil {
			return o, err
		}
		if step != nil {
			o.By, o.Steps = "content", []trace.Step{*step}
			return o, nil
		}
		if err := s.byKept(ctx, &o); err != nil {
			return o, err
		}
	}
	if len(o.Marks) == 0 {
		o.By = ""
	}
	return o, marked(ctx, l, &o)
}

// mostText bounds a file that is searched for lines.
const mostText = 64 << 20

// search is a search for the step that wrote a line.
type search struct {
	*Library
	repo   git.Repo
	annals git.Store // reads what a repository keeps; it has no repository of its own
	name   string    // of the file, in the folder that repo was opened in
	line   int       // number in the commit that has it
	text   []string  // of the file in that commit
}

// marks are the marks in the message of a commit.
func (s *search) marks(ctx context.Context, commit string) ([]trace.Mark, error) {
	shown, err := s.repo.Show(ctx, git.Query{From: commit, Stat: true, Size: 1 << 20})
	return trace.Marks(shown.Body), err
}

// byKept finds the commit of a step that the repository keeps and that has the line in the same place.
func (s *search) byKept(ctx context.Context, o *Origin) error {
	kept, err := s.annals.Kept(ctx, s.repo)
	if err != nil {
		return err
	}
	for _, head := range kept {
		commit, err := s.keptLine(ctx, head)
		if err != nil {
			return err
		}
		if commit == "" {
			continue
		}
		if marks, err := s.marks(ctx, commit); err != nil || len(marks) == 1 {
			o.By, o.Marks, o.Note = "kept", marks, s.store.Clean(s.annals.Noted(ctx, s.repo, commit))
			return err
		}
	}
	return nil
}

// blame asks git for the commit of a line.
func blame(ctx context.Context, file string, line int, o *Origin) (repo git.Repo, at git.Origin, err error) {
	dir, name := filepath.Split(file)
	repo, err = git.Open(dir)
	if errors.Is(err, git.ErrNone) {
		return repo, at, &engine.Refusal{Message: file + " is not in a git repository"}
	}
	if err != nil {
		return repo, at, err
	}
	found, err := repo.Blame(ctx, "", name, line, line)
	if err != nil || len(found) == 0 {
		return repo, at, &engine.Refusal{Message: fmt.Sprintf("git has no line %d in %s", line, name), Err: err}
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
			continue // the run was deleted; the marks are all that is left
		}
		if err != nil {
			return err
		}
		o.Steps = append(o.Steps, step)
	}
	return nil
}

// keptLine is the commit that added the line to a kept commit; empty: that does not have the line.
func (s *search) keptLine(ctx context.Context, head string) (string, error) {
	lines, err := s.lines(ctx, head)
	if err != nil || len(lines) == 0 {
		return "", nil // it does not have the file
	}
	from, err := s.repo.Blame(ctx, head, s.name, 1, len(lines))
	theirs := make([]workspace.Line, len(from))
	for i, l := range from {
		theirs[i] = workspace.Line{Commit: l.Hash, Text: l.Text}
	}
	return workspace.Align(s.text, s.line, theirs), err
}

// lines are the lines of the file at a commit.
func (s *search) lines(ctx context.Context, commit string) ([]string, error) {
	body, cut, err := s.repo.Blob(ctx, commit, s.name, mostText)
	if cut {
		err = fmt.Errorf("%s is larger than %d MB", s.name, mostText>>20)
	}
	if err != nil || len(body) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(body), "\n"), "\n"), nil
}

// byContent finds the step whose run has the line in the same place of the file.
func (s *search) byContent(ctx context.Context, o Origin) (*trace.Step, error) {
	all, err := s.List(ctx, s.repo.Top())
	if err != nil {
		return nil, err
	}
	blobs, err := s.repo.Objects(ctx, o.Commit, []string{s.name})
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if len(o.Marks) > 0 && !slices.ContainsFunc(o.Marks, func(m trace.Mark) bool { return m.Run == r.Name }) {
			continue
		}
		_, st, err := s.Status(ctx, r.Name)
		if err != nil {
			return nil, err
		}
		if st.Begun == nil || len(st.Merges) == 0 {
			continue
		}
		if _, err := os.Stat(st.Begun.Space); err != nil {
			continue // its workspaces no longer exist
		}
		space, err := s.Space(ctx, st)
		if err != nil {
			return nil, err
		}
		if id := s.brought(ctx, space, st, o.File, blobs[s.name]); id != "" {
			step, err := s.Step(ctx, r.Name, id)
			return &step, err
		}
	}
	return nil, nil
}

// brought is the step of a run that wrote the line; empty: none, or it cannot be determined. If the whole file is the
// same, the line's number identifies it. Later merges are tried first: several may have changed the line.
func (s *search) brought(ctx context.Context, space *workspace.Space, st work.Status, file, blob string) string {
	of := map[string]string{}
	for _, m := range st.Merges {
		of[m.Commit] = m.Task
	}
	for _, m := range slices.Backward(st.Merges) {
		if blob == "" || space.Blob(ctx, m.Commit, file) != blob {
			continue
		}
		if lines, err := space.Lines(ctx, m.Commit, file); err == nil && s.line >= 1 && s.line <= len(lines) {
			return of[lines[s.line-1].Commit]
		}
	}
	lines, err := space.Lines(ctx, st.Head, file)
	if err != nil {
		return "" // the run does not have the file
	}
	return of[workspace.Align(s.text, s.line, lines)]
}

// Report is a run with all its steps, as reported to people who did not watch.
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
