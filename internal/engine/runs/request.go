package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/forge"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/work/accept"
)

// Request is a pull or merge request for the branch.
type Request struct {
	Remote      string
	Draft, Push bool
	Merge       string // how the forge merges it once its checks have passed; empty: it does not
}

// request opens a pull request for the branch, from a repository that contains only the project's commit.
func (b *acceptance) request(ctx context.Context, to accept.Begun) (accept.Taken, error) {
	r, err := b.Report(ctx, b.op.Run)
	if err != nil {
		return accept.Taken{}, err
	}
	url, address := "", ""
	err = b.atForge(ctx, b.op.Request.Remote, forge.Request{Branch: to.Branch,
		Base: b.s.Begun.Base.Branch, Commit: to.Commit, Title: b.store.Clean(cmp.Or(b.s.Title(), "The result of run "+b.op.Run)),
		Body: b.store.Clean(r.Request()), Draft: b.op.Request.Draft, Push: b.op.Request.Push}, func(r forge.Request) error {
		address = r.Address
		url, err = forge.Open(ctx, r)
		return err
	})
	if err != nil {
		return accept.Taken{}, err
	}
	url = b.store.Clean(url)
	return accept.Taken{Commit: to.Head, How: "branch " + to.Branch + ", " + url, Branch: to.Branch, URL: url,
		Address: b.store.Clean(forge.Place(address)), Pushed: to.Commit, State: accept.Open}, nil
}

// existingRequest is the request that the run already has, in its current state at the forge. none means that a new one is wanted, since
// the run has none, or another branch or another forge is meant. The forge is asked about this very request, not about a branch of that
// name.
func (b *acceptance) existingRequest(ctx context.Context) (t accept.Taken, none bool, err error) {
	if b.s.Request == nil || b.op.Branch != "" && b.op.Branch != b.s.Request.Branch {
		return t, true, nil
	}
	t = *b.s.Request
	another := "open another: socrates work accept " + b.op.Run + " --pr --branch NAME"
	var state, commit string
	err = b.atForge(ctx, b.op.Request.Remote, forge.Request{}, func(r forge.Request) error {
		if none = t.Address != "" && t.Address != b.store.Clean(forge.Place(r.Address)); !none {
			state, commit, err = forge.Look(ctx, r, t.URL)
		}
		return err
	})
	if refused, ok := errors.AsType[*engine.Refusal](err); ok && state == "" && refused.Hint != "" {
		refused.Hint += "; or open " + another
	}
	if none || err != nil {
		return t, none, err
	}
	switch {
	case state == "closed":
		return t, false, &engine.Refusal{Message: "the pull request of run " + b.op.Run + " was closed without being merged: " + t.URL,
			Hint: "reopen it there, or open " + another}
	case t.Commit != b.s.Head:
		return t, false, &engine.Refusal{Hint: "more steps were merged since; for all of them, open " + another,
			Message: fmt.Sprintf("the pull request of run %s is %s and has the run's result only up to %.12s: %s",
				b.op.Run, state, t.Commit, t.URL)}
	}
	t.How, t.State = "branch "+t.Branch+", "+t.URL, accept.State(state)
	switch {
	case state == "merged":
		t.How += " (merged)"
	case t.Pushed != "" && commit != "" && commit != t.Pushed:
		t.State = accept.Moved
	}
	return t, false, nil
}

// automerge makes the forge merge the request by itself. The request is open and recorded by then, even if this fails.
func (b *acceptance) automerge(ctx context.Context, t accept.Taken) (err error) {
	at := t.Pushed
	if at == "" { // recorded by a version that did not store it
		if at, err = b.repo.Resolve(ctx, "refs/heads/"+t.Branch); err != nil {
			return err
		}
	}
	return b.atForge(ctx, b.op.Request.Remote, forge.Request{Branch: t.Branch, Commit: at}, func(r forge.Request) error {
		return forge.Automerge(ctx, r, t.URL, b.op.Request.Merge)
	})
}

// atForge does something at the forge of a remote, from a repository that has nothing of the project.
func (b *acceptance) atForge(ctx context.Context, remote string, r forge.Request, do func(r forge.Request) error) error {
	address, err := b.space.Remote(ctx, b.repo, remote)
	if err != nil {
		return &engine.Refusal{Message: "the project has no remote " + remote, Hint: "add one: git remote add " + remote + " URL"}
	}
	err = b.space.Neutral(ctx, address, func(dir string) error {
		r.Dir, r.Remote, r.Address = dir, remote, address
		return do(r)
	})
	if e, ok := errors.AsType[*forge.Error](err); ok {
		return &engine.Refusal{Message: b.store.Clean(e.Message), Hint: b.store.Clean(e.Hint)}
	}
	return err
}

// Checks waits for the forge's checks of the request by which a run was accepted, and returns those that failed; none: it has no checks.
func (l *Library) Checks(ctx context.Context, run, remote string) (failed []string, none bool, err error) {
	_, s, err := l.Status(ctx, run)
	if err != nil {
		return nil, false, err
	}
	if s.Request == nil {
		return nil, false, &engine.Refusal{Message: "run " + run + " has no pull request",
			Hint: "open one: socrates work accept " + run + " --pr"}
	}
	b := &acceptance{Library: l, s: s}
	if b.repo, err = git.Open(s.Frame.Dir); err != nil {
		return nil, false, err
	}
	if b.space, err = l.Space(ctx, s); err != nil {
		return nil, false, err
	}
	err = b.atForge(ctx, remote, forge.Request{Branch: s.Request.Branch}, func(r forge.Request) error {
		failed, none, err = forge.Checks(ctx, r, s.Request.URL)
		return err
	})
	for i := range failed {
		failed[i] = l.store.Clean(failed[i])
	}
	return failed, none, err
}
