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
	mostCommits = 300     // searched per file
	mostBytes   = 4 << 20 // read of a version
	mostFiles   = 20_000  // of a project; in a larger one moved quotes are not searched for
	leastMoved  = 24      // least bytes of a quote to search for it in other files
)

// history is what git knows about the project's files.
type history struct {
	repo  git.Repo
	known bool // there is one
	logs  map[string][]git.Commit
	texts map[string]evidence.Text // of versions
}

// at returns a file as of a commit; empty: it did not exist.
//
// Versions are cached in the Project, since all quotes of a file are searched for in the same commits.
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

// broke finds the commit that removed a quote from a file: the last one that touched the file and whose parent still had the quote.
// nil: the removal is not committed, or the history does not go back that far. head: the newest commit still has it.
//
// The log begins with the newest commit. If a quote was added and removed several times, the last removal is found.
func (h *history) broke(ctx context.Context, name, quote string) (commit *git.Commit, head bool, err error) {
	log, ok := h.logs[name]
	if !ok {
		log, err = h.repo.Log(ctx, "", name, mostCommits)
		if _, own := errors.AsType[*git.Error](err); own || errors.Is(err, git.ErrRevision) { // there are no commits yet
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
		// The newest commit has it: it was removed on disk, not by a commit.
		if i == 0 {
			return nil, true, nil
		}
		return &log[i-1], false, nil
	}
	return nil, false, nil
}

// unknown says why no commit is known that removed a quote: none ever had it, or the history here is incomplete.
func (h *history) unknown(ctx context.Context, name string) string {
	_, _, shallow, err := h.repo.Unfinished(ctx)
	if err != nil || shallow || len(h.logs[name]) >= mostCommits {
		return "the history here does not go back far enough"
	}
	return "the quoted text was never committed"
}

// renamed returns the new name that a commit gave a file, if the content stayed the same; empty: it did not rename it.
//
// Only a file with the same bytes counts, and only if there is exactly one: of two equal files either could be the new one.
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

// mostNames limits how many names of a file are followed through renames.
const mostNames = 10

// trail is the path of a quote: the names its file had, and the commit that removed it from the last of them.
type trail struct {
	names  []string
	by     *git.Commit // gave the file its last name
	commit *git.Commit // removed the quote; nil: none in the known history
	head   bool        // the newest commit still has it
}

func (t trail) name() string { return t.names[len(t.names)-1] }

// follow follows a quote through the renames of its file.
//
// A rename to an earlier name ends the trail, which would otherwise never end.
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

// trace finds which commit removed a quote, and whether the same commit added it to another file.
//
// It starts from what quote found, and may turn changed into moved, or into unchecked if the requested revision did not have it
// either.
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
	before, after := "HEAD", "" // not committed: between the newest commit and the disk
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
	// It was already gone at the revision, so this is not a change since then.
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

// list lists the project's files once.
func (p *Project) list(ctx context.Context) (err error) {
	if !p.listed {
		p.every, err = p.dir.Files(ctx, "")
		p.listed = err == nil
	}
	return err
}

// renamedNow returns the new name of a file that was renamed, but not changed, since the newest commit; empty: it was not.
func (p *Project) renamedNow(ctx context.Context, name string) (string, error) {
	if p.open(name).err == nil {
		return "", nil
	}
	was, _, err := p.history.repo.Blob(ctx, "HEAD", name, mostBytes)
	if err != nil {
		return "", nil // too large, or it does not exist: its quotes are searched for one by one
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

// elsewhere finds the one other file that has the quote now and in after, but not in before. It returns nil if several have it, or if
// the quote is too short to be specific.
//
// before is the commit that still had the quote, after the one that did not; empty: the disk. A file that had it all along is not the
// target.
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
