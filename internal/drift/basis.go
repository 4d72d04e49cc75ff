// Package drift compares decisions with the project as it is now: which of the lines and commands behind them still hold, which
// commit changed the others, and whether the verdict would be the same without those.
//
// A decision rests on quotes of files and on commands that were run. A [Basis] is the part of a debate that is needed to check these
// again and to recompute its verdict: the ledger without texts that only people read, and the rules. [Of] and [From] make one from a
// result or from nodes; [Basis.Mark] packs it into a comment of a decision file, so that the project alone is enough to check it.
//
// A [Project] is a folder that decisions are compared with. For each claim whose evidence held when it was decided, [Project.Check]
// returns its state: unchanged, moved, changed, gone, or unchecked if the state cannot be determined, which never counts as a change.
// Then the verdict is computed twice from the same ledger, with all checks and without those of claims whose evidence fell; a
// decision holds if both agree and the answer still has evidence. Seats are never asked again, nothing is paid for, and nothing in a
// project is written.
//
// Git is read if there is a repository, and only to find which commit changed something and where it moved. Without git these answers
// are missing, but every check runs. Every search is bounded: commits, names of a file, bytes, files. Beyond a bound a quote counts
// as changed, without a commit.
package drift

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Basis is what a decision rests on: everything needed to compare it with its project and to recompute its verdict. Its JSON is part
// of decision files that people keep for years: fields are added and never change their meaning.
type Basis struct {
	Schema   string         `json:"schema"` // socrates.basis/1
	Room     string         `json:"room"`
	Question string         `json:"question"`
	Decided  time.Time      `json:"decided"`
	Record   string         `json:"record_sha256"`
	Ledger   verdict.Ledger `json:"ledger"` // without texts that only people read
	Rules    verdict.Rules  `json:"rules"`

	Dir string `json:"-"` // the folder it was decided in; empty if read from a decision file, which is there
}

const schema = "socrates.basis/1"

// Of returns the basis of a result.
func Of(res debate.Result) Basis {
	asked, _ := motion.Split(res.Question)
	return Basis{Schema: schema, Room: res.Room, Question: asked, Decided: res.Started, Record: res.Record,
		Ledger: slim(res.Ledger()), Rules: res.Rules}
}

// From returns the basis of a room's decision from its nodes. The trunk is enough: it does not read questions and replies. The last
// ledger counts. It is false for a room without a ledger. Record stays empty, since the trunk does not have the hash of the whole
// record.
func From(nodes []tree.Node) (Basis, bool) {
	frames, ledgers := table.FrameKind.All(nodes), ruling.LedgerKind.All(nodes)
	if len(frames) == 0 || len(ledgers) == 0 {
		return Basis{}, false
	}
	f := frames[0]
	asked, _ := motion.Split(f.Question)
	b := Basis{Schema: schema, Room: f.Room, Question: asked, Ledger: slim(ledgers[len(ledgers)-1]), Rules: f.Rules, Dir: f.Dir}
	for _, n := range nodes {
		if n.Kind == string(table.FrameKind) {
			b.Decided = n.At
		}
	}
	return b, true
}

// slim removes from a ledger everything that no number is computed from.
func slim(l verdict.Ledger) verdict.Ledger {
	l.Votes, l.Claims, l.Checks = slices.Clone(l.Votes), slices.Clone(l.Claims), slices.Clone(l.Checks)
	l.Talk, l.Estimates = nil, nil
	for i := range l.Votes {
		l.Votes[i].Reason, l.Votes[i].Flip = "", ""
	}
	for i, c := range l.Claims {
		stances := map[string]verdict.Stance{}
		for seat, s := range c.Stances {
			stances[seat] = verdict.Stance{Verb: s.Verb, Same: s.Same, Impact: s.Impact}
		}
		l.Claims[i].Stances = stances
	}
	for i, k := range l.Checks {
		l.Checks[i] = verdict.Check{ID: k.ID, Claim: k.Claim, Kind: k.Kind, Result: k.Result, Grade: k.Grade, Ratio: k.Ratio, By: k.By,
			Lineage: k.Lineage, Asked: k.Asked, Answers: k.Answers, Same: k.Same, Proof: k.Proof}
	}
	return l
}

// A decision file carries its basis in a comment at its end, where a reader of the page does not see it.
const (
	markFrom = "<!-- socrates decisions check: what this decision rests on, compressed\n"
	markTo   = "-->\n"
	markWide = 100
)

// Mark returns the comment that carries a basis. clean removes secrets from its JSON and must return JSON of the same form. The hash
// of the record is that of the uncleaned record.
func (b Basis) Mark(clean func(string) string) (string, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	packed, err := receipt.Compress([]byte(clean(string(raw))))
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for line := range slices.Chunk([]byte(packed), markWide) {
		lines.Write(line)
		lines.WriteByte('\n')
	}
	return markFrom + lines.String() + markTo, nil
}

// Marked reports whether a decision file has a basis, even a damaged one. It distinguishes a file whose mark was cut or edited from
// one that never had any; Read returns false for both.
func Marked(text string) bool { return strings.Contains(text, strings.TrimSpace(markFrom)[5:]) }

// Read returns the basis in a decision file. It is false for a file without one, or with one that cannot be read.
func Read(text string) (Basis, bool) {
	_, rest, ok := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), markFrom)
	packed, _, whole := strings.Cut(rest, markTo)
	if !ok || !whole {
		return Basis{}, false
	}
	raw, err := receipt.Decompress(strings.Join(strings.Fields(packed), ""))
	var b Basis
	if err != nil || json.Unmarshal(raw, &b) != nil || b.Schema != schema {
		return Basis{}, false
	}
	return b, true
}
