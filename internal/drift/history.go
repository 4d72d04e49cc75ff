package drift

import (
	"context"
	"errors"

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
		if i == 0 {
			return nil, true, nil
		}
		return &log[i-1], false, nil
	}
	return nil, false, nil
}

// trace says which commit took a quote away, and whether the same one brought it to another file.
func (p *Project) trace(ctx context.Context, c *Cite, name string) error {
	if !p.history.known {
		return nil
	}
	commit, head, err := p.history.broke(ctx, name, c.Quote)
	if err != nil {
		return err
	}
	c.Commit = commit
	before, after := "HEAD", "" // not committed yet: between the newest commit and the disk
	switch {
	case head:
		c.Says = "not committed yet"
	case commit != nil:
		before, after = commit.Hash+"^", commit.Hash
	default:
		c.Says = "the history here does not go back to when it was there"
		return nil
	}
	if p.since != "" && !head {
		if _, found := p.history.at(ctx, p.since, name).Find(c.Quote, 0); !found {
			c.State, c.Says = Unchecked, "it was not there at the revision already"
			return nil
		}
	}
	to, err := p.elsewhere(ctx, c.Quote, name, before, after)
	if to != nil {
		c.State, c.Now, c.Says = Moved, to, ""
	}
	return err
}

// elsewhere finds the one other file that has a quote now and did not have it before, but after. Several, or a quote so short that it
// may be anywhere, are none.
func (p *Project) elsewhere(ctx context.Context, quote, name, before, after string) (*Place, error) {
	if len(quote) < leastMoved {
		return nil, nil
	}
	if !p.listed {
		var err error
		if p.every, err = p.dir.Files(ctx, ""); err != nil {
			return nil, err
		}
		p.listed = true
	}
	if len(p.every) > mostFiles {
		return nil, nil
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
