package git

import (
	"context"
	"strings"
)

// Where a repository keeps what runs added: a note on each commit of a step, and a ref that keeps those commits after a squash or a
// rebase. Neither is fetched or pushed unless requested.
const (
	notesRef = "refs/notes/socrates"
	keptRefs = "refs/socrates/"
)

// Keep stores a commit of the store in a repository under the name of a run, with notes on the commits that lead to it. known is a commit
// that both have. An existing note is replaced.
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

// Noted returns the note on a commit of r; empty: none. A repository that cannot be read counts as one without notes:
// notes are for people and decide nothing.
func (s Store) Noted(ctx context.Context, r Repo, commit string) string {
	out, _, err := r.run(ctx, 1<<20, nil, "notes", "--ref="+notesRef, "show", commit)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Kept returns the final commits of runs that r keeps, the newest first.
func (s Store) Kept(ctx context.Context, r Repo) ([]string, error) {
	out, _, err := r.run(ctx, listSize, nil, "for-each-ref", "--sort=-committerdate", "--format=%(objectname)", keptRefs)
	return strings.Fields(string(out)), err
}
