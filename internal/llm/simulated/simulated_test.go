package simulated_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/llm/simulated/fault"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

func always(answer string) func(string) (string, bool) {
	return func(string) (string, bool) { return answer, true }
}

// prompt puts blocks and a task after one another.
func prompt(blocks ...string) llm.Message {
	var b strings.Builder
	for i := 0; i < len(blocks); i += 2 {
		fmt.Fprintf(&b, "<%s>\n%s\n</%s>\n\n", blocks[i], blocks[i+1], blocks[i])
	}
	return llm.UserText(b.String() + "<task>\nReply.\n</task>\n")
}

// schema asks for a reply with these keys.
func schema(keys ...string) json.RawMessage {
	properties := map[string]any{}
	for _, k := range keys {
		properties[k] = map[string]string{"type": "string"}
	}
	raw, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	return raw
}

func say[T any](t *testing.T, m llm.Model, req llm.Request) (reply T) {
	t.Helper()
	end, err := llm.Collect(m.Stream(t.Context(), req))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(end.Message.Text()), &reply); err != nil {
		t.Fatalf("%v in %s", err, end.Message.Text())
	}
	return reply
}

type ballot struct {
	Option, Other, Summary, Answer string
	Claims                         []struct {
		Text, Option string
		Evidence     struct {
			Kind    string
			Command []string
		}
	}
}

const colours = "A: red\nB: green\nC: blue\nD: yellow"

// vote asks for a blind vote and gives the text that was chosen.
func vote(t *testing.T, s simulated.Profile, question, options, session string) string {
	t.Helper()
	b := say[ballot](t, simulated.New(s, always("red")), llm.Request{Session: session,
		Messages: []llm.Message{prompt("question", question, "options", options)}, Schema: schema("option", "claims")})
	for line := range strings.Lines(options) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), b.Option+": "); ok {
			return text
		}
	}
	t.Fatalf("voted for %q", b.Option)
	return ""
}

func TestTheSameAnswerEverywhere(t *testing.T) {
	s := simulated.Profile{Accuracy: .5, Distractor: .5, Seed: 9}
	otherSeat, otherQuestion, otherSeed := 0, 0, 0
	for i := range 200 {
		q := fmt.Sprintf("question %d", i)
		want := vote(t, s, q, colours, "room-1/s1")
		if got := vote(t, s, q, "A: yellow\nB: blue\nC: green\nD: red", "another-room/s1"); got != want {
			t.Fatalf("%s: %s in one room, %s in another with other letters", q, want, got)
		}
		if vote(t, s, q, colours, "room-1/s2") != want {
			otherSeat++
		}
		if vote(t, s, q+"!", colours, "room-1/s1") != want {
			otherQuestion++
		}
		seeded := s
		seeded.Seed = 10
		if vote(t, seeded, q, colours, "room-1/s1") != want {
			otherSeed++
		}
	}
	if otherSeat < 50 || otherQuestion < 50 || otherSeed < 50 {
		t.Errorf("of 200 answers another seat gave %d others, another question %d, another seed %d", otherSeat, otherQuestion, otherSeed)
	}
}

// TestErrsAsAssumed measures seats: each share must lie in its own 99.99 % interval.
func TestErrsAsAssumed(t *testing.T) {
	const n = 8000
	relative := simulated.Profile{Lineage: "a", Accuracy: .8, Common: .25, Within: .45, Distractor: .755}
	stranger := relative
	stranger.Lineage, stranger.Accuracy = "b", .6
	eased := simulated.Profile{Ease: simulated.Beta{A: 2.1, B: .9}}
	var first, second, third, ease, wrong, bothRelated, bothStrange, alike float64
	for i := range n {
		q := fmt.Sprintf("question %d", i)
		a, b, c := vote(t, relative, q, colours, "r/s1"), vote(t, relative, q, colours, "r/s2"), vote(t, stranger, q, colours, "r/s3")
		count := func(hit bool, x *float64) {
			if hit {
				*x++
			}
		}
		count(a == "red", &first)
		count(b == "red", &second)
		count(c == "red", &third)
		count(vote(t, eased, q, colours, "r/s4") == "red", &ease)
		count(a != "red", &wrong)
		count(a != "red" && b != "red", &bothRelated)
		count(a != "red" && c != "red", &bothStrange)
		count(a != "red" && a == c, &alike)
	}
	for _, c := range []struct {
		name          string
		hits, n, want float64
	}{{"accuracy", first, n, .8}, {"accuracy of its kin", second, n, .8}, {"accuracy of another", third, n, .6}, {"ease", ease, n, .7},
		{"same mistake of two that err", alike, bothStrange, .755*.755 + .245*.245/2}} {
		if got := c.hits / c.n; math.Abs(got-c.want) > 4*math.Sqrt(c.want*(1-c.want)/c.n) {
			t.Errorf("%s: %.4f, want %g", c.name, got, c.want)
		}
	}
	if kinship, strange := bothRelated/wrong, bothStrange/wrong; kinship < .5 || strange < .45 || strange > .6 {
		t.Errorf("where one errs, its kin does too on %.2f, a stranger on %.2f", kinship, strange)
	}
}

func TestEveryFormOfReply(t *testing.T) {
	m := simulated.New(simulated.Profile{Accuracy: 1, Evidence: "command", Checkable: 1}, always("red"))
	ask := func(keys []string, blocks ...string) ballot {
		return say[ballot](t, m, llm.Request{Session: "r/me", Messages: []llm.Message{prompt(blocks...)}, Schema: schema(keys...)})
	}
	if b := ask([]string{"option", "claims"}, "question", "q", "options", colours); b.Option != "A" || len(b.Claims) != 1 ||
		strings.Join(b.Claims[0].Evidence.Command, " ") != "simulated-check me red" || !strings.HasPrefix(b.Summary, "Simulated:") {
		t.Errorf("a ballot: %+v", b)
	}
	if b := ask([]string{"option", "claims"}, "question", "q", "options", "A: green\nB: blue"); b.Option != "OTHER" || b.Other != "red" {
		t.Errorf("the right answer is not on the list: %+v", b)
	}
	if b := ask([]string{"option", "confidence"}, "question", "q", "options", colours); b.Option != "A" || b.Claims != nil {
		t.Errorf("a choice outside a debate: %+v", b)
	}
	if b := ask([]string{"answer", "confidence"}, "question", "q"); b.Answer != "red" {
		t.Errorf("an open answer: %+v", b)
	}
	p := say[struct{ Options []string }](t, m, llm.Request{Messages: []llm.Message{prompt("question", "q")}, Schema: schema("options")})
	if len(p.Options) != 2 || p.Options[0] != "red" || p.Options[1] == "red" {
		t.Errorf("proposed %v", p.Options)
	}
	for _, c := range []struct {
		req  llm.Request
		kind trouble.Kind
	}{
		{llm.Request{Messages: []llm.Message{llm.UserText("Hello!")}}, trouble.BadRequest},
		{llm.Request{Messages: []llm.Message{prompt("options", colours)}}, trouble.BadRequest},
	} {
		if _, err := llm.Collect(m.Stream(t.Context(), c.req)); trouble.As(err) == nil || trouble.As(err).Kind != c.kind {
			t.Errorf("%v: %v", c.req, err)
		}
	}
	blind := simulated.New(simulated.Profile{}, func(string) (string, bool) { return "", false })
	if _, err := llm.Collect(blind.Stream(t.Context(), llm.Request{Messages: []llm.Message{prompt("question", "q", "options", colours)}})); err == nil {
		t.Error("a seat that knows no truth answered")
	}
	if i := m.Info(); i.Lineage != "simulated-a" || !strings.HasPrefix(i.ID, "simulated") || !i.Price.Known {
		t.Errorf("%+v", i)
	}
}

// TestPeersSway: what peers say moves a susceptible seat and no other, in every way it can be shown.
func TestPeersSway(t *testing.T) {
	ledger := `{"id": "c1", "peer": "you", "option": "A", "supports": true, "checks": []}
{"id": "c2", "peer": "Peer A", "option": "C", "supports": true, "checks": []}`
	for _, susceptibility := range []float64{0, 1} {
		m := simulated.New(simulated.Profile{Accuracy: 1, Susceptibility: susceptibility}, always("red"))
		want := map[float64]string{0: "A", 1: "C"}[susceptibility]
		first := []llm.Message{prompt("question", "q", "options", colours), llm.AssistantText(`{"option": "A"}`)}
		for name, next := range map[string]struct {
			prompt llm.Message
			schema json.RawMessage
		}{
			"cross-examination":          {prompt("question", "q", "options", colours, "ledger", ledger), schema("option", "stances")},
			"talk":                       {prompt("talk", `{"peer": "Peer A", "says": "no", "option": "C"}`), schema("text", "position")},
			"talk that only claims":      {prompt("talk", `{"peer": "Peer A", "says": "no"}`, "ledger", ledger), schema("text", "position")},
			"answers, as objects":        {prompt("answers", `{"option": "C", "reasoning": "because"}`), schema("option")},
			"answers, as lines":          {prompt("answers", "Peer A: blue"), schema("option")},
			"a ballot after a statement": {prompt("talk", `{"peer": "Peer A", "option": "C"}`, "options", colours), schema("option", "claims")},
		} {
			b := say[ballot](t, m, llm.Request{Messages: append(first[:2:2], next.prompt), Schema: next.schema})
			if b.Option != want {
				t.Errorf("susceptibility %g, %s: %s, want %s", susceptibility, name, b.Option, want)
			}
		}
	}
}

func TestRefutedSeatMoves(t *testing.T) {
	ledger := `{"id": "c1", "peer": "you", "option": "A", "supports": true, "checks": [{"kind": "command", "result": "fail"}]}
{"id": "c2", "peer": "Peer A", "option": "C", "supports": true, "checks": [{"kind": "command", "result": "pass"}]}`
	for stubborn, want := range map[float64]string{0: "C", 1: "A"} {
		m := simulated.New(simulated.Profile{Accuracy: 1, Stubborn: stubborn}, always("red"))
		r := say[struct {
			Option  string
			Because []string
			Stances []struct{ Claim, Stance string }
		}](t, m, llm.Request{Messages: []llm.Message{prompt("question", "q", "options", colours), llm.AssistantText(`{"option": "A"}`),
			prompt("question", "q", "options", colours, "ledger", ledger)}, Schema: schema("option", "stances")})
		if r.Option != want || len(r.Stances) != 1 || (want == "C") != (len(r.Because) == 1) || (want == "C") != (r.Stances[0].Stance == "AGREE") {
			t.Errorf("stubborn %g: %+v, want %s", stubborn, r, want)
		}
	}
}

// TestJudges: a seat knows which claims are right, and errs as often as it is said to.
func TestJudges(t *testing.T) {
	item := func(n int, claim, lines string) string {
		raw, _ := json.Marshal(map[string]any{"item": n, "claim": claim, "lines": lines})
		return string(raw)
	}
	right := "Simulated: the right answer, says s1: red"
	var pass, falsely float64
	const n = 2000
	for i := range n {
		m := simulated.New(simulated.Profile{Judge: simulated.Judge{TruePass: .9, FalsePass: .3}, Seed: uint64(i)}, always("red"))
		evidence := strings.Join([]string{item(1, right, "1\tred\n"), item(2, "Simulated: the right answer, says s1: blue", "1\tblue\n"),
			item(3, right, "1\tsomething else\n"), item(4, "One of these lines contains: red", "1\tred\n")}, "\n")
		r := say[struct {
			Judgements []struct {
				Item    int
				Entails string
			}
		}](t, m, llm.Request{Messages: []llm.Message{prompt("question", "q", "options", colours), llm.AssistantText(`{"option": "A"}`),
			prompt("evidence", evidence)}, Schema: schema("judgements")})
		if len(r.Judgements) != 4 {
			t.Fatalf("%+v", r)
		}
		for k, j := range r.Judgements {
			if j.Entails != "yes" {
				continue
			}
			if k == 0 || k == 3 {
				pass++
			} else {
				falsely++
			}
		}
	}
	if p, f := pass/(2*n), falsely/(2*n); math.Abs(p-.9) > .02 || math.Abs(f-.3) > .03 {
		t.Errorf("passed %.3f of what is right and %.3f of what is wrong", p, f)
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := simulated.New(simulated.Profile{Accuracy: 1, Latency: time.Hour}, always("red"))
		req := llm.Request{Messages: []llm.Message{prompt("question", "q", "options", colours)}}
		start := time.Now()
		if _, err := llm.Collect(m.Stream(t.Context(), req)); err != nil || time.Since(start) != time.Hour {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := llm.Collect(m.Stream(ctx, req)); err == nil || time.Since(start) != time.Hour+time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

func TestParse(t *testing.T) {
	s, truth, err := simulated.Parse("0.8/acme,common=.1,within=.2,distractor=.5,susceptible=.3,stubborn=.4,checkable=.6,evidence=quote,judge=.9/.3," +
		"confidence=.5,words=7,latency=20ms,price=3/15,ease=2/1,fault=prose,at=cross,seed=12,truth=a, b=c")
	want := simulated.Profile{Lineage: "acme", Accuracy: .8, Ease: simulated.Beta{A: 2, B: 1}, Common: .1, Within: .2, Distractor: .5, Susceptibility: .3,
		Stubborn: .4, Checkable: .6, Evidence: "quote", Judge: simulated.Judge{TruePass: .9, FalsePass: .3}, Confidence: .5, Words: 7,
		Latency: 20 * time.Millisecond, Price: cost.Price{Input: 3, Output: 15, Known: true}, Fault: fault.Prose, At: simulated.Cross, Seed: 12}
	if err != nil || s != want || truth != "a, b=c" {
		t.Errorf("%+v, %q, %v", s, truth, err)
	}
	s, truth, err = simulated.Parse(".7")
	if err != nil || truth != "" || s.Common != .25 || s.Within != .45 || s.Distractor != .755 || s.Checkable != 1 {
		t.Errorf("%+v, %q, %v", s, truth, err)
	}
	for spec, why := range map[string]string{
		"":                          `the accuracy "" is not a number from 0 to 1`,
		"2":                         `the accuracy "2" is not a number from 0 to 1`,
		"NaN":                       `the accuracy "NaN"`,
		".8/":                       `the lineage ""`,
		".8/A B":                    `the lineage "A B"`,
		".8,common=.9,within=.9":    "add up to more than 1",
		".8,susceptible=-1":         `susceptible "-1" is not a number from 0 to 1`,
		".8,judge=.9":               `judge, after the slash, ""`,
		".8,ease=0/0":               "ease",
		".8,latency=soon":           "is not a duration",
		".8,latency=-1s":            "is not a duration",
		".8,evidence=hearsay":       "neither command nor quote",
		".8,fault=sulking":          "unknown fault",
		".8,at=noon":                "at \"noon\" is not one of",
		".8,colour=red":             `unknown setting "colour"`,
		".8,,":                      `unknown setting ""`,
		".8,words=1e9":              `words "1e9"`,
		".8,price=1/-1":             "price, after the slash",
		".8,seed=99999999999999999": "seed",
	} {
		if _, _, err := simulated.Parse(spec); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %s", spec, err, why)
		}
	}
}

// TestHostileRequests: whatever stands in a prompt, a seat answers or fails; it never panics.
func TestHostileRequests(t *testing.T) {
	word := rapid.SampledFrom([]string{"A: red", "B: ", ": :", "{", `{"id": 1}`, `{"id": "c1", "peer": "you", "option": "A"}`, "<task>", "</question>", "\x00", `"`, "red",
		`{"item": 1, "claim": "Simulated: the right answer", "lines": ""}`, `{"peer": "x", "option": "Z"}`})
	keys := rapid.SampledFrom([]string{"judgements", "ready", "divergences", "value", "position", "stances", "options", "claims", "option", "answer", "else"})
	tags := rapid.SampledFrom([]string{"question", "options", "ledger", "evidence", "answers", "talk"})
	rapid.Check(t, func(rt *rapid.T) {
		blocks := []string{}
		for range rapid.IntRange(0, 5).Draw(rt, "blocks") {
			blocks = append(blocks, tags.Draw(rt, "tag"), strings.Join(rapid.SliceOfN(word, 0, 4).Draw(rt, "lines"), "\n"))
		}
		broken := rapid.SampledFrom(fault.All()).Draw(rt, "fault")
		if broken == fault.Timeout {
			broken = ""
		}
		s := simulated.Profile{Accuracy: rapid.Float64Range(0, 1).Draw(rt, "accuracy"), Susceptibility: .5, Fault: broken, At: simulated.Blind}
		m := simulated.New(s, always(rapid.SampledFrom([]string{"red", "", "42", "NaN"}).Draw(rt, "truth")))
		req := llm.Request{Messages: []llm.Message{prompt(blocks...), llm.AssistantText(word.Draw(rt, "said")), prompt(blocks...)},
			Schema: schema(rapid.SliceOfN(keys, 0, 3).Draw(rt, "keys")...)}
		end, err := llm.Collect(m.Stream(t.Context(), req))
		if err == nil && broken == "" && !json.Valid([]byte(end.Message.Text())) {
			rt.Fatalf("%s", end.Message.Text())
		}
	})
}
