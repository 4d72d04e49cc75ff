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

// Project is a folder decisions are held against. It reads each file once, and is for one goroutine.
type Project struct {
	// Look runs the command of evidence in a copy of the project; nil: none is run.
	Look func(context.Context, verdict.Claim) debate.Observation

	dir     *folder.Folder
	docs    map[string]document
	ran     map[string]debate.Observation
	history history
	since   string            // the commit whose changes alone count; empty: all do
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

// ErrHistory says that the changes since a commit were asked for where they cannot be known.
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

// Glance opens a project's folder to look at its files alone, which starts no program: what is not where it was counts as changed or gone,
// although git may know where it went, and nobody is told since when.
func Glance(dir string) (*Project, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Project{dir: f, docs: map[string]document{}, ran: map[string]debate.Observation{}, was: map[string]string{}}, nil
}

// Close lets go of the folder.
func (p *Project) Close() error { return p.dir.Close() }

// Check holds decisions against the project, in their order.
// An error is one of git or of the context, and then nothing is said of any decision: half of the checks would look
// like all of them. What is wrong with a single file is said at its evidence.
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

// compare finds out what the files that are cited were at the commit since which changes count.
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

// cite holds the evidence of one claim against the project. It is false where there is nothing to hold: the evidence was not there
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
		// Code found it then, so code can look again. What a seat judged of it is not asked again.
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
		// A command that came out the same with and without what it was to show showed nothing then either.
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

// unchanged says whether a file is, byte for byte, the one of a hash.
func (p *Project) unchanged(name, hash string) bool {
	name, err := p.dir.Inside(name)
	if err != nil || hash == "" || p.since != "" {
		return false
	}
	d := p.open(name)
	return d.err == nil && fmt.Sprintf("%x", sha256.Sum256(d.body)) == hash
}

// quote looks for a quote where it was, then elsewhere.
// The same line means that nothing happened; the same words at another line of the file are found without git.
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
	// Nothing to say about a change that lies before the revision asked for.
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

// same says whether a file is what it was at the commit since which changes count.
func (p *Project) same(name string, d document, missing bool) bool {
	id, was := p.was[name]
	if missing || !was { // one that is missing at both may have been renamed before, and changed under its other name since
		return false
	}
	// As git names a blob: the sum of a head and the bytes. Its length tells which sum the repository uses.
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
