package document_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// room is a debate that has ended: its ledger, decided under the rules of today.
func room(l verdict.Ledger, change ...func(*debate.Result)) debate.Result {
	rules := verdict.DefaultRules()
	v := verdict.Decide(l, rules)
	res := debate.Result{Room: "writer-pool-ab12", Question: "Should the store keep one writer or use a pool?", Strategy: "council", Started: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Outcome: v.Outcome, Winner: v.Winner, Why: v.Reason, Gate: v.Gate, Score: v.Score, Beliefs: v.Beliefs, Panel: v.Panel, Dissent: v.Dissent, Blocked: v.Blocked,
		Reasons: v.Reasons, Hinges: v.Hinges, Cases: v.Cases, Objections: v.Objections, Options: l.Options, Checks: l.Checks, Rules: rules, DrawKey: l.DrawKey,
		NeedsPerson: v.Gate == verdict.GatePerson, Ended: true, DurationMS: 72_000}
	for _, w := range l.Votes {
		res.Seats = append(res.Seats, debate.SeatResult{ID: w.Seat, Spec: w.Seat, Lineage: w.Lineage, Status: w.Status, Vote: w, Reason: w.Reason})
	}
	for _, c := range l.Claims {
		cr := debate.ClaimResult{Claim: c}
		for _, k := range l.Checks {
			if k.Claim == c.ID {
				cr.Checks = append(cr.Checks, k.ID)
			}
		}
		res.Claims = append(res.Claims, cr)
	}
	for _, f := range change {
		f(&res)
	}
	return res
}

func vote(seat, lineage, option string) verdict.Vote {
	return verdict.Vote{Seat: seat, Lineage: lineage, Status: verdict.Voted, Option: option, Flip: "a measured stall of " + seat}
}

func claim(id, seat, option string, supports bool, text string) verdict.Claim {
	return verdict.Claim{ID: id, Seat: seat, Text: text, Kind: "logic", Impact: 2, Option: option, Supports: supports,
		Evidence: verdict.Evidence{Kind: "quote", File: "store/" + seat + ".go", Line: 7, Quote: "lines of " + id}}
}

// looked is what code and one judge found out about a claim.
func looked(n int, c verdict.Claim, by, lineage, result string, ratio float64) []verdict.Check {
	shows := map[string]string{verdict.Pass: "yes", verdict.Fail: "no"}[result]
	return []verdict.Check{
		{ID: fmt.Sprint("k", n), Claim: c.ID, Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched, Ratio: 1, Proof: &verdict.Proof{File: c.Evidence.File, Line: 7}},
		{ID: fmt.Sprint("k", n+1), Claim: c.ID, Kind: "entailment", Result: result, Grade: verdict.Entailed, Ratio: ratio, By: by, Lineage: lineage,
			Asked: "drawn", Answers: &verdict.Answers{Shows: shows, Bears: "yes", Grave: "yes"}},
	}
}

var options = []verdict.Option{{Key: "A", Text: "keep one writer"}, {Key: "B", Text: "use a pool"}}

// split is a decision with dissent: two families against one with three seats; a claim was verified, one refuted.
func split() verdict.Ledger {
	l := verdict.Ledger{Options: options, DrawKey: "k", Votes: []verdict.Vote{vote("claude", "anthropic", "A"), vote("gemini", "google", "A"),
		vote("codex", "openai", "B"), vote("codex2", "openai", "B"), vote("codex3", "openai", "B")},
		Claims: []verdict.Claim{claim("c1", "claude", "A", true, "SQLite allows one writer"), claim("c2", "gemini", "A", true, "the hook fires once"),
			claim("c3", "codex", "B", true, "reads stall"), claim("c4", "codex2", "B", true, "a pool uses all cores")}}
	l.Checks = append(looked(1, l.Claims[0], "gemini", "google", verdict.Pass, 3), looked(3, l.Claims[2], "claude", "anthropic", verdict.Fail, 1)...)
	return l
}

// denied is split with a second no on the claim of the other side: now it is refuted.
func denied() verdict.Ledger {
	l := split()
	again := looked(5, l.Claims[2], "gemini", "google", verdict.Fail, 1./3)[1]
	again.Asked = "after a no"
	l.Checks = append(l.Checks, again)
	return l
}

// blocked is a unanimous room with a danger two families affirm.
func blocked() verdict.Ledger {
	l := verdict.Ledger{Options: options, DrawKey: "k", Votes: []verdict.Vote{vote("claude", "anthropic", "A"), vote("gemini", "google", "A"), vote("qwen", "qwen", "A"),
		{Seat: "grok", Lineage: "xai", Status: verdict.Abstained, Reason: "too dangerous"}}, Claims: []verdict.Claim{claim("c1", "claude", "A", true, "it is simple")}}
	danger := claim("c6", "grok", "A", false, "the key is in the source")
	danger.Kind, danger.Impact = "security", 5
	l.Claims = append(l.Claims, danger)
	for i, by := range []string{"anthropic", "qwen"} {
		k := looked(1, danger, by, by, verdict.Pass, 1)
		k[1].ID = fmt.Sprint("k", 2+i)
		l.Checks = append(l.Checks, k[i:]...)
	}
	return l
}

func same(s string) string { return s }

// printed is a document in every way it is printed for people.
func printed(d document.Document) map[string]string {
	return map[string]string{"short": d.Short(), "markdown": d.Markdown(), "plain": d.Plain(document.Style{Columns: 80, Clean: same}), "html": d.HTML()}
}

// Everything a reader needs is on each of them, in one order.
func TestOneOrder(t *testing.T) {
	d := document.Of(room(denied()))
	want := []string{"Keep one writer.", "ikely", "93", "claude", "SQLite allows one writer", "store/claude.go:7", "efuted", "reads stall", "use a pool", "a pool uses all cores",
		"measured stall of claude", "sed -n 7p store/claude.go", "socrates decisions overrule writer-pool-ab12 B"}
	for name, text := range printed(d) {
		text, at := html.UnescapeString(text), 0
		for _, w := range want {
			i := strings.Index(text[at:], w)
			if i < 0 {
				t.Fatalf("%s: %q does not come after what should stand before it:\n%s", name, w, text)
			}
			at += i
		}
		for _, w := range []string{"without anthropic", "three votes of one family (openai) count as 1.5", "claude and gemini: the lines do not show it"} {
			if !strings.Contains(strings.ToLower(strings.Join(strings.Fields(text), " ")), strings.ToLower(w)) && !(name == "short" || name == "plain") {
				t.Errorf("%s does not say %q:\n%s", name, w, text)
			}
		}
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	order := regexp.MustCompile(`"(answer|word|percent|votes|call|why|refuted|dissent|flip|next)":`).FindAllStringSubmatch(string(raw), -1)
	var keys []string
	for _, k := range order {
		if !slices.Contains(keys, k[1]) {
			keys = append(keys, k[1])
		}
	}
	if got := strings.Join(keys, " "); got != "answer word percent votes call why refuted dissent flip next" {
		t.Errorf("JSON has the order %s", got)
	}
}

// A blocked decision says everywhere who blocks, on what evidence, who affirmed it, and how it is lifted.
func TestBlocked(t *testing.T) {
	d := document.Of(room(blocked()))
	if d.Word != "blocked" || d.Percent != 0 {
		t.Errorf("%s, %d %%", d.Word, d.Percent)
	}
	raw, _ := json.Marshal(d)
	ways := printed(d)
	ways["json"] = strings.ReplaceAll(string(raw), `\"`, `"`)
	for name, text := range ways {
		text = strings.Join(strings.Fields(html.UnescapeString(text)), " ")
		for _, want := range []string{"Blocked by grok", "the key is in the source (c6, store/grok.go:7); affirmed by anthropic and qwen",
			`socrates debate tell writer-pool-ab12 "/veto c6 REASON"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
	}
}

// Where no model took part there is no percent, and nothing looks like a decision.
func TestRehearsal(t *testing.T) {
	d := document.Of(room(denied(), func(res *debate.Result) { res.Rehearsal, res.Rules.Rehearsal = true, true }))
	percent := regexp.MustCompile(`\d( |&nbsp;| )?%`)
	for name, text := range printed(d) {
		if body := regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(text, ""); percent.MatchString(body) {
			t.Errorf("%s has a percent: %s", name, percent.FindString(body))
		}
		for _, want := range []string{"Rehearsal", "Not a decision", "no model took part"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "decisions confirm") || strings.Contains(text, "∴") || strings.Contains(text, "Status: decided") {
			t.Errorf("%s poses as a decision:\n%s", name, text)
		}
	}
}

// Rules move nothing that could be measured: a rehearsal shows no figure and no table of how its answer moved.
func TestRehearsalShowsNoMoves(t *testing.T) {
	for name, text := range printed(document.Of(room(denied(), func(res *debate.Result) { res.Rehearsal, res.Rules.Rehearsal = true, true }))) {
		for _, word := range []string{"How the answer moved", "How the result was computed", "leans to it", "tokens in / out"} {
			if strings.Contains(text, word) {
				t.Errorf("%s shows %q", name, word)
			}
		}
	}
}

// What would change a mind is shown, whichever seats say so.
func TestFlipOfAbstained(t *testing.T) {
	l := verdict.Ledger{Options: options}
	for i, flip := range []string{"a benchmark", "a benchmark.", ""} {
		l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("s", i+1), Lineage: fmt.Sprint("f", i), Status: verdict.Abstained, Flip: flip})
	}
	if got := document.Of(room(l)).Flip; len(got) != 1 || got[0] != "a benchmark (s1 and s2)" {
		t.Errorf("flip is %q", got)
	}
}

// Seats that abstain for one reason are named before it once.
func TestAbstained(t *testing.T) {
	votes := func(reasons ...string) (l verdict.Ledger) {
		l.Options = options
		for i, reason := range reasons {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("s", i+1), Lineage: fmt.Sprint("f", i), Status: verdict.Abstained, Reason: reason})
		}
		return l
	}
	for want, l := range map[string]verdict.Ledger{
		"All 3 seats abstained: nothing is said of it":                      votes("nothing is said of it", "nothing is said of it.", "nothing is said of it"),
		"s1, s3 abstained: nothing is said of it; s2 abstained: no subject": votes("nothing is said of it", "no subject", "nothing is said of it"),
		"Both seats abstained: nothing is said of it":                       votes("nothing is said of it", "nothing is said of it"),
		"s1 abstained: no subject":                                          votes("no subject"),
	} {
		if got := document.Of(room(l)).Votes; got != want {
			t.Errorf("votes are %q, want %q", got, want)
		}
	}
}

// Where nobody objects, nothing is called contested.
func TestContested(t *testing.T) {
	for _, objects := range []bool{false, true} {
		l := split()
		for i := range l.Claims {
			l.Claims[i].Put = true
		}
		if objects {
			l.Claims[0].Stances = map[string]verdict.Stance{"codex": {Verb: verdict.Object}}
		}
		text := document.Of(room(l)).Markdown()
		if strings.Contains(text, "contested") != objects || strings.Contains(verdict.Explain(l, verdict.DefaultRules()), "Contested") != objects {
			t.Errorf("somebody objects: %v\n%s", objects, text)
		}
	}
}

// A tie has no number, and shows the best claim of each side.
func TestTie(t *testing.T) {
	l := verdict.Ledger{Options: options, Votes: []verdict.Vote{vote("claude", "anthropic", "A"), vote("codex", "openai", "B")},
		Claims: []verdict.Claim{claim("c1", "claude", "A", true, "it is simple"), claim("c2", "codex", "B", true, "it is fast")}}
	d := document.Of(room(l))
	text := d.Short()
	for _, want := range []string{"No decision: A (keep one writer) and B (use a pool) are tied.", "it is simple", "it is fast", `"/choose A"`, `"/choose B"`, "For B, codex: a measured stall"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	if d.Percent != 0 || strings.Contains(text, "%") {
		t.Errorf("a tie with a number:\n%s", text)
	}
}

// The figure has a bar for each family's votes and each check, says which checks held, and groups votes and checks below them.
func TestFigure(t *testing.T) {
	page := document.Of(room(denied())).HTML()
	bars := regexp.MustCompile(`<rect class="(\w+)"[^>]*/><text class="sm mid"[^>]*>([^<]*)</text>`).FindAllStringSubmatch(page, -1)
	got := ""
	for _, b := range bars {
		got += b[1] + " " + b[2] + "; "
	}
	if got != "s1 claude; s3 gemini; s2 codex; s2 codex2; s2 codex3; ink c1 ✓; ink c3 ✗; " {
		t.Error(got)
	}
	for _, group := range []string{`d="M68.0 221H377.4"/><text class="lab mid" x="222.7" y="237">votes<`, `d="M389.4 221H506.0"/><text class="lab mid" x="447.7" y="237">checks<`} {
		if !strings.Contains(page, group) {
			t.Errorf("no %s", group)
		}
	}
}

func TestWords(t *testing.T) {
	for percent, want := range map[float64]string{.999: "very likely, 99 %", .895: "very likely, 90 %", .894: "likely, 89 %", .75: "likely, 75 %", .745: "likely, 75 %", .744: "leaning, 74 %",
		.55: "leaning, 55 %", .54: "toss-up, 54 %", .2: "toss-up, 20 %"} {
		res := room(split(), func(res *debate.Result) { res.Beliefs[0].P = percent })
		if got := document.Of(res).Sure(", "); got != want {
			t.Errorf("%g is %q, want %q", percent, got, want)
		}
	}
}

// Where outcomes have calibrated the probability, the measured one is the one shown.
func TestCalibrated(t *testing.T) {
	res := room(split(), func(res *debate.Result) { res.Beliefs[0].P, res.Calibrated = .95, .62 })
	if got := document.Of(res).Sure(", "); got != "leaning, 62 %" {
		t.Errorf("a posterior of .95 that was right in 62 %% of cases is shown as %q", got)
	}
}

// Whatever is said, the first screen is one: 40 lines of 80 columns, and it never loses who is asked, nor how.
func TestOneScreen(t *testing.T) {
	text := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-z#>|*\-+]{1,12}`), rapid.StringN(1, 90, 90)), 1, 60).Draw(rt, "words"), " ")
	})
	rapid.Check(t, func(rt *rapid.T) {
		l := rapid.SampledFrom([]func() verdict.Ledger{split, denied, blocked}).Draw(rt, "kind")()
		l.Options = slices.Clone(l.Options)
		for i := range l.Options {
			l.Options[i].Text = text.Draw(rt, "option")
		}
		for i := range l.Claims {
			l.Claims[i].Text = text.Draw(rt, "claim")
		}
		for i := range l.Votes {
			l.Votes[i].Flip = text.Draw(rt, "flip")
		}
		lost := rapid.IntRange(0, 8).Draw(rt, "lost")
		for i := range lost {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("lost", i), Lineage: fmt.Sprint("l", i), Status: verdict.Failed, Reason: text.Draw(rt, "reason")})
		}
		question := text.Draw(rt, "question")
		d := document.Of(room(l, func(res *debate.Result) { res.Question, res.Exploration = question, rapid.Bool().Draw(rt, "explores") }))
		plain := d.Plain(document.Style{Columns: 80, Clean: same})
		if asked, _, _ := strings.Cut(plain, "\n"); strings.TrimSpace(asked) != strings.Join(strings.Fields(d.Question), " ") && !strings.HasSuffix(asked, "…") {
			rt.Fatalf("the question is cut and does not say so: %s\n%s", asked, d.Question)
		}
		for name, page := range map[string]string{"short": d.Short(), "plain": plain} {
			if n := strings.Count(page, "\n"); n > 40 {
				rt.Fatalf("%s: %d lines\n%s", name, n, page)
			}
			for line := range strings.Lines(page) {
				if utf8.RuneCountInString(line) > 81 {
					rt.Fatalf("%s: %d columns\n%s", name, utf8.RuneCountInString(line), line)
				}
			}
			if strings.Contains(page, "\n\n\n") {
				rt.Fatalf("%s: an empty line follows another\n%s", name, page)
			}
			for _, c := range d.Next {
				if !strings.Contains(page, c.Line) {
					rt.Fatalf("%s lacks %s", name, c.Line)
				}
			}
			if !strings.Contains(page, d.Call.Title) {
				rt.Fatalf("%s does not say who is asked (%s)\n%s", name, d.Call.Title, page)
			}
		}
	})
}

// Nothing that a model or a person wrote reaches a terminal but through Clean.
func TestPlainIsClean(t *testing.T) {
	const hostile = "\x1b[2J"
	for _, make := range []func() verdict.Ledger{split, denied, blocked} {
		l := make()
		l.Options = []verdict.Option{{Key: "A", Text: "keep" + hostile}, {Key: "B", Text: "pool" + hostile}}
		for i := range l.Claims {
			c := &l.Claims[i]
			c.Text, c.Seat, c.Evidence.File, c.Evidence.Quote = c.Text+hostile, c.Seat+hostile, c.Evidence.File+hostile, c.Evidence.Quote+hostile
		}
		for i := range l.Votes {
			l.Votes[i].Flip += hostile
			l.Votes[i].Seat += hostile
		}
		d := document.Of(room(l, func(res *debate.Result) { res.Question, res.Room = res.Question+hostile, res.Room+hostile }))
		if page := d.Plain(document.Style{Columns: 80, Clean: func(s string) string { return strings.ReplaceAll(s, "\x1b", "^") }}); strings.Contains(page, "\x1b") {
			t.Errorf("not clean: %q", page)
		}
		if page := d.Plain(document.Style{Columns: 80, Clean: same}); !strings.Contains(page, "\x1b") {
			t.Error("nothing there needed to be clean")
		}
	}
}

// The page runs nothing, loads nothing, and takes no model's words for its own.
func TestPage(t *testing.T) {
	hostile := `<script>alert(1)</script><img src=x onerror=y> "quoted" & 'so' <b style="x">`
	l := denied()
	for i := range l.Claims {
		l.Claims[i].Text, l.Claims[i].Evidence.Quote = hostile, hostile
	}
	for i := range l.Votes {
		l.Votes[i].Flip = hostile
	}
	d := document.Of(room(l, func(res *debate.Result) {
		res.Question = hostile
		res.Talk = []verdict.Spoken{{Seat: "claude", Phase: "opening", Text: hostile}}
	}))
	node, err := html.Parse(strings.NewReader(d.HTML()))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n := range node.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		seen[n.Data]++
		for _, a := range n.Attr {
			if a.Key == "src" || a.Key == "href" || a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	if seen["script"]+seen["img"]+seen["b"]-1 != 1 || seen["details"] < 5 || seen["svg"] < 3 || seen["figure"] != 2 { // one b: who is asked
		t.Errorf("elements %v", seen)
	}
}
