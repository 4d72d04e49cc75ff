package parcel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Report is the verification of a run. Findings are OK, failed, or unknown: what only a person, a check or another
// record could tell.
type Report struct {
	Verified bool              `json:"verified"` // nothing failed
	Run      string            `json:"run"`
	Title    string            `json:"title"`
	State    work.State        `json:"state"`
	Head     string            `json:"head,omitempty"`
	Record   string            `json:"record_sha256"`
	Program  string            `json:"program"`
	Findings []receipt.Finding `json:"findings"`
}

// find adds a finding.
func (r *Report) find(what string, s receipt.State, format string, args ...any) {
	r.Findings = append(r.Findings, receipt.Finding{What: what, State: s, Says: fmt.Sprintf(format, args...)})
}

// Verify recomputes a run from its file, in an empty folder: the decisions of code, and the merges. It runs nothing.
// dir must be new or empty, and the caller removes it.
func Verify(ctx context.Context, p Parcel, dir string) (Report, error) {
	s, _ := work.Read(p.Nodes)
	out := Report{Run: p.Run, Title: cmp.Or(s.Title(), p.Run), State: s.State, Head: s.Head, Record: p.Hash, Program: p.Program}
	out.find("file", receipt.OK, "its lines match the hash it states; compare the hash with that of another copy")
	missing := 0
	for _, n := range p.Nodes {
		for _, hash := range receipt.Named(n) {
			if _, ok := p.Texts[hash]; !ok {
				missing++
			}
		}
	}
	if missing > 0 {
		out.find("texts", receipt.Failed, "%d texts that the record names are missing", missing)
	} else {
		out.find("texts", receipt.OK, "%d texts match their hashes", len(p.Texts))
	}
	if s.Begun != nil {
		if err := out.computed(ctx, p, s, dir); err != nil {
			return out, err
		}
	}
	checks := len(record.CheckKind.All(p.Nodes))
	out.find("checks", receipt.Unknown, "the results of %d check runs are only recorded; run the checks again to verify them",
		checks)
	if words := record.OrderKind.All(p.Nodes); len(words) > 0 {
		out.find("person", receipt.Unknown, "people's messages are only recorded: %d", len(words))
	}
	if s.Analyzed != nil && s.Analyzed.Room != "" {
		out.find("decision", receipt.Unknown, "debate %s has its own record: check it with socrates verify", s.Analyzed.Room)
	}
	out.Verified = !slices.ContainsFunc(out.Findings, func(f receipt.Finding) bool { return f.State == receipt.Failed })
	return out, nil
}

// computed adds what follows from the commits and the record.
func (r *Report) computed(ctx context.Context, p Parcel, s work.Status, dir string) error {
	space, err := workspace.Unpack(ctx, dir, p.Bottom, p.Objects, p.Refs, s.Begun.Base.Author)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		r.find("commits", receipt.Failed, "they are incomplete: %v", err)
		return nil
	}
	r.find("commits", receipt.OK, "all exist, and their hashes were recomputed")
	run := &work.Run{Space: space}
	found, err := run.Recheck(ctx, journal.Journal{Nodes: p.Nodes, Text: func(_ context.Context, hash string) (string, error) {
		text, ok := p.Texts[hash]
		if !ok {
			return "", fmt.Errorf("text %.12s: %w", hash, journal.ErrNotRecorded)
		}
		return text, nil
	}})
	if err != nil {
		return err
	}
	for _, f := range found {
		if len(f.Wrong) > 0 {
			r.find(f.What, receipt.Failed, "%s", strings.Join(f.Wrong[:min(len(f.Wrong), 5)], "; "))
			continue
		}
		r.find(f.What, receipt.OK, says[f.What], f.Count)
	}
	return nil
}

// says are the findings for parts that follow.
var says = map[string]string{
	"plans":   "%d: each follows from its text, byte for byte",
	"proofs":  "%d: each follows from its change and the check results, byte for byte",
	"reviews": "%d: each objection's quote was looked up again in its change",
	"races":   "%d: each recomputed from its comparisons",
	"merges":  "%d: each is git's merge of its branch and its change, and its checks passed",
	"ends":    "%d: each agrees with the steps",
	"branch":  "it ends at the last of its merges (%d)",
}
