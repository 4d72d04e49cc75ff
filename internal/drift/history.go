package drift

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

const (
	mostCommits = 300     // of one file that are looked through
	mostBytes   = 4 << 20 // of a version that is read
	mostFiles   = 20_000  // of a project in which a moved quote is looked for
	leastMoved  = 24      // bytes of a quote that is looked for in other files
)

// history is what git knows of the project's files.
type history struct {
	repo  git.Repo
	known bool // there is one
	logs  map[string][]git.Commit
	texts map[string]evidence.Text // of versions
}

// at is a file as it was in a commit; without text: it was not there.
//
// Versions are kept for as long as the Project: quotes of one file are looked for in the same commits.
func (h *history) at(ctx context.Context, commit, name string) evidence.Text {
	key := commit + "\x00" + name
	if t, ok := h.texts[key]; ok {
		return t
	}
	var t evidence.Text
	if body, _, err := h.repo.Blob(ctx, commit, name, mostBytes); err == nil && folder.Text(body) {
		t = evidence.NewText(string(body))
	}
	h.texts[key] = t
	return t
}

// broke finds the commit that took a quote out of a file: the last one that touched the file whose parent still had it. nil: it is
// not committed yet, or the history does not go back that far. head: the newest commit still has it.
//
// The log begins with the newest commit. A quote that came and went several times is traced to the last time it went.
func (h *history) broke(ctx context.Context, name, quote string) (commit *git.Commit, head bool, err error) {
	log, ok := h.logs[name]
	if !ok {
		log, err = h.repo.Log(ctx, "", name, mostCommits)
		if _, own := errors.AsType[*git.Error](err); own || errors.Is(err, git.ErrRevision) { // there is no commit yet
			log, err = nil, nil
		}
		if err != nil {
			return nil, false, err
		}
		h.logs[name] = log
	}
	for i, c := range log {
		if _, found := h.at(ctx, c.Hash, name).Find(quote, 0); !found {
			continue
		}
		// The newest commit has it: it went on the disk, and no commit is to blame.
		if i == 0 {
			return nil, true, nil
		}
		return &log[i-1], false, nil
	}
	return nil, false, nil
}

// unknown says why no commit took a quote out of a file: none ever had it, or not all of them are here to be looked at.
func (h *history) unknown(ctx context.Context, name string) string {
	_, _, shallow, err := h.repo.Unfinished(ctx)
	if err != nil || shallow || len(h.logs[name]) >= mostCommits {
		return "the history here does not go back far enough"
	}
	return "the quoted text was never committed"
}

// renamed is the name that a commit gave a file, unless it changed the file as well; empty: it did not rename it.
//
// Only a file of the same bytes counts, and only if there is one: of two that are alike nobody can say which took the
// place.
func (h *history) renamed(ctx context.Context, c git.Commit, name string) (string, error) {
	before, err := h.repo.Objects(ctx, c.Hash+"^", []string{name})
	if err != nil || before[name] == "" {
		return "", err
	}
	had, err := h.repo.Holding(ctx, c.Hash+"^", map[string]bool{before[name]: true})
	if err != nil {
		return "", err
	}
	has, err := h.repo.Holding(ctx, c.Hash, map[string]bool{before[name]: true})
	if err != nil {
		return "", err
	}
	to := ""
	for other := range has {
		if _, old := had[other]; old {
			continue
		}
		if to != "" {
			return "", nil
		}
		to = other
	}
	return to, nil
}

// mostNames is how often a file is followed through renames.
const mostNames = 10

// trail is where a quote went: the names its file had, and the commit that took it from the last of them.
type trail struct {
	names  []string
	by     *git.Commit // that gave the last name
	commit *git.Commit // nil: none took it away, as far as the history goes
	head   bool        // the newest commit still has it
}

func (t trail) name() string { return t.names[len(t.names)-1] }

// follow goes after a quote through the renames of its file.
//
// A file that is renamed to a name it had before ends the trail, or it would go round for ever.
func (h *history) follow(ctx context.Context, name, quote string) (t trail, err error) {
	for {
		t.names = append(t.names, name)
		if t.commit, t.head, err = h.broke(ctx, name, quote); err != nil || t.commit == nil || len(t.names) == mostNames {
			return t, err
		}
		if name, err = h.renamed(ctx, *t.commit, name); err != nil || name == "" || slices.Contains(t.names, name) {
			return t, err
		}
		t.by = t.commit
	}
}

// trace says which commit took a quote away, and whether the same one brought it to another file.
//
// It begins with what quote found, and may turn changed into moved, or into unchecked where the revision asked for
// did not have it either.
func (p *Project) trace(ctx context.Context, c *Cite, name string) error {
	if !p.history.known {
		return nil
	}
	t, err := p.history.follow(ctx, name, c.Quote)
	if err != nil {
		return err
	}
	c.Commit = t.commit
	if len(t.names) > 1 {
		if d := p.open(t.name()); d.err == nil {
			c.State = Changed
			if line, found := d.text.Find(c.Quote, c.Line); found {
				c.State, c.Now, c.Commit = Moved, &Place{t.name(), line}, t.by
				return nil
			}
		}
	}
	before, after := "HEAD", "" // not committed yet: between the newest commit and the disk
	switch {
	case t.head:
		c.Says = "the change is not committed"
		to, err := p.renamedNow(ctx, t.name())
		if err != nil {
			return err
		}
		if line, found := p.open(to).text.Find(c.Quote, c.Line); to != "" && found {
			c.State, c.Now, c.Says = Moved, &Place{to, line}, ""
			return nil
		}
	case t.commit != nil:
		before, after = t.commit.Hash+"^", t.commit.Hash
	default:
		c.Says = p.history.unknown(ctx, t.name())
		return nil
	}
	// It was gone when the revision was made, so it is no change since.
	if p.since != "" && !t.head && !slices.ContainsFunc(t.names, func(name string) bool {
		_, found := p.history.at(ctx, p.since, name).Find(c.Quote, 0)
		return found
	}) {
		c.State, c.Says = Unchecked, "it was already missing at that revision"
		return nil
	}
	to, err := p.elsewhere(ctx, c.Quote, t.name(), before, after)
	if to != nil {
		c.State, c.Now, c.Says = Moved, to, ""
	}
	return err
}

// list looks up the project's files once.
func (p *Project) list(ctx context.Context) (err error) {
	if !p.listed {
		p.every, err = p.dir.Files(ctx, "")
		p.listed = err == nil
	}
	return err
}

// renamedNow is the new name of a file that was renamed since the newest commit and is the same otherwise; empty: it was not.
func (p *Project) renamedNow(ctx context.Context, name string) (string, error) {
	if p.open(name).err == nil {
		return "", nil
	}
	was, _, err := p.history.repo.Blob(ctx, "HEAD", name, mostBytes)
	if err != nil {
		return "", nil // too big, or not there after all: its quotes are looked for one by one
	}
	if err := p.list(ctx); err != nil || len(p.every) > mostFiles {
		return "", err
	}
	had, err := p.history.repo.Objects(ctx, "HEAD", p.every)
	if err != nil {
		return "", err
	}
	to := ""
	for _, other := range p.every {
		if d := p.open(other); had[other] != "" || d.err != nil || !bytes.Equal(d.body, was) {
			continue
		}
		if to != "" {
			return "", nil
		}
		to = other
	}
	return to, nil
}

// elsewhere finds the one other file that has a quote now and did not have it before, but after. Several, or a quote so short that it
// may be anywhere, are none.
//
// before is the commit that still had the quote, after the one that did not; empty: the disk. A file that had it all
// along is not where it went to.
func (p *Project) elsewhere(ctx context.Context, quote, name, before, after string) (*Place, error) {
	if len(quote) < leastMoved {
		return nil, nil
	}
	if err := p.list(ctx); err != nil || len(p.every) > mostFiles {
		return nil, err
	}
	var to *Place
	for _, other := range p.every {
		if other == name {
			continue
		}
		d := p.open(other)
		if d.err != nil {
			continue
		}
		line, found := d.text.Find(quote, 0)
		if !found {
			continue
		}
		if _, had := p.history.at(ctx, before, other).Find(quote, 0); had {
			continue
		}
		if after != "" {
			if _, has := p.history.at(ctx, after, other).Find(quote, 0); !has {
				continue
			}
		}
		if to != nil {
			return nil, nil
		}
		to = &Place{other, line}
	}
	return to, nil
}
