package debate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Result is the published form of a debate for programs: `--output json`. It has the whole ledger and the rules, so anyone can
// recompute the verdict from it. Lists are never nil, except those that may be omitted. Fields are added and never renamed: see
// docs/debate.schema.json.
type Result struct {
	Schema      string          `json:"schema"` // socrates.debate/1
	Room        string          `json:"room"`
	Question    string          `json:"question"`
	Strategy    string          `json:"strategy"`
	Exploration bool            `json:"exploration"` // seats talked before they voted
	Outcome     verdict.Outcome `json:"outcome"`
	Winner      string          `json:"winner"`
	Why         string          `json:"why"`
	Gate        string          `json:"gate"`
	// a person decides; false for a rehearsal that reached a decision
	NeedsPerson bool                `json:"needs_person"`
	Reasons     []verdict.Reason    `json:"reasons,omitempty"`     // of the gate, all that apply
	Hinges      []verdict.Hinge     `json:"hinges,omitempty"`      // lineages and pairs without whom the answer would differ
	Cases       []verdict.Case      `json:"cases,omitempty"`       // what each lineage contributes to each option
	Shares      []verdict.Share     `json:"shares,omitempty"`      // what options lose to lineages that err together
	Calibrated  float64             `json:"calibrated,omitempty"`  // the winner's measured chance of being right; 0: not measured
	Objections  []verdict.Objection `json:"objections,omitempty"`  // security and data objections against the winner
	DrawKey     string              `json:"draw_key,omitempty"`    // key that drew claims and judges
	DrawHash    string              `json:"draw_sha256,omitempty"` // its hash, recorded before the first call
	Score       verdict.Score       `json:"score"`
	Options     []verdict.Option    `json:"options"`
	Beliefs     []verdict.Belief    `json:"beliefs"` // uncalibrated posteriors
	Seats       []SeatResult        `json:"seats"`
	Judge       *SeatResult         `json:"judge,omitempty"` // judged evidence without a seat
	Claims      []ClaimResult       `json:"claims"`
	Checks      []verdict.Check     `json:"checks"`
	Courses     []verdict.Course    `json:"courses,omitempty"` // how the rules treated each claim; once the debate has ended
	Switches    []verdict.Switch    `json:"switches"`
	Estimates   []verdict.Quartiles `json:"estimates"` // of a debate about a number, by round
	Dissent     verdict.Dissent     `json:"dissent"`
	Blocked     []string            `json:"blocked"`
	Panel       verdict.Panel       `json:"panel"`
	// seats that voted and later gave no answer when asked again; their votes count, panel.failed leaves them out
	Lost       []string         `json:"lost"`
	Notes      []string         `json:"notes"`
	Addenda    []Addendum       `json:"addenda"`
	Ruling     *verdict.Ruling  `json:"ruling,omitempty"`  // a person chose
	Talk       []verdict.Spoken `json:"talk"`              // what seats said to each other in a talk
	Lacks      []string         `json:"lacks,omitempty"`   // information most seats lacked at the start and nobody supplied
	Aborted    string           `json:"aborted,omitempty"` // why the panel was aborted
	Applied    []people.Applied `json:"words"`             // messages from people and their effects
	Cost       CostResult       `json:"cost"`
	Tokens     cost.Usage       `json:"tokens"`
	DurationMS int64            `json:"duration_ms"`
	Rehearsal  bool             `json:"rehearsal"` // no model took part
	Context    string           `json:"context_sha256"`
	History    []string         `json:"history"`            // earlier debates whose decisions the seats were shown
	Revisits   string           `json:"revisits,omitempty"` // the earlier debate on the same question
	Follows    string           `json:"follows,omitempty"`  // the debate this one continues
	Followed   []string         `json:"followed,omitempty"` // the debates that continue this one
	Files      []string         `json:"files,omitempty"`    // files the seats were shown, and files shared since
	Executed   []ruling.After   `json:"carried,omitempty"`  // results of executing the decision
	Started    time.Time        `json:"started"`
	Dir        string           `json:"dir"`
	Rules      verdict.Rules    `json:"rules"`
	Ended      bool             `json:"ended"` // false: the result is what it would decide now
	ExitCode   int              `json:"exit_code"`
	Record     string           `json:"record_sha256,omitempty"` // of the whole record; of a debate that has ended
	rejudged   int
}

// Rejudged returns how many judgements were recomputed from the judges' replies by the replay that made this result.
func (res Result) Rejudged() int { return res.rejudged }

// SeatResult is one seat's part in a debate.
type SeatResult struct {
	ID      string         `json:"id"`
	Spec    string         `json:"spec"`
	Model   string         `json:"model"`
	Lineage string         `json:"lineage"`
	Persona string         `json:"persona,omitempty"` // name of its persona; the text is in the record
	Status  verdict.Status `json:"status"`
	Reason  string         `json:"reason,omitempty"`
	Kind    trouble.Kind   `json:"kind,omitempty"` // of a failure
	Vote    verdict.Vote   `json:"vote"`
	Usage   cost.Usage     `json:"usage"`
	Cost    float64        `json:"cost"`
	Calls   int            `json:"calls"`
	MS      int64          `json:"ms"`
	Dropped bool           `json:"dropped,omitempty"` // a person dropped it
	Wrote   []string       `json:"wrote,omitempty"`   // what it changed in its copy of the project, against the rules

	asked bool // it was asked and has not replied; the debate has not ended
}

// ClaimResult is a claim with the ids of its checks.
type ClaimResult struct {
	verdict.Claim
	Checks []string `json:"checks"`
}

// Addendum is an answer that arrived after the room had moved on.
type Addendum struct {
	Seat   string `json:"seat"`
	Option string `json:"option"`         // what it would have voted for; empty: none of the options
	Text   string `json:"text"`           // as received, with the labels this seat was shown; a blob's hash until it is opened
	Read   bool   `json:"read,omitempty"` // a statement in a talk that the others read from then on
}

// CostResult is what a debate cost. Unknown lists the seats without a price, with a failed call or without a token count: USD is then
// a lower bound.
type CostResult struct {
	USD     float64     `json:"usd"`
	Source  cost.Source `json:"source"`
	Unknown []string    `json:"unknown"`
}

// ErrNoFrame means that the nodes are not those of a room.
var ErrNoFrame = errors.New("this is not the record of a debate")

// Summarize computes the result from a room's nodes alone, so that the live run, `show`, `resume` and a replay give
// the same bytes.
func Summarize(nodes []tree.Node) (Result, error) {
	frames := table.FrameKind.All(nodes)
	if len(frames) == 0 {
		return Result{}, ErrNoFrame
	}
	f := frames[0]
	l := lastLedger(nodes, f)
	v := verdict.Decide(l, f.Rules)
	res := Result{Schema: "socrates.debate/1", Room: f.Room, Question: f.Question, Strategy: f.Strategy,
		Outcome: v.Outcome, Winner: v.Winner, Why: v.Reason, Gate: v.Gate, Score: v.Score, Options: orEmpty(l.Options),
		Beliefs: v.Beliefs, Checks: orEmpty(l.Checks), Switches: orEmpty(l.Switches), Dissent: v.Dissent, Blocked: orEmpty(v.Blocked),
		Panel: v.Panel, Reasons: v.Reasons, Hinges: v.Hinges, Cases: v.Cases, Shares: v.Shares, Calibrated: v.Calibrated,
		Objections: v.Objections,
		DrawKey:    l.DrawKey, DrawHash: f.DrawHash, Rehearsal: f.Rehearsal, Dir: f.Dir, Rules: f.Rules, Claims: []ClaimResult{},
		Addenda: []Addendum{}, History: []string{}}
	for _, n := range nodes {
		if n.Kind == string(table.FrameKind) {
			res.Started = n.At
		}
	}
	res.Exploration, res.Estimates = slices.ContainsFunc(exchange.AskKind.All(nodes), exchange.Asked.Explores), orEmpty(l.Estimates)
	res.addAnswers(nodes, l)
	if c := table.ContextKind.All(nodes); len(c) > 0 {
		last := c[len(c)-1]
		res.Context, res.History, res.Files = last.SHA256, orEmpty(last.History), last.Files
	}
	for _, r := range ruling.RevisitKind.All(nodes) {
		res.Revisits = r.Room
	}
	res.Follows = f.Follows
	res.since(nodes)
	res.Ruling, res.Talk, res.Applied = l.Ruling, orEmpty(l.Talk), orEmpty(people.AppliedKind.All(nodes))
	res.Lacks, res.Aborted = l.Lacks, l.Aborted
	for _, applied := range res.Applied {
		if applied.Seat != nil {
			f.Seats = append(slices.Clone(f.Seats), *applied.Seat)
		}
	}
	// Seats that joined are in the result, though not in the frame.
	res.addSeats(nodes, f, l)
	res.Notes = res.remarks(ruling.NoteKind.All(nodes), f.Seats)
	if ends := ruling.EndKind.All(nodes); len(ends) > 0 {
		res.DurationMS, res.Ended, res.Record = ends[len(ends)-1].MS, true, recordHash(nodes)
		res.Courses = courses(l, f.Rules)
	}
	res.NeedsPerson, res.ExitCode = res.needsPerson(), res.exitCode()
	return res, nil
}

// addAnswers adds the claims with the ids of their checks, and the late answers.
func (res *Result) addAnswers(nodes []tree.Node, l verdict.Ledger) {
	for _, c := range l.Claims {
		cr := ClaimResult{Claim: c, Checks: []string{}}
		for _, k := range l.Checks {
			if k.Claim == c.ID || slices.Contains(c.Merged, k.Claim) {
				cr.Checks = append(cr.Checks, k.ID)
			}
		}
		res.Claims = append(res.Claims, cr)
	}
	for _, a := range exchange.AddendumKind.All(nodes) {
		if a.State != exchange.Answered && a.Took().Least {
			continue // a call that was cut off at the end: only its cost
		}
		admitted := slices.ContainsFunc(people.AppliedKind.All(nodes),
			func(applied people.Applied) bool { return applied.Message == a.Key })
		res.Addenda = append(res.Addenda, Addendum{a.Seat, a.Option, a.Text, admitted})
	}
}

// courses returns the courses of all claims, under rules that have them.
func courses(l verdict.Ledger, r verdict.Rules) (out []verdict.Course) {
	for i := range l.Claims {
		if r.Cases {
			out = append(out, l.Course(r, &l.Claims[i]))
		}
	}
	return out
}

// lastLedger returns the ledger recorded last; without one, a ledger with the frame's options only.
func lastLedger(nodes []tree.Node, f table.Frame) verdict.Ledger {
	for _, n := range slices.Backward(nodes) {
		if l, ok := ruling.LedgerKind.Of(n); ok {
			return l
		}
	}
	return verdict.Ledger{Options: f.Options}
}

// orEmpty returns a list that is printed as [], not null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// addSeats adds up what each seat did and cost.
func (res *Result) addSeats(nodes []tree.Node, f table.Frame, l verdict.Ledger) {
	spent := map[string][]exchange.Reply{}
	for _, r := range append(exchange.ReplyKind.All(nodes), exchange.AddendumKind.All(nodes)...) {
		spent[r.Seat] = append(spent[r.Seat], r)
	}
	unanswered, dropped := unanswered(nodes), dropped(nodes)
	res.Cost.Unknown, res.Lost = []string{}, []string{}
	account := func(info table.Seat) SeatResult {
		s := SeatResult{ID: info.ID, Spec: info.Spec, Model: info.Model, Lineage: info.Lineage, Persona: info.Persona.Name, Status: Spared}
		for _, v := range l.Votes {
			if v.Seat == info.ID {
				s.Vote, s.Status, s.Reason, s.Lineage = v, v.Status, v.Reason, v.Lineage
			}
		}
		s.Dropped = dropped[info.ID]
		for _, r := range spent[info.ID] {
			s.Usage = s.Usage.Add(r.Took())
			s.Calls += r.Calls
			s.Wrote = append(s.Wrote, r.Wrote...)
			s.MS += r.MS
			if r.State != exchange.Answered && s.Status != verdict.Voted && s.Status != verdict.Abstained {
				s.Kind = r.Kind
			}
			if r.Model != "" {
				s.Model = r.Model
			}
		}
		s.Usage = s.Usage.Add(unanswered[info.ID])
		s.asked = unanswered[info.ID].Least && len(ruling.EndKind.All(nodes)) == 0
		s.Cost = s.Usage.USD
		if s.Usage.Least || s.Usage.Total() > 0 && s.Usage.Source == cost.Unknown {
			res.Cost.Unknown = append(res.Cost.Unknown, s.ID)
		}
		res.Tokens = res.Tokens.Add(s.Usage)
		return s
	}
	for _, info := range f.Seats {
		s := account(info)
		if s.Status == verdict.Voted && slices.ContainsFunc(spent[info.ID], lost) {
			res.Lost = append(res.Lost, info.ID)
		}
		res.Seats = append(res.Seats, s)
	}
	if l.Judge != nil && f.Judge != nil {
		s := account(*f.Judge)
		s.Status = unseated
		res.Judge = &s
	}
	res.Cost.USD, res.Cost.Source = res.Tokens.USD, res.Tokens.Source
}

// dropped returns the seats that a person dropped.
func dropped(nodes []tree.Node) map[string]bool {
	said, out := map[tree.ID]people.Message{}, map[string]bool{}
	for _, n := range nodes {
		if message, ok := people.MessageKind.Of(n); ok {
			said[n.ID] = message
		} else if applied, ok := people.AppliedKind.Of(n); ok && applied.Verb == people.Drop && !applied.Refused {
			out[said[tree.ID(applied.Message)].Seat] = true
		}
	}
	return out
}

// lost reports whether a seat gave no answer that counts, by its own fault or its vendor's.
func lost(r exchange.Reply) bool {
	switch r.State {
	case exchange.NotAsked:
		return r.Kind != ""
	case exchange.Answered, exchange.Stopped, exchange.Dropped:
		return false
	}
	return true
}

// unanswered returns the cost of questions without a reply, by seat: the known part, marked as a lower bound.
func unanswered(nodes []tree.Node) map[string]cost.Usage {
	open := map[tree.ID]string{}
	for _, n := range nodes {
		if a, ok := exchange.AskKind.Of(n); ok {
			open[n.ID] = a.Seat
		} else if n.Kind == string(exchange.ReplyKind) || n.Kind == string(exchange.AddendumKind) {
			delete(open, n.Parent)
		}
	}
	out := map[string]cost.Usage{}
	for _, n := range nodes {
		if s, ok := exchange.StepKind.Of(n); ok && open[n.Parent] != "" {
			out[open[n.Parent]] = out[open[n.Parent]].Add(s.Usage)
		}
	}
	for _, seat := range open {
		u := out[seat]
		u.Least = true
		out[seat] = u
	}
	return out
}

// Spared is the status of a seat that was not asked because the others settled the question.
const Spared verdict.Status = "not-asked"

// unseated is the status of a judge without a seat.
const unseated verdict.Status = "judge"

// The exit codes a debate can end with by itself.
const (
	exitOK       = 0
	exitAuth     = 4
	exitProvider = 5
	exitLimit    = 7
	exitNone     = 10
	exitDegraded = 11
)

// needsPerson reports whether a person has to decide: the panel reached no decision, or the gate says so and nobody has chosen yet.
// Rules before version 4 ask nobody if there is a decision.
func (res *Result) needsPerson() bool {
	return !res.Outcome.Decision() || res.Rules.Cases && res.Gate == verdict.GatePerson && res.Outcome != verdict.Ruled && !res.Rehearsal
}

// exitCode returns the documented code: 0 decided, 12 a person is asked, 11 decided by a degraded panel, 10 no decision, or why
// nobody could answer.
func (res *Result) exitCode() int {
	switch {
	case res.Outcome.Decision() && res.needsPerson():
		return ruling.ExitPerson
	case res.Outcome == verdict.Degraded:
		return exitDegraded
	case res.Outcome.Decision():
		return exitOK
	case res.Panel.Voted+res.Panel.Abstained+res.Panel.NoVote > 0 || len(res.Seats) == 0:
		return exitNone
	}
	codes := map[int]bool{}
	for _, s := range res.Seats {
		if s.Status != verdict.Failed {
			continue
		}
		switch s.Kind {
		case trouble.Auth:
			codes[exitAuth] = true
		case trouble.Quota, trouble.RateLimit, trouble.Overloaded, trouble.Network, trouble.Stall:
			codes[exitProvider] = true
		case exchange.BudgetKind, timeKind:
			codes[exitLimit] = true
		default:
			codes[exitNone] = true
		}
	}
	switch {
	case codes[exitNone] || codes[exitAuth] && len(codes) > 1 || len(codes) == 0:
		return exitNone
	case codes[exitAuth]:
		return exitAuth
	case codes[exitProvider]:
		return exitProvider
	}
	return exitLimit
}

// Ledger rebuilds the ledger that the verdict was computed from.
func (res Result) Ledger() verdict.Ledger {
	l := verdict.Ledger{Options: res.Options, Checks: res.Checks, DrawKey: res.DrawKey, Switches: res.Switches, Estimates: res.Estimates,
		Ruling: res.Ruling, Talk: res.Talk,
		Lacks: res.Lacks, Aborted: res.Aborted}
	for _, s := range res.Seats {
		if s.Status != Spared {
			l.Votes = append(l.Votes, s.Vote)
		}
	}
	if j := res.Judge; j != nil {
		l.Judge = &verdict.Judge{Seat: j.ID, Lineage: j.Lineage}
	}
	for _, c := range res.Claims {
		l.Claims = append(l.Claims, c.Claim)
	}
	return l
}

// Unsound returns an error if something in the result does not follow from its rules: a ratio, a claim or judge that was not drawn,
// an exit code, or a key that does not match the frame's hash.
func (res Result) Unsound() error {
	promised := table.Frame{DrawHash: res.DrawHash}
	if res.DrawHash != "" && res.DrawKey != "" && res.DrawKey != res.DrawHash && !promised.Sealed(res.DrawKey) {
		return errors.New("the key that drew claims and judges does not match the hash recorded before")
	}
	judged := slices.ContainsFunc(res.Checks, func(k verdict.Check) bool { return k.Lineage != "" })
	if res.Rules.Cases && judged && (res.DrawKey == "" || res.DrawHash == "") {
		return errors.New("the record lacks the key that drew its judges, or that key's hash")
	}
	if want := res.exitCode(); res.Rules.Cases && res.Ended && (res.needsPerson() != res.NeedsPerson || res.ExitCode != want &&
		!(want == ruling.ExitPerson && slices.Contains([]int{exitOK, exitDegraded}, res.ExitCode))) { // those with --gate any
		return fmt.Errorf("the record says exit code %d, but its verdict gives %d", res.ExitCode, want)
	}
	if err := res.Ledger().Unsound(res.Rules); err != nil || !res.Rules.Cases || slices.ContainsFunc(res.Applied, people.Applied.Steers) {
		return err
	}
	return res.Ledger().Misdrawn(res.Rules)
}

// Verdict returns the verdict that the result states.
func (res Result) Verdict() verdict.Verdict {
	return verdict.Verdict{Rules: res.Rules.Version, Outcome: res.Outcome, Winner: res.Winner, Reason: res.Why, Gate: res.Gate,
		Score: res.Score, Beliefs: res.Beliefs, Panel: res.Panel, Dissent: res.Dissent, Blocked: res.Blocked,
		Reasons: res.Reasons, Hinges: res.Hinges, Cases: res.Cases, Shares: res.Shares, Calibrated: res.Calibrated,
		Objections: res.Objections}
}

// option returns the text of an option by its key.
func (res Result) option(key string) string {
	for _, o := range res.Options {
		if o.Key == key {
			return o.Text
		}
	}
	return ""
}
