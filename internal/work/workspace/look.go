package workspace

import (
	"context"

	"github.com/socrates-cli/socrates/internal/git"
)

// Ground is the state of a project as a run would find it.
type Ground struct {
	Head    git.Head
	Lacks   []string // what its workspaces would lack, in sentences
	Doing   []string // an unfinished git operation in the work tree: a result cannot be accepted meanwhile
	Locked  bool     // a git process holds the index, or crashed there
	Shallow bool
	Nobody  bool // git has no author name
}

// Look reports what a run would find in a project, which is only read. Its errors are those of git.Open.
func Look(ctx context.Context, project string) (g Ground, err error) {
	repo, err := git.Open(project)
	if err != nil {
		return g, err
	}
	if g.Head, err = repo.Head(ctx); err != nil {
		return g, err
	}
	if g.Doing, g.Locked, g.Shallow, err = repo.Unfinished(ctx); err != nil {
		return g, err
	}
	name, email := git.Store{}.Person(ctx, repo)
	g.Nobody = name == "" || email == ""
	g.Lacks, err = lacks(ctx, repo, false)
	return g, err
}
