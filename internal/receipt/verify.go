package receipt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// State is the result of one check of a record.
type State string

// The states. Unknown: nothing contradicts it, but this program cannot tell.
const (
	OK      State = "ok"
	Failed  State = "failed"
	Unknown State = "unknown"
)

// Finding is one thing that was verified. What is the check's name and is the same in every version: texts, record, replies,
// judgements, draws, ratios, verdict, controls, quotes, commands, end, decision, page, export. Says is for people.
type Finding struct {
	What  string `json:"what"`
	State State  `json:"state"`
	Says  string `json:"says"`
}

// Report is what could be verified about a record.
type Report struct {
	Verified bool            `json:"verified"` // nothing failed, and the export's content was compared
	Room     string          `json:"room"`
	Question string          `json:"question"`
	Outcome  verdict.Outcome `json:"outcome"`
	Winner   string          `json:"winner"`   // the option's text; empty: none
	Standing string          `json:"standing"` // how sure it is and who acts, in words; for a rehearsal only that it is one
	Record   string          `json:"record_sha256"`
	Program  string          `json:"program"` // the version that recorded it
	Findings []Finding       `json:"findings"`
	Seats    []Provenance    `json:"seats"`
}

// Reader describes who verifies: the hash they have and their version. Page and Object render a result as this version does; they
// must not change it.
type Reader struct {
	Hash    string                         // prefix that the record's hash must have; empty: any
	Program string                         // the version that verifies
	Page    func(res debate.Result) string // renders a result as the HTML of exports
	Object  func(res debate.Result) any    // returns a result with the fields of JSON exports
}

// verifier verifies one record.
type verifier struct {
	Record
	by     Reader
	res    debate.Result
	report Report
}

// Verify recomputes everything that follows from a record: the ledger from the replies, judgements and their controls from the
// judges' replies, draws from the key, the verdict from the ledger, and what the export says from all of these.
//
// An error means that the nodes are not a debate; every other problem is a finding. It calls no model and takes as long as the
// debate's own code took.
func Verify(ctx context.Context, r Record, by Reader) (Report, error) {
	res, err := debate.Summarize(r.Nodes)
	if err != nil {
		return Report{}, err
	}
	for i, late := range res.Addenda {
		res.Addenda[i].Text = r.Texts[late.Text]
	}
	asked, _ := motion.Split(res.Question)
	v := verifier{Record: r, by: by, res: res, report: Report{Room: res.Room, Question: asked, Outcome: res.Outcome, Winner: option(res),
		Record: res.Record, Program: table.FrameKind.All(r.Nodes)[0].Program, Seats: seats(r.Nodes)}}
	v.texts()
	v.hash()
	v.replies(ctx)
	v.arithmetic()
	v.quotes()
	v.commands()
	v.stated()
	if v.report.Standing = document.Of(v.res).Sure(", "); v.res.NeedsPerson && v.res.Outcome.Decision() {
		v.report.Standing += ", your call"
	}
	v.report.Verified = len(v.report.Failed()) == 0 && !v.report.Uncompared()
	return v.report, nil
}

// Failed names what does not follow from the record.
func (r Report) Failed() (what []string) {
	for _, f := range r.Findings {
		if f.State == Failed {
			what = append(what, f.What)
		}
	}
	return what
}

// Uncompared reports whether the export has something for people or programs that could not be compared with its record.
func (r Report) Uncompared() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.State == Unknown && (f.What == "page" || f.What == "export") })
}

func option(res debate.Result) string {
	for _, o := range res.Options {
		if o.Key == res.Winner {
			return o.Text
		}
	}
	return ""
}

func (v *verifier) find(what string, s State, format string, args ...any) {
	v.report.Findings = append(v.report.Findings, Finding{what, s, fmt.Sprintf(format, args...)})
}

// texts checks that the record has every text it needs. Reading it checked that each matches its hash.
func (v *verifier) texts() {
	missing := 0
	for _, n := range v.Nodes {
		var named []string
		switch n.Kind {
		case string(table.ContextKind):
			c, _ := table.ContextKind.Of(n)
			named = []string{c.Text}
		case string(exchange.AskKind):
			a, _ := exchange.AskKind.Of(n)
			named = []string{a.System, a.Prompt}
		case string(exchange.ReplyKind), string(exchange.AddendumKind):
			r := reply(n)
			named = []string{r.Text}
		}
		for _, hash := range named {
			if _, ok := v.Texts[hash]; hash != "" && !ok {
				missing++
			}
		}
	}
	if missing > 0 {
		v.find("texts", Failed, "%d of the prompts and replies it names are missing", missing)
		return
	}
	v.find("texts", OK, "%d prompts, replies and other texts match their hashes", len(v.Texts))
}

// hash compares the hash of the record with the one the export states, and with the one a person expects.
func (v *verifier) hash() {
	has, want := v.res.Record, v.by.Hash
	switch {
	// A record without an end has no hash to compare.
	case has == "":
		v.find("record", Failed, "the record ends before the debate does")
	case want != "" && !strings.HasPrefix(has, strings.ToLower(want)):
		v.find("record", Failed, "its hash is %s, not the expected %s", has, want)
	case v.Hash != "" && v.Hash != has:
		v.find("record", Failed, "its hash is %s, but the export says %s: it was modified", has, v.Hash)
	case want != "":
		v.find("record", OK, "its hash is the expected one")
	case v.Hash != "":
		v.find("record", OK, "its hash is the one the export states; compare it with somebody else's copy")
	default:
		v.find("record", Unknown, "no hash to compare with; compare it with somebody else's copy")
	}
}

// replies replays the debate from its recorded replies.
func (v *verifier) replies(ctx context.Context) {
	res, err := debate.Replay(ctx, v.Nodes, strategy.Find, v.Text)
	if err != nil {
		v.find("replies", Failed, "%v", err)
		return
	}
	v.find("replies", OK, "votes, claims and stances follow from %d replies, byte for byte", count(v.Nodes))
	judged, controls := 0, 0
	for _, k := range res.Checks {
		if k.By != "" && k.Result != verdict.Skipped {
			judged++
			controls += len(k.Trials)
		}
	}
	switch again := res.Rejudged(); {
	case judged == 0:
	// Another version's prompt was worded differently, so its reply cannot be checked with this version's prompt.
	case again < judged:
		v.find("judgements", Unknown, "%d of %d could be recomputed; another version's prompts asked for the rest",
			again, judged)
	default:
		v.find("judgements", OK, "%d judgements and %d control runs follow from the judges' replies", judged, controls)
	}
	switch {
	case res.DrawHash == "" || res.DrawKey == "":
	// The debate ended on a machine without its key, so the key's hash was used instead.
	case res.DrawKey == res.DrawHash:
		v.find("draws", Unknown, "the secret key stayed on another machine; its hash drew claims and judges")
	default:
		v.find("draws", OK, "claims and judges are those its key draws; the key's hash was recorded first")
	}
}

func count(nodes []tree.Node) (n int) {
	for _, r := range exchange.ReplyKind.All(nodes) {
		if r.State == exchange.Answered {
			n++
		}
	}
	return n
}

// arithmetic recomputes ratios, cases, control sums and the verdict.
func (v *verifier) arithmetic() {
	if err := v.res.Unsound(); err != nil {
		v.find("ratios", Failed, "%v", err)
	} else {
		v.find("ratios", OK, "every check's weight matches rules version %s", v.res.Rules.Version)
	}
	recorded := ruling.VerdictKind.All(v.Nodes)
	if len(recorded) == 0 {
		v.find("verdict", Failed, "the record has no verdict")
		return
	}
	again := verdict.Decide(v.res.Ledger(), v.res.Rules)
	had, _ := json.Marshal(recorded[len(recorded)-1])
	got, _ := json.Marshal(again)
	if string(had) == string(got) {
		v.find("verdict", OK, "%s, recomputed byte for byte", v.outcome())
	} else {
		v.differ("verdict", had, again, "it does not follow from the ledger")
	}
	if all := learn.TrialsKind.All(v.Nodes); len(all) > 0 {
		if d := verdict.Differences(all[len(all)-1], learn.TrialsOf(v.res)); len(d) > 0 {
			v.find("controls", Failed, "their sums do not follow from the checks: %s", strings.Join(d, "; "))
		}
	}
}

func (v *verifier) outcome() string {
	word := string(v.res.Outcome)
	if v.res.Rehearsal {
		word = "rehearsal"
	}
	if v.report.Winner == "" {
		return word
	}
	return word + ": " + v.report.Winner
}

// quotes compares every quote that was found with the lines recorded with it.
func (v *verifier) quotes() {
	found, short := 0, 0
	for _, k := range v.res.Checks {
		c := v.res.Ledger().Claim(k.Claim)
		if k.By != "" || k.Result != verdict.Pass || c == nil || k.Kind != "quote" && k.Kind != "source" {
			continue
		}
		line, ok, whole := evidence.Recorded(c.Evidence, k.Lines)
		switch {
		case ok && (k.Proof == nil || k.Proof.Line == 0 || k.Proof.Line == line):
			found++
		case !ok && !whole:
			short++
		default:
			v.find("quotes", Failed, "check %s: the recorded lines do not contain the quote of %s", k.ID, c.ID)
			return
		}
	}
	switch {
	case short > 0:
		v.find("quotes", Unknown, "%d found in the recorded lines; the lines of %d were shortened", found, short)
	case found > 0:
		v.find("quotes", OK, "%d found in the recorded lines", found)
	}
}

// commands names what cannot be recomputed: the results of commands on the machine of the debate.
func (v *verifier) commands() {
	ran := 0
	for _, k := range v.res.Checks {
		if k.Kind == "command" && k.Result != verdict.Skipped {
			ran++
		}
	}
	if ran > 0 {
		v.find("commands", Unknown, "%d ran on the debate's machine; run them again with: socrates decisions check --allow-check '…'", ran)
	}
}

// stated compares the result that the record and its export state with the computed one.
func (v *verifier) stated() {
	if ends := ruling.EndKind.All(v.Nodes); len(ends) > 0 {
		end := ends[len(ends)-1]
		// Nothing was stated, so nothing can be false.
		if end.Chance == 0 {
			end.Chance = v.res.Chance() // it ended before that was recorded
		}
		got := []any{v.res.Outcome, option(v.res), v.res.Score.Value, v.res.Chance(), v.res.Cost.USD, end.ExitCode, end.Blocked}
		if v.res.Rules.Cases {
			got[5] = v.res.ExitCode
		}
		if len(end.Blocked) > 0 { // older records do not state it
			got[6] = v.res.Blocked
		}
		had := []any{end.Outcome, end.Winner, end.Value, end.Chance, end.USD, end.ExitCode, end.Blocked}
		if d := verdict.Differences(had, got); len(d) > 0 {
			v.find("end", Failed, "the last node does not follow from the others: %s", strings.Join(d, "; "))
		}
	}
	if docs := ruling.DecisionKind.All(v.Nodes); len(docs) > 0 {
		if text := docs[len(docs)-1].Markdown; !v.answers(text) {
			v.find("decision", Failed, "%s", v.instead(literal.Plain(bold(text))))
		}
	}
	if v.page != "" {
		v.shown()
	}
	if v.said == nil {
		return
	}
	v.differ("export", v.said, v.by.Object(v.res), "it contradicts its record")
	if last := &v.report.Findings[len(v.report.Findings)-1]; v.edited && last.State != Failed {
		*last = Finding{"export", Failed, "it was edited after it was exported"}
	}
}
