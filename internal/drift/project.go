package drift

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Project is a folder that decisions are compared with. It reads each file once, and is for one goroutine.
type Project struct {
	// Look runs the command of evidence in a copy of the project; nil: no command runs.
	Look func(context.Context, verdict.Claim) debate.Observation

	dir     *folder.Folder
	docs    map[string]document
	ran     map[string]debate.Observation
	history history
	since   string            // only changes after this commit count; empty: all do
	was     map[string]string // since: the object each file was then
	every   []string          // the project's files; see elsewhere
	listed  bool
}

// document is a file as it is now.
type document struct {
	text evidence.Text
	body []byte
	err  error
}

// ErrHistory means that changes since a commit were requested for a folder without git history.
var ErrHistory = errors.New("no git history to compare with")

// Open opens a project's folder. since is a revision: only what changed after it counts; empty: everything does.
func Open(ctx context.Context, dir, since string) (*Project, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{dir: f, docs: map[string]document{}, ran: map[string]debate.Observation{}, was: map[string]string{}}
	repo, err := f.Repo()
	if err == nil {
		p.history = history{repo: repo, known: true, logs: map[string][]git.Commit{}, texts: map[string]evidence.Text{}}
	}
	if since == "" {
		return p, nil
	}
	if !p.history.known {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, ErrHistory), f.Close())
	}
	if p.since, err = repo.Resolve(ctx, since); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// Glance opens a project's folder to read only its files, without starting a program: a quote that left its file counts as changed or
// gone, even if git knows where it moved, and no commit is named.
func Glance(dir string) (*Project, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Project{dir: f, docs: map[string]document{}, ran: map[string]debate.Observation{}, was: map[string]string{}}, nil
}

// Close closes the folder.
func (p *Project) Close() error { return p.dir.Close() }

// Check compares decisions with the project, in their order. An error comes from git or the context, and then no decision is
// reported: half of the checks would look like all of them. A problem with a single file is reported at its evidence.
func (p *Project) Check(ctx context.Context, all []Basis) ([]Report, error) {
	if err := p.compare(ctx, all); err != nil {
		return nil, err
	}
	out := make([]Report, 0, len(all))
	for _, b := range all {
		r := Report{Room: b.Room, Dir: p.dir.Dir(), Question: b.Question, Cites: []Cite{}}
		for _, c := range b.Ledger.Claims {
			cite, ok, err := p.cite(ctx, b.Ledger, c)
			if err != nil {
				return nil, err
			}
			if ok {
				r.Cites = append(r.Cites, cite)
			}
		}
		r.weigh(b)
		out = append(out, r)
	}
	return out, nil
}

// compare looks up the cited files' objects at the since commit.
func (p *Project) compare(ctx context.Context, all []Basis) (err error) {
	if p.since == "" {
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for _, b := range all {
		for _, c := range b.Ledger.Claims {
			name, err := p.dir.Inside(c.Evidence.File)
			if c.Evidence.Kind == "quote" && err == nil && !seen[name] && !strings.Contains(name, "\n") {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	p.was, err = p.history.repo.Objects(ctx, p.since, names)
	return err
}

// cite compares the evidence of one claim with the project. It is false if there is nothing to compare: the evidence was not found
// when it was decided, or a person vetoed the claim.
func (p *Project) cite(ctx context.Context, l verdict.Ledger, c verdict.Claim) (Cite, bool, error) {
	if c.Vetoed != "" {
		return Cite{}, false, nil
	}
	cite := Cite{Claim: c.ID, Seat: c.Seat, Text: c.Text, Option: l.Text(c.Option), For: c.Supports, Ratio: ratio(l, c), State: True}
	for _, k := range l.Checks {
		if k.Claim != c.ID || k.By != "" {
			continue
		}
		switch {
		// Code found it then, so code can check again. Seats are not asked to judge it again.
		case k.Kind == "quote" && c.Evidence.Kind == "quote" && k.Result == verdict.Pass:
			line := c.Evidence.Line
			if k.Proof != nil && k.Proof.Line > 0 {
				line = k.Proof.Line
			}
			cite.Place, cite.Quote = Place{c.Evidence.File, line}, c.Evidence.Quote
			if k.Proof != nil && p.unchanged(c.Evidence.File, k.Proof.SHA256) {
				return cite, true, nil
			}
			return cite, true, p.quote(ctx, &cite)
		// A command with the same result in its control showed nothing then either.
		case k.Kind == "command" && c.Evidence.Kind == "command" && k.Result != verdict.Skipped && !k.Same:
			cite.Command = c.Evidence.Command
			p.command(ctx, &cite, c.Evidence, k)
			return cite, true, nil
		}
	}
	return Cite{}, false, nil
}

// open reads a file of the project.
func (p *Project) open(name string) document {
	if d, known := p.docs[name]; known {
		return d
	}
	var d document
	if d.body, d.err = p.dir.Read(name, 0); d.err == nil {
		d.text = evidence.NewText(string(d.body))
	}
	p.docs[name] = d
	return d
}

// unchanged reports whether a file still has this hash.
func (p *Project) unchanged(name, hash string) bool {
	name, err := p.dir.Inside(name)
	if err != nil || hash == "" || p.since != "" {
		return false
	}
	d := p.open(name)
	return d.err == nil && fmt.Sprintf("%x", sha256.Sum256(d.body)) == hash
}

// quote looks for a quote where it was, then elsewhere. The same line means no change; the same words on another line of the file are
// found without git.
func (p *Project) quote(ctx context.Context, c *Cite) error {
	name, err := p.dir.Inside(c.File)
	if err != nil {
		c.State, c.Says = Unchecked, err.Error()
		return nil
	}
	d := p.open(name)
	missing := false
	if why, ok := errors.AsType[*folder.Error](d.err); ok {
		missing = why.Reason == folder.Missing
	}
	switch {
	case d.err != nil && !missing:
		c.State, c.Says = Unchecked, d.err.Error()
		return nil
	// Changes before the requested revision are not reported.
	case p.since != "" && p.same(name, d, missing):
		c.State, c.Says = Unchecked, "its file has not changed since"
		return nil
	case d.err == nil:
		line, found := d.text.Find(c.Quote, c.Line)
		if found && line == c.Line {
			return nil
		}
		if found {
			c.State, c.Now = Moved, &Place{name, line}
			return nil
		}
	}
	c.State = Changed
	if missing {
		c.State = Gone
	}
	return p.trace(ctx, c, name)
}

// same reports whether a file is the same as at the since commit.
func (p *Project) same(name string, d document, missing bool) bool {
	id, was := p.was[name]
	if missing || !was { // if it is missing in both, it may have been renamed before, and changed under its new name since
		return false
	}
	// The object id of a git blob: the hash of a header and the bytes. The id's length shows which hash the repository uses.
	head := fmt.Sprintf("blob %d\x00", len(d.body))
	if len(id) == 2*sha256.Size {
		sum := sha256.Sum256(append([]byte(head), d.body...))
		return hex.EncodeToString(sum[:]) == id
	}
	sum := sha1.Sum(append([]byte(head), d.body...))
	return hex.EncodeToString(sum[:]) == id
}

// command runs a command again.
//
// The same command with the same expectation runs once for all decisions.
func (p *Project) command(ctx context.Context, c *Cite, e verdict.Evidence, k verdict.Check) {
	if p.Look == nil {
		c.State, c.Says = Unchecked, "no commands are run here"
		return
	}
	key := strings.Join(append([]string{e.Expect}, e.Command...), "\x00")
	o, known := p.ran[key]
	if !known {
		o = p.Look(ctx, verdict.Claim{Evidence: e})
		p.ran[key] = o
	}
	switch {
	case o.Result == verdict.Skipped:
		c.State, c.Says = Unchecked, o.Detail
	case o.Result != k.Result:
		c.State, c.Says = Changed, o.Detail
	case o.Same:
		c.State, c.Says = Changed, "it is now "+o.Control+", so it no longer proves anything"
	}
}
