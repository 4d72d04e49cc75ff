package runs

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// left is what an acceptance that did not end has left in the project.
type left struct {
	whole bool     // the project was changed completely
	known bool     // otherwise it cannot be looked at now, or is looked at elsewhere
	files []string // of the result; none if the person went on with another commit
	other string   // a file that somebody has changed since; empty: none
}

// finish records the end of an acceptance that a killed process left, if the project was changed completely or not at
// all. It never changes the project: takeBack does, when somebody accepts again.
func finish(ctx context.Context, l *Library, root tree.ID, s work.Status) error {
	if s.Bringing == nil || s.Begun == nil {
		return nil
	}
	left, err := survey(ctx, l, s)
	switch {
	case err != nil:
		return err
	case left.whole:
		return recordTaken(ctx, l, root, became(*s.Bringing))
	case left.known && len(left.files) == 0:
		return recordNothing(ctx, l, root)
	}
	return nil
}

// recordNothing records that nothing is left of an acceptance.
func recordNothing(ctx context.Context, l *Library, root tree.ID) error {
	_, err := l.store.Append(ctx, accept.BeginKind.New(root, "person", accept.Begun{}))
	return err
}

// survey returns what the acceptance that a run records as begun has left.
func survey(ctx context.Context, l *Library, s work.Status) (left, error) {
	was := s.Bringing
	repo, err := git.Open(s.Frame.Dir)
	if err != nil {
		return left{}, nil // the project no longer exists, or is elsewhere for now
	}
	space, err := l.Space(ctx, s)
	if err != nil {
		return left{}, err
	}
	head, err := repo.Head(ctx)
	switch {
	case err != nil:
		return left{}, err
	case was.Request:
		return left{}, nil // whether it was opened is checked when a request is wanted again
	case was.Branch != "":
		at, err := repo.Resolve(ctx, "refs/heads/"+was.Branch)
		return left{whole: err == nil && (git.Store{}).Leads(ctx, repo, was.Commit, at), known: true}, nil
	case !was.Patch && (git.Store{}).Leads(ctx, repo, was.Commit, head.Hash):
		return left{whole: true, known: true}, nil
	}
	all, files, other, err := space.Brought(ctx, repo, from(s), was.Commit)
	if err != nil {
		return left{}, err
	}
	if was.Patch && all {
		return left{whole: true, known: true}, nil
	}
	if _, err := repo.Resolve(ctx, was.Onto); err != nil || head.Hash != was.Onto {
		return left{known: true}, nil // the person went on with something else: what is there is theirs
	}
	return left{known: true, files: files, other: other}, nil
}

// from is the commit whose files the project had before the result was brought in.
func from(s work.Status) string {
	if s.Bringing.Patch {
		return s.Begun.Base.Commit
	}
	return s.Begun.Base.Head
}

// takeBack reverts what an acceptance has left in the project: half of a patch, or files of a fast-forward whose branch
// never moved. It returns their names. If a person has changed one of the files since, it reverts nothing and says so.
func takeBack(ctx context.Context, l *Library, root tree.ID, s work.Status) ([]string, error) {
	if s.Bringing == nil {
		return nil, nil
	}
	left, err := survey(ctx, l, s)
	if err != nil || !left.known {
		return nil, err
	}
	names, other := left.files, left.other
	switch {
	case len(names) > 0 && other != "":
		return nil, &engine.Refusal{
			Message: "files of the result are in the project since an acceptance was interrupted (" + some(names) + "), and " + other +
				" has been changed since; nothing was accepted and nothing reverted",
			Hint: "commit, stash or restore your changes (git status), then run it again: socrates work accept " + s.Frame.Run}
	case len(names) > 0:
		space, repo, err := spaceAndProject(ctx, l, s)
		if err == nil {
			err = space.Withdraw(ctx, repo, from(s), s.Bringing.Commit)
		}
		if err != nil {
			return nil, &engine.Refusal{Err: err, Message: "files of the result are left in the project: " + err.Error(),
				Hint: cmp.Or(locked(err), "repair that") + ", then take them back: socrates work accept " + s.Frame.Run}
		}
	}
	return names, recordNothing(ctx, l, root)
}

// spaceAndProject opens a run's workspaces and the repository of its project.
func spaceAndProject(ctx context.Context, l *Library, s work.Status) (*workspace.Space, git.Repo, error) {
	space, err := l.Space(ctx, s)
	if err != nil {
		return nil, git.Repo{}, err
	}
	repo, err := git.Open(s.Frame.Dir)
	return space, repo, err
}

// alsoBack adds to a refusal which files were reverted before it.
func alsoBack(err error, names []string) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || len(names) == 0 {
		return err
	}
	told := *refused
	told.Message += "; what an interrupted acceptance had left was reverted: " + some(names)
	return &told
}

// some names the first of a list of files.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " …"
}
