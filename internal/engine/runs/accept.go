package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Accept brings the result of a run into the project: by fast-forward of the branch that is checked out, as changes of
// its files, or as a new branch, for which a pull request may be opened. It never overwrites uncommitted work. With
// Merge, Squash is ignored; with Branch, Patch is ignored.
type Accept struct {
	Run     string
	Branch  string // the branch to create; empty: fast-forward
	Partial bool   // even if steps are left
	Squash  bool   // as one commit
	Merge   bool   // with a merge commit on top
	Patch   bool   // as uncommitted changes of the files
	Request *Request
}

// Do implements engine.Op.
func (op Accept) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	_, was, _ := l.Status(ctx, op.Run)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if i := was.Bringing; i != nil && s.Bringing == nil && s.Accepted() && op.Request == nil &&
		i.Patch == op.Patch && i.Branch == op.Branch {
		return root, nil // it was complete, except for the record
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return root, err
	}
	if s.Head == s.Begun.Base.Commit && s.Head == s.Begun.Base.Head {
		return root, &engine.Refusal{Message: "run " + op.Run + " has merged nothing", Hint: "see why: socrates work show " + op.Run}
	}
	if left := s.Left(); len(left) > 0 && !op.Partial {
		return root, &engine.Refusal{Message: fmt.Sprintf("step %s is %s; nothing was accepted", left[0].ID, left[0].State),
			Hint: "accept what is merged: --partial; see why: socrates work show " + op.Run}
	}
	b := &acceptance{Library: l, root: root, s: s, op: op, space: space}
	if b.repo, err = git.Open(s.Frame.Dir); err != nil {
		return root, err
	}
	if op.Request != nil {
		return root, b.acceptByRequest(ctx)
	}
	back, err := takeBack(ctx, l, root, s)
	if err != nil {
		return root, err
	}
	t, err := b.bring(ctx)
	if err != nil {
		return root, alsoBack(err, back)
	}
	return root, recordTaken(ctx, l, root, t)
}

// acceptByRequest brings in the result by a pull request: the one that the run has, or a new one.
func (b *acceptance) acceptByRequest(ctx context.Context) error {
	t, none, err := b.existingRequest(ctx)
	if none && err == nil {
		b.op.Branch = cmp.Or(b.op.Branch, b.op.Run) // a request needs a branch
		t, err = b.bring(ctx)
	}
	if err != nil {
		return err
	}
	if b.s.Taken == nil || *b.s.Taken != t {
		if err := recordTaken(ctx, b.Library, b.root, t); err != nil {
			return err
		}
	}
	if b.op.Request.Merge == "" || t.State == accept.Merged {
		return nil
	}
	return b.automerge(ctx, t)
}

// recordTaken records that a result was brought in, and reports it to the debate whose decision it executes and to the conversations that
// began it.
func recordTaken(ctx context.Context, l *Library, root tree.ID, t accept.Taken) error {
	if err := annotate(ctx, l, root); err != nil {
		return err
	}
	if _, err := l.store.Append(ctx, accept.Kind.New(root, "person", t)); err != nil {
		return err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	return errors.Join(reportToDebate(ctx, l, nodes), tellTalks(ctx, l, root))
}

// annotate keeps the steps' commits in the project's repository, with a note on each: after a squash or rebase, and without the run, one
// can still find out which step wrote a line.
func annotate(ctx context.Context, l *Library, root tree.ID) error {
	_, s, err := l.byRoot(ctx, root)
	if err != nil {
		return err
	}
	repo, err := git.Open(s.Frame.Dir)
	if err != nil {
		return err
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return err
	}
	notes := map[string]string{}
	for _, m := range s.Merges {
		step, err := l.Step(ctx, s.Frame.Run, m.Task)
		if err != nil {
			return err
		}
		notes[m.Commit] = step.Note()
	}
	return space.Keep(ctx, repo, s.Frame.Run, s.Begun.Base.Head, s.Head, notes)
}

// acceptance is a result that is being brought into the project.
type acceptance struct {
	*Library
	root  tree.ID
	s     work.Status
	op    Accept
	space *workspace.Space
	repo  git.Repo
}

func (b *acceptance) bring(ctx context.Context) (accept.Taken, error) {
	head, err := b.repo.Head(ctx)
	if err != nil {
		return accept.Taken{}, err
	}
	base := b.s.Begun.Base.Head
	if _, err := b.repo.Resolve(ctx, base); err != nil {
		return accept.Taken{}, &engine.Refusal{Err: err,
			Message: "the commit the run began with is no longer in the repository; nothing was accepted",
			Hint:    "rebase the result onto the newest one: socrates work rebase " + b.op.Run}
	}
	commit, as, err := shape(ctx, b.space, b.s, b.op)
	if err != nil {
		return accept.Taken{}, err
	}
	to := accept.Begun{Commit: commit, Head: b.s.Head, Onto: head.Hash, Branch: b.op.Branch, Patch: b.op.Patch,
		Request: b.op.Request != nil}
	switch {
	case b.op.Branch != "":
		if err := (git.Store{}).CanBranch(ctx, b.repo, b.op.Branch); err != nil {
			return accept.Taken{}, &engine.Refusal{Message: err.Error(), Hint: "choose another name: --branch NAME"}
		}
		to.How = "branch " + b.op.Branch + as
		if t := b.s.Taken; t != nil && t.Commit == b.s.Head && t.How == to.How && !to.Request {
			at, err := b.repo.Resolve(ctx, "refs/heads/"+b.op.Branch)
			if err == nil && (git.Store{}).Leads(ctx, b.repo, cmp.Or(t.At, t.Commit), at) {
				return accept.Taken{}, b.already(*t)
			}
		}
		// The branch is ours if it is where this run would put it, and has no commit of anybody else.
		if known, err := b.repo.Resolve(ctx, "refs/heads/"+b.op.Branch); err == nil && to.Request && b.ours(known) {
			to.Commit = known // a request was interrupted after its branch was created
			return b.request(ctx, to)
		}
	case b.op.Patch:
		to.How = "patch"
		if t := b.s.Taken; t != nil && t.Commit == b.s.Head && t.How == to.How {
			if all, _, _, err := b.space.Brought(ctx, b.repo, b.s.Begun.Base.Commit, commit); err == nil && all {
				return accept.Taken{}, b.already(*t)
			}
		}
		if err := b.fits(ctx, b.s.Begun.Base.Commit, commit); err != nil {
			return accept.Taken{}, err
		}
	default:
		to.How = "fast-forward" + as
		if err := b.requireClean(ctx, head, commit); err != nil {
			return accept.Taken{}, err
		}
	}
	if _, err := b.store.Append(ctx, accept.BeginKind.New(b.root, "person", to)); err != nil {
		return accept.Taken{}, err
	}
	t, err := b.act(ctx, to)
	if err != nil && !to.Request {
		return b.failed(context.WithoutCancel(ctx), to, err)
	}
	return t, err
}

// failed reverts a change of the project that could not be completed, and records that nothing of it is left.
func (b *acceptance) failed(ctx context.Context, to accept.Begun, because error) (accept.Taken, error) {
	s := b.s
	s.Bringing = &to
	left, err := survey(ctx, b.Library, s)
	switch {
	case err != nil:
	case left.whole:
		return became(to), nil
	default:
		_, err = takeBack(ctx, b.Library, b.root, s)
	}
	refused, ok := errors.AsType[*engine.Refusal](because)
	if !ok {
		return accept.Taken{}, because
	}
	told := *refused
	switch left, ok := errors.AsType[*engine.Refusal](err); {
	case ok:
		told.Message, told.Hint = told.Message+"; "+left.Message, left.Hint
	case err != nil:
		return accept.Taken{}, errors.Join(because, err)
	case to.Branch != "":
		told.Message += "; nothing was accepted"
	default:
		told.Message += "; nothing was accepted"
		told.Hint = cmp.Or(locked(because), "repair that") + ", then run it again; or accept the result " + b.elsewhere()
	}
	return accept.Taken{}, &told
}

// locked returns what to do about the lock of a git process, if that is the error.
func locked(err error) string {
	if strings.Contains(err.Error(), ".lock'") { // of the index, of HEAD, of a branch
		return "wait until the other git command has ended, or delete its lock if it was killed"
	}
	return ""
}

// ours reports whether a branch is at a commit that this run would bring in now.
func (b *acceptance) ours(commit string) bool {
	begun, had := b.s.Bringing, b.s.Request
	return commit == b.s.Head || begun != nil && begun.Commit == commit && begun.Head == b.s.Head ||
		had != nil && had.Pushed == commit && had.Commit == b.s.Head
}

// already refuses what was done before.
func (b *acceptance) already(t accept.Taken) error {
	return &engine.Refusal{Message: "run " + b.op.Run + " is already accepted (" + t.How + ")",
		Hint: "see it: socrates work report " + b.op.Run}
}

// requireClean refuses a fast-forward if the project has moved on, has uncommitted changes, or has untracked files where the commit adds
// some. Other untracked files do not matter.
func (b *acceptance) requireClean(ctx context.Context, head git.Head, commit string) error {
	base := b.s.Begun.Base.Head
	if t := b.s.Taken; t != nil && t.Commit == b.s.Head && t.Branch == "" && head.Hash != base {
		return b.already(*t)
	}
	if head.Hash != base {
		return &engine.Refusal{Message: fmt.Sprintf("the project is at %s, but the run began at %s; nothing was accepted",
			head.Short(), base[:12]),
			Hint: "rebase the result onto that commit: socrates work rebase " + b.op.Run + "; or accept it " + b.elsewhere()}
	}
	changed, err := b.repo.Status(ctx, "")
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(changed, func(en git.FileStatus) bool { return en.State != "??" }); i >= 0 {
		return &engine.Refusal{Message: "the project has uncommitted changes (" + changed[i].Name + "); nothing was accepted",
			Hint: "commit or stash them, or accept the result " + b.elsewhere() + b.beside()}
	}
	return b.room(ctx, base, commit)
}

// fits refuses a patch of files that have changed in the project since the run began.
func (b *acceptance) fits(ctx context.Context, base, commit string) error {
	if err := b.room(ctx, base, commit); err != nil {
		return err
	}
	if err := b.space.Fits(ctx, b.repo, base, commit); err != nil {
		return &engine.Refusal{Err: err,
			Message: "the project has changed since the run began: " + err.Error() + "; nothing was accepted",
			Hint:    "rebase the result onto it: socrates work rebase " + b.op.Run + "; or accept it " + b.elsewhere()}
	}
	return nil
}

// room refuses a commit that would overwrite untracked or ignored files of the project.
func (b *acceptance) room(ctx context.Context, base, commit string) error {
	way, err := b.space.InTheWay(ctx, b.repo, base, commit)
	if err != nil || len(way) == 0 {
		return err
	}
	names := way[0]
	if more := len(way) - 1; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return &engine.Refusal{Message: "the result would overwrite files that the project has untracked (" + names + "); nothing was accepted",
		Hint: "move or delete them, or accept the result " + b.elsewhere()}
}

func (b *acceptance) elsewhere() string {
	return "as a branch: socrates work accept " + b.op.Run + " --branch " + b.op.Run
}

// beside is a hint for a run that began with uncommitted work: how to bring the result in beside that work. Empty: it began with none.
func (b *acceptance) beside() string {
	if base := b.s.Begun.Base; base.Commit == base.Head {
		return ""
	}
	return "; or change the files, without a commit: socrates work accept " + b.op.Run + " --patch"
}

// act changes the project. What it is about to do has been recorded.
func (b *acceptance) act(ctx context.Context, to accept.Begun) (accept.Taken, error) {
	base := b.s.Begun.Base.Head
	switch {
	case to.Branch != "":
		if err := b.space.Branch(ctx, b.repo, base, to.Commit, to.Branch); err != nil {
			return accept.Taken{}, &engine.Refusal{Message: "cannot create the branch " + to.Branch + ": " + err.Error(),
				Hint: "choose another name: --branch NAME"}
		}
		if to.Request {
			return b.request(ctx, to)
		}
	case to.Patch:
		if err := b.space.Apply(ctx, b.repo, b.s.Begun.Base.Commit, to.Commit); err != nil {
			return accept.Taken{}, &engine.Refusal{Message: "cannot change the files of the project: " + err.Error(), Err: err}
		}
	default:
		if err := b.space.FastForward(ctx, b.repo, base, to.Commit); err != nil {
			return accept.Taken{}, &engine.Refusal{Message: "git cannot fast-forward: " + err.Error(), Err: err}
		}
	}
	return became(to), nil
}

// became returns the record of a completed acceptance.
func became(b accept.Begun) accept.Taken {
	t := accept.Taken{Commit: b.Head, How: b.How, Branch: b.Branch}
	if b.Commit != b.Head && !b.Patch {
		t.At = b.Commit
	}
	return t
}

// shape makes the commit to bring in: the branch as it is, all of it as one commit, or a merge of it.
func shape(ctx context.Context, space *workspace.Space, s work.Status, op Accept) (commit, as string, err error) {
	if !op.Squash && !op.Merge {
		return s.Head, "", nil
	}
	of, err := space.Tree(ctx, s.Head)
	if err != nil {
		return "", "", err
	}
	parents, as := []string{s.Begun.Base.Head}, ", squashed"
	if op.Merge {
		parents, as = append(parents, s.Head), ", as a merge commit"
	}
	commit, err = space.Commit(ctx, of, s.Message(), parents...)
	return commit, as, err
}
