package issues

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/forge"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Target is where the issues of a project are filed, and the program that files them.
type Target struct {
	Remote  string `json:"remote"`
	Address string `json:"address"` // without a user or a password
	Program string `json:"program"` // gh or glab
	to      string
}

// Target finds out where a draft of a project would be filed; remote empty: origin.
func (l *Library) Target(ctx context.Context, dir, remote string) (Target, error) {
	t := Target{Remote: cmp.Or(remote, "origin")}
	repo, err := git.Open(dir)
	if err == nil {
		t.to, err = git.Store{}.Remote(ctx, repo, t.Remote)
	}
	if err != nil {
		return t, &engine.Refusal{Message: "the project has no remote " + t.Remote + ", so there is nowhere to file an issue",
			Hint: "add one: git remote add " + t.Remote + " URL; or copy the text: socrates work issue show", Err: err}
	}
	t.Address, t.Program = l.store.Clean(forge.Place(t.to)), forge.Program(t.to)
	return t, nil
}

// File files a draft as an issue, with gh or glab and under the person's login. Only a person does that, after reading the text.
type File struct {
	Number  int
	Version int    // the version that was read; 0: the current one
	Remote  string // empty: origin
	Again   bool   // even though an earlier attempt was interrupted, and may have filed it
}

// Do implements engine.Op.
func (op File) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, i, unlock, err := l.hold(ctx, op.Number, op.Version)
	if err != nil {
		return root, err
	}
	defer unlock()
	t, err := l.Target(ctx, i.Dir, op.Remote)
	if err != nil {
		return root, err
	}
	if i.CutOff && !op.Again {
		return root, &engine.Refusal{Message: "an earlier attempt to file this draft was interrupted: " +
			"it may already be at " + t.Address,
			Hint: "look there; if it is not, file it again: socrates work issue file --again"}
	}
	if err := forge.Ready(t.Program, t.Remote, t.Address); err != nil {
		return root, refusal(l, err)
	}
	if _, err := l.store.Append(ctx, issue.FileKind.New(root, "person", issue.Filing{Version: i.Version, Address: t.Address})); err != nil {
		return root, err
	}
	at, err := l.file(ctx, t, i)
	if err != nil {
		if _, e := l.store.Append(ctx, issue.RefusedKind.New(root, "code", issue.Unfiled{Why: l.store.Clean(err.Error())})); e != nil {
			return root, e
		}
		return root, refusal(l, err)
	}
	_, err = l.store.Append(ctx, issue.FiledKind.New(root, "code", issue.Filed{URL: l.store.Clean(at)}))
	return root, err
}

// file calls the forge from a repository that has only the project's remote: the forge's programs read settings of the folder they run in.
func (l *Library) file(ctx context.Context, t Target, i issue.Issue) (string, error) {
	tmp, err := scratch.New("issue")
	if err != nil {
		return "", err
	}
	defer tmp.Remove()
	dir := filepath.Join(tmp.Path, "neutral")
	s, err := git.OpenStore(ctx, tmp.Path, filepath.Join(tmp.Path, "store"))
	if err == nil {
		err = s.Neutral(ctx, dir, t.to)
	}
	if err != nil {
		return "", err
	}
	return forge.File(ctx, forge.Request{Dir: dir, Remote: t.Remote, Address: t.to, Title: i.Title, Body: i.Body})
}

// refusal turns the message of a forge's program into a Refusal, cleaned: it may repeat a token.
func refusal(l *Library, err error) error {
	if e, ok := errors.AsType[*forge.Error](err); ok {
		return &engine.Refusal{Message: l.store.Clean(e.Message), Hint: l.store.Clean(e.Hint)}
	}
	return err
}
