package git

import (
	"context"
	"strings"
)

// Where a repository keeps what runs brought: a note on each commit of a step, and a ref that keeps those commits where somebody squashed
// or rebased them. Nobody fetches or pushes either unless asked to.
const (
	notesRef = "refs/notes/socrates"
	keptRefs = "refs/socrates/"
)

// Keep has a repository keep a commit of the store under the name of a run, with notes on the commits that lead to it. known is a commit
// that both have. A note that a commit has already is rewritten.
func (s Store) Keep(ctx context.Context, r Repo, run, known, commit string, author [2]string, notes map[string]string) error {
	if err := s.Deliver(ctx, r, known, commit); err != nil {
		return err
	}
	if _, err := r.line(ctx, "update-ref", "-m", "socrates: accepted", keptRefs+run, commit); err != nil {
		return err
	}
	person := [][2]string{{"user.name", author[0]}, {"user.email", author[1]}, {"notes.displayRef", notesRef}}
	for of, text := range notes {
		if _, _, err := r.feed(ctx, strings.NewReader(text), 64<<10, r.environment(person), "notes", "--ref="+notesRef, "add", "-f",
			"-F", "-", of); err != nil {
			return err
		}
	}
	return nil
}

// Noted is what is noted of a commit of r; empty: nothing.
// A repository without notes, or one that cannot be asked, has none: notes are for people and decide nothing.
func (s Store) Noted(ctx context.Context, r Repo, commit string) string {
	out, _, err := r.run(ctx, 1<<20, nil, "notes", "--ref="+notesRef, "show", commit)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Kept are the commits that runs ended with and r keeps, the newest first.
func (s Store) Kept(ctx context.Context, r Repo) ([]string, error) {
	out, _, err := r.run(ctx, listSize, nil, "for-each-ref", "--sort=-committerdate", "--format=%(objectname)", keptRefs)
	return strings.Fields(string(out)), err
}
