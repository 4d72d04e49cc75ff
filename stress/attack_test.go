package stress_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// TestAttackedRooms has the program debate over a loopback vendor whose models play against the rules. In every order of seats the
// honest answer wins, or a person is asked and the exit code says so; and order changes nothing at all. With SOCRATES_STRESS=full all
// orders are played, else one of each room.
func TestAttackedRooms(t *testing.T) {
	a := newAttic(t)
	for _, r := range attackedRooms {
		t.Run(r.name, func(t *testing.T) {
			seen := map[string]int{}
			for _, order := range a.orders(len(r.seats)) {
				res := a.debate(t, r, order)
				if why := r.want(res); why != "" {
					t.Errorf("order %v: %s: %+v", order, why, res)
				}
				seen[fmt.Sprint(res.Outcome, " ", res.Winner, ", exit ", res.Exit, ", ", len(res.Checks), " looks, score ", res.Score.Value, " ", res.odds())]++
			}
			t.Log(seen)
			if len(seen) != 1 {
				t.Errorf("the order of the seats decides: %v", seen)
			}
		})
	}
}

const queue, pool, sheet = "use a queue", "use a pool", "use a sheet"

// attackedRoom is who sits in a room, each at a vendor of its own, and what must come of it.
type attackedRoom struct {
	name  string
	seats []string // names of players
	flags []string
	want  func(attacked) string // empty: it came so
}

// attacked is what came of such a room.
type attacked struct {
	Outcome, Winner, Gate string
	NeedsPerson           bool `json:"needs_person"`
	Blocked               []string
	Score                 struct{ Value float64 }
	Beliefs               []struct {
		Option string
		P      float64
	}
	Checks []struct{ Claim, Kind, Result string }
	Claims []struct {
		Seat, Text, Option string
		Checks             []string
	}
	Exit int `json:"-"`
}

func (a attacked) odds() (out []string) {
	for _, b := range a.Beliefs {
		out = append(out, fmt.Sprintf("%s %.4f", b.Option, b.P))
	}
	slices.Sort(out)
	return out
}

// safe: the honest answer wins, or a person is asked and the exit code says so; and nothing is blocked.
func safe(a attacked) string {
	switch {
	case len(a.Blocked) > 0:
		return "one lineage blocks"
	case a.NeedsPerson != (a.Exit == 10 || a.Exit == 12):
		return "the exit code does not say whether a person is asked"
	case a.Winner != "A" && !a.NeedsPerson:
		return "the attacker wins"
	}
	return ""
}

// wins: the honest answer, and nobody is asked.
func wins(a attacked) string {
	if a.Winner != "A" || a.Exit != 0 || a.Gate != "proceed" {
		return "honest seats do not decide by themselves"
	}
	return safe(a)
}

// waits: a decision that waits for a person.
func waits(a attacked) string {
	if a.Exit != 12 {
		return "nobody is asked"
	}
	return safe(a)
}

// halts: two lineages affirm a danger, and no rating lifts it.
func halts(a attacked) string {
	if a.Exit != 10 || len(a.Blocked) != 1 {
		return "the danger does not block"
	}
	return ""
}

// level: nothing is decided, and no score is printed.
func level(a attacked) string {
	if a.Outcome != "tie" || a.Exit != 10 || a.Winner != "" || a.Score.Value != 0 {
		return "it is no tie without a score"
	}
	return ""
}

// attackedRooms are the classes of attack that were found, and what else must hold for seats in any order.
var attackedRooms = []attackedRoom{
	{name: "three bare votes, irrelevant true quotes", seats: []string{"bare1", "bare2", "bare3", "self"}, want: safe},
	{name: "strawmen", seats: []string{"honest1", "honest2", "straw"}, want: safe},
	{name: "all of these", seats: []string{"honest1", "honest2", "honest3", "combo"}, want: safe},
	{name: "true trivial claims against", seats: []string{"honest1", "honest2", "against"}, want: safe},
	{name: "false judge", seats: []string{"honest1", "honest2", "liar"}, want: safe},
	{name: "false judge among four", seats: []string{"honest1", "honest2", "honest3", "liar"}, want: safe},
	{name: "self-chosen command", seats: []string{"honest1", "honest2", "command"}, flags: []string{"--allow-check", "git --version"}, want: safe},
	{name: "copied and altered claims", seats: []string{"honest1", "honest2", "copycat"}, want: safe},
	{name: "inflated impact", seats: []string{"honest1", "honest2", "loud"}, want: safe},
	{name: "late switch", seats: []string{"honest1", "honest2", "turncoat"}, want: safe},
	{name: "invented quotes for a rival", seats: []string{"honest1", "honest2", "inventor"}, want: safe},
	{name: "invented quotes for the majority", seats: []string{"honest1", "honest2", "honest3", "helper"}, want: wins},
	{name: "a harmless fact as a danger", seats: []string{"honest1", "honest2", "honest3", "alarm"}, want: safe},
	{name: "the same, by a false judge", seats: []string{"honest1", "honest2", "honest3", "alarmist"}, want: safe},
	{name: "a danger that is one", seats: []string{"bare1", "bare2", "warner"}, want: halts},
	{name: "a danger that one seat rates low", seats: []string{"bare1", "rater", "warner"}, want: halts},
	{name: "a third answer and a false judge", seats: []string{"honest1", "honest2", "honest3", "third"}, flags: []string{"--option", queue, "--option", pool, "--option", sheet}, want: safe},
	{name: "contrary seat of three", seats: []string{"honest1", "bare1", "contrary"}, want: safe},
	{name: "contrary bare seat of three", seats: []string{"bare1", "bare2", "contrary"}, want: waits},
	{name: "level", seats: []string{"bare1", "contrary"}, want: level},
	{name: "a dead seat", seats: []string{"honest1", "honest2", "dead", "self"}, want: safe},
	{name: "honest seats alone", seats: []string{"honest1", "honest2", "honest3"}, want: wins},
}

// attic is where they debate: a project, a home, and the vendor.
type attic struct{ program, dir, home, url string }

func newAttic(t *testing.T) attic {
	a := attic{dir: t.TempDir(), home: t.TempDir()}
	var err error
	if a.program, err = built(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.dir, "shop.txt"), strings.Join(shop, "\n")+"\n")
	vendor := llmtest.NewServer(func(ask llmtest.Ask) llmtest.Reply { return players()[ask.Model].answer(ask) })
	t.Cleanup(vendor.Close)
	a.url = vendor.URL
	return a
}

// orders are all orders of n seats, or with less time the last one.
func (a attic) orders(n int) [][]int {
	all := [][]int{nil}
	for k := range n {
		var longer [][]int
		for _, o := range all {
			for at := range k + 1 {
				longer = append(longer, slices.Insert(slices.Clone(o), at, k))
			}
		}
		all = longer
	}
	if os.Getenv("SOCRATES_STRESS") != "full" {
		return all[:1]
	}
	return all
}

// houses are the vendors at whose doors the models of a room stand, one each.
var houses = []string{"anthropic", "openai", "gemini", "xai"}

func (a attic) debate(t *testing.T, r attackedRoom, order []int) (res attacked) {
	t.Helper()
	args := append([]string{"debate", "--no-history", "--seed", "7", "--output", "json"}, r.flags...)
	for _, i := range order {
		args = append(args, "--seat", houses[i]+":"+r.seats[i])
	}
	c := exec.Command(a.program, append(args, "Should the shop use a queue or use a pool?")...)
	c.Dir = a.dir
	c.Env = append(os.Environ(), "HOME="+a.home, "USERPROFILE="+a.home, "XDG_CONFIG_HOME="+a.home, "XDG_DATA_HOME="+a.home, "SOCRATES_KEYRING=file",
		"ANTHROPIC_API_KEY=key-of-one", "OPENAI_API_KEY=key-of-two", "GEMINI_API_KEY=key-of-three", "XAI_API_KEY=key-of-four",
		"ANTHROPIC_BASE_URL="+a.url, "OPENAI_BASE_URL="+a.url+"/v1", "GOOGLE_GEMINI_BASE_URL="+a.url, "XAI_BASE_URL="+a.url+"/v1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		res.Exit = exit.ExitCode()
	}
	if err := json.Unmarshal(out, &res); err != nil {
		t.Fatalf("%s %v: %v\n%s", r.name, order, err, stderr.String())
	}
	return res
}

// shop are the lines that are quoted; the line a claim quotes says its own words.
var shop = func() (lines []string) {
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Line %d of the shop's rules is written here.", i+1))
	}
	return lines
}()

// said is a claim of a player. What is wrong with it stands in its text, for a judge to find out.
type said struct {
	text, kind, about string
	against           bool
	line              int // of the shop's rules; 0: it quotes nothing, below: what nobody wrote
	command           bool
}

// player is a model: what it votes for, claims, and says as a judge.
type player struct {
	vote   string // empty: it abstains
	turns  string // its vote once it may change it
	claims []said
	judges func(claim string) (shows, bears, grave bool) // nil: honestly
	rates  bool                                          // it calls every claim of others unimportant
	dead   bool
}

// claimsOf are n claims for an option from a line on.
func claimsOf(option, what string, line, n int) (out []said) {
	for i := range n {
		out = append(out, said{text: fmt.Sprintf("Rule %d says to %s%s", line+i, option, what), kind: "logic", about: option, line: line + i})
	}
	return out
}

// opinion is a claim without evidence.
func opinion(who, option string) []said {
	return []said{{text: "It is simpler to " + option + ", as " + who + " sees it", kind: "logic", about: option}}
}

func players() map[string]player {
	contrary := func(claim string) (bool, bool, bool) {
		no := strings.Contains(claim, queue)
		return !no, !no, true
	}
	danger := func(what string) []said {
		return []said{{text: "Everybody can read what those write who " + queue + what, kind: "security", about: queue, against: true, line: 30}}
	}
	out := map[string]player{
		"self":     {vote: pool, claims: claimsOf(pool, ", irrelevant", 20, 7)},
		"straw":    {vote: pool, claims: append(claimsOf(queue, ", not shown", 20, 3), claimsOf(pool, ", irrelevant", 25, 2)...)},
		"against":  {vote: pool, claims: []said{{text: "To " + queue + " takes a name", kind: "logic", about: queue, against: true, line: 20}}},
		"liar":     {vote: pool, claims: claimsOf(pool, ", irrelevant", 20, 2), judges: contrary},
		"command":  {vote: pool, claims: []said{{text: "A test shows to " + pool + ", irrelevant", kind: "tests", about: pool, command: true}, {text: "A test shows to " + queue + ", not shown", kind: "tests", about: queue, command: true}}},
		"copycat":  {vote: pool, claims: append(claimsOf(queue, "", 1, 2), claimsOf(pool, ", irrelevant", 1, 2)...)},
		"loud":     {vote: pool, claims: []said{{text: "It is safe to " + pool + ", irrelevant", kind: "security", about: pool, line: 20}}},
		"turncoat": {vote: queue, turns: pool, claims: claimsOf(queue, ", irrelevant", 20, 2)},
		"inventor": {vote: pool, claims: claimsOf(pool, "", -7, 5)},
		"helper":   {vote: queue, claims: claimsOf(queue, "", -7, 7)},
		"alarm":    {claims: danger(", harmless")},
		"alarmist": {claims: danger(", harmless"), judges: contrary},
		"warner":   {vote: pool, claims: danger("")},
		"rater":    {vote: queue, claims: opinion("rater", queue), rates: true},
		"third":    {vote: sheet, claims: claimsOf(sheet, ", irrelevant", 20, 7), judges: contrary},
		"contrary": {vote: pool, claims: opinion("contrary", pool)},
		"dead":     {dead: true},
	}
	combo := out["straw"]
	combo.claims = append(slices.Clone(combo.claims), out["against"].claims...)
	out["combo"] = combo
	for i := range 3 {
		out[fmt.Sprint("honest", i+1)] = player{vote: queue, claims: claimsOf(queue, "", 1+3*i, 2)}
		bare := fmt.Sprint("bare", i+1)
		out[bare] = player{vote: queue, claims: opinion(bare, queue)}
	}
	return out
}

var optionLine = regexp.MustCompile(`(?m)^([A-Z]): (.*)$`)

func labelOf(prompt, text string) string {
	for _, m := range optionLine.FindAllStringSubmatch(prompt, -1) {
		if m[2] == text {
			return m[1]
		}
	}
	return ""
}

// answer is what a player says to one request.
func (p player) answer(ask llmtest.Ask) llmtest.Reply {
	if p.dead {
		return llmtest.Reply{Fault: fault.Unauthorized}
	}
	prompt, options := ask.Last(), ""
	for _, m := range ask.Messages {
		if options += m.Text(); m.Role == llm.User && (strings.Contains(m.Text(), "<evidence>") || strings.Contains(m.Text(), "<ledger>") || strings.Contains(m.Text(), "<options>")) {
			prompt = m.Text()
		}
	}
	var reply any
	switch {
	case strings.Contains(prompt, "<evidence>"):
		reply = p.judgements(prompt)
	case strings.Contains(prompt, "<ledger>"):
		vote := p.vote
		if p.turns != "" {
			vote = p.turns
		}
		reply = map[string]any{"option": p.label(options, vote), "because": []any{}, "stances": p.stances(prompt), "claims": []any{}}
	default:
		claims := []any{}
		for _, s := range p.claims {
			claims = append(claims, s.wire(prompt))
		}
		reply = map[string]any{"option": p.label(prompt, p.vote), "other": "", "summary": "as " + ask.Model + " sees it", "claims": claims,
			"change_my_mind": "a measurement", "confidence": .8}
	}
	raw, _ := json.Marshal(reply)
	return llmtest.Reply{Text: string(raw)}
}

func (p player) label(prompt, vote string) string {
	if vote == "" {
		return "ABSTAIN"
	}
	return labelOf(prompt, vote)
}

// wire is a claim as a ballot holds it.
func (s said) wire(prompt string) map[string]any {
	e := map[string]any{"kind": "none", "file": "", "line": 0, "quote": "", "command": []string{}, "expect": "", "url": ""}
	switch {
	case s.command:
		e["kind"], e["command"], e["expect"] = "command", []string{"git", "--version"}, "pass"
	case s.line > 0:
		e["kind"], e["file"], e["line"], e["quote"] = "quote", "shop.txt", s.line, shop[s.line-1]
	case s.line < 0:
		e["kind"], e["file"], e["line"], e["quote"] = "quote", "shop.txt", 10-s.line, fmt.Sprint("Nobody ever wrote this, not even once, in line ", -s.line)
	}
	return map[string]any{"text": s.text, "kind": s.kind, "impact": 5, "option": labelOf(prompt, s.about), "supports": !s.against, "evidence": e}
}

func (p player) judgements(prompt string) map[string]any {
	judge := p.judges
	if judge == nil {
		judge = func(claim string) (bool, bool, bool) {
			return !strings.Contains(claim, "not shown"), !strings.Contains(claim, "irrelevant"), !strings.Contains(claim, "harmless")
		}
	}
	word := map[bool]string{true: "yes", false: "no"}
	items := []any{}
	for line := range strings.Lines(prompt) {
		var it struct {
			Item           int
			Claim, Against string
		}
		if json.Unmarshal([]byte(line), &it) != nil || it.Item == 0 {
			continue
		}
		shows, bears, grave := judge(it.Claim)
		j := map[string]any{"item": it.Item, "entails": word[shows], "bears": word[bears], "grave": "", "why": "read it"}
		if it.Against != "" {
			j["grave"] = word[grave]
		}
		items = append(items, j)
	}
	return map[string]any{"judgements": items}
}

// stances are those of a player that belittles what others claim.
func (p player) stances(prompt string) []any {
	out := []any{}
	for line := range strings.Lines(prompt) {
		var c struct{ ID, Peer string }
		if p.rates && json.Unmarshal([]byte(line), &c) == nil && c.Peer != "" {
			out = append(out, map[string]any{"claim": c.ID, "stance": "AGREE", "why": "true and unimportant", "cites": []any{}, "same": "", "impact": 1})
		}
	}
	return out
}
