package debate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// open are the fields of replies that can say anything, by path. Every other one has few values, and its schema says which.
var open = strings.Fields(`other summary change_my_mind confidence because text value low high unit score ready lacks options
	claims.text claims.supports claims.evidence.file claims.evidence.line claims.evidence.quote claims.evidence.command claims.evidence.url
	stances.claim stances.why stances.cites stances.same judgements.why divergences.about divergences.claims`)

// leaves are the fields of a schema that hold a value, by path.
func leaves(s *jsonschema.Schema, path string, out map[string]*jsonschema.Schema) {
	if s.Items != nil {
		s = s.Items
	}
	for name, field := range s.Properties {
		leaves(field, strings.TrimPrefix(path+"."+name, "."), out)
	}
	if len(s.Properties) == 0 {
		out[path] = s
	}
}

func TestReplySchemas(t *testing.T) {
	keys := []string{"A", "B", "C"}
	for name, c := range map[string]struct {
		schema json.RawMessage
		parse  func(text string) (any, error) // nil: what is wrong is read as something that is right
		reply  any
	}{
		"ballot": {form.Schema[ballot](ballotValues(keys)), func(s string) (any, error) { return parseBallot(s, keys, 0) },
			ballot{Option: "A", Other: "x", Claims: []wireClaim{{Text: "it is so"}}}},
		"cross":     {form.Schema[crossReply](crossValues(keys)), func(s string) (any, error) { return parseCross(s, keys) }, crossReply{Option: "A", Claims: []wireClaim{{Text: "it is so"}}}},
		"statement": {form.Schema[statement](statementValues(keys, true)), func(s string) (any, error) { return parseStatement(s, true) }, statement{Text: "it is so", Position: "ADD"}},
		"remark":    {form.Schema[statement](statementValues(keys, false)), func(s string) (any, error) { return parseStatement(s, false) }, statement{Text: "it is so"}},
		"verify":    {form.Schema[verifyReply](verifyValues(1)), func(s string) (any, error) { return parseVerify(s, []evidenceItem{{}}, true) }, verifyReply{Judgements: []judgement{{Item: 1, Entails: "no", Bears: "no"}}}},
		"moderate":  {form.Schema[moderation](moderationValues()), parseModeration, moderation{Score: 1}},
		"guess":     {form.Schema[guess](guessValues()), nil, guess{}},
		"propose":   {form.Schema[proposeReply](nil), nil, proposeReply{}},
		"ready":     {form.Schema[readyReply](nil), nil, readyReply{}},
	} {
		var s jsonschema.Schema
		if err := json.Unmarshal(c.schema, &s); err != nil {
			t.Fatal(err)
		}
		if c.parse != nil {
			if _, err := c.parse("I would say so."); err == nil {
				t.Errorf("%s: a sentence is taken for one", name)
			}
		}
		fields := map[string]*jsonschema.Schema{}
		leaves(&s, "", fields)
		for path, field := range fields {
			topLevel := !strings.Contains(path, ".")
			switch free := slices.Contains(open, path); {
			case free == (len(field.Enum) > 0):
				t.Errorf("%s: %s is open: %v, and its schema has the values %v", name, path, free, field.Enum)
			case !free && topLevel && c.parse != nil: // each value is taken, and no other
				for _, v := range append(slices.Clone(field.Enum), "banana") {
					raw, _ := json.Marshal(c.reply)
					var m map[string]any
					json.Unmarshal(raw, &m)
					m[path] = v
					raw, _ = json.Marshal(m)
					want := v != "banana" || path == "option" && strings.HasPrefix(name+"s", "statement") || name == "remark" // a leaning that is none is none
					if _, err := c.parse(string(raw)); (err == nil) != want {
						t.Errorf("%s: %s %v: %v", name, path, v, err)
					}
				}
			}
		}
	}
	parses := func(v string) bool {
		_, err := parseVerify(fmt.Sprintf(`{"judgements": [{"item": 1, "entails": %q, "bears": "yes", "why": ""}]}`, v), []evidenceItem{{}}, true)
		return err == nil
	}
	if !parses("yes") || !parses("no") || !parses("contradicts") || parses("banana") || len(entailments) != 3 {
		t.Errorf("entailments are %v", entailments)
	}
}

// What is read of a claim, a stance or evidence is one of the values its schema has, and each of these stays as it is.
func TestValuesStay(t *testing.T) {
	l := &tally{frame: &table.Frame{}, seat: func(string) *Seat { return nil }, Ledger: verdict.Ledger{Claims: []verdict.Claim{{ID: "c1"}}}}
	for _, kind := range claimKinds {
		if claimKind(kind) != kind {
			t.Errorf("the kind %s is read as %s", kind, claimKind(kind))
		}
	}
	for n := -3; n < 9; n++ {
		if !slices.Contains(impacts, impactStep(n)) || slices.Contains(impacts, n) && impactStep(n) != n {
			t.Errorf("the impact %d is read as %d", n, impactStep(n))
		}
	}
	for _, v := range verbs {
		if got := l.stance(wireStance{Stance: string(v), Why: "a flaw", Cites: []string{"c1"}, Same: "c1"}).Verb; got != v {
			t.Errorf("the stance %s is read as %s", v, got)
		}
	}
	if got := l.stance(wireStance{Stance: "banana"}).Verb; got != verdict.Undecided {
		t.Errorf("a stance nobody knows is read as %s", got)
	}
	for _, kind := range append(slices.Clone(evidenceKinds), "banana") {
		for _, expect := range append(slices.Clone(expectations), "", "banana") {
			got := l.evidence("s", wireEvidence{Kind: kind, File: "f", Quote: map[string]string{"quote": "q"}[kind], Command: []string{"go"}, Expect: expect, URL: "https://x.test"})
			if want := kind; got.Kind != want && !(want == "banana" && got.Kind == "none") {
				t.Errorf("evidence of the kind %s is read as %s", kind, got.Kind)
			}
			if got.Kind == "command" && (!slices.Contains(expectations, got.Expect) || slices.Contains(expectations, expect) && got.Expect != expect) {
				t.Errorf("to expect %q is read as %q", expect, got.Expect)
			}
		}
		empty := wireEvidence{Kind: kind, Expect: "pass"} // a kind without what it names is none
		if got := l.evidence("s", empty); got.Kind != "none" {
			t.Errorf("evidence of the kind %s with nothing to look at is read as %s", kind, got.Kind)
		}
	}
	for words, want := range map[int]string{64: "command", 65: "none"} {
		if got := l.evidence("s", wireEvidence{Kind: "command", Command: make([]string, words)}); got.Kind != want {
			t.Errorf("a command of %d words is read as %s", words, got.Kind)
		}
	}
}

// The prompts list the same words as the schemas.
func TestPromptsListTheValues(t *testing.T) {
	words := func(s []string) string { return strings.Join(s, " | ") }
	var said []string
	for _, v := range verbs {
		said = append(said, string(v))
	}
	for page, lists := range map[string][]string{
		blindPage: {words(claimKinds), words(evidenceKinds), words(expectations) + " | empty", otherWord, abstainWord}, talkPage: {words(claimKinds), words(evidenceKinds), words(said), listed(positions[:2]) + " or " + string(positions[2])},
		estimatePage: {words(claimKinds), words(evidenceKinds)}, verifyPage: {words(entailments)}, crossPage: slices.Sorted(maps.Keys(map[string]bool{"AGREE": true, "OBJECT": true, "ADD": true, "SAME-AS": true, abstainWord: true})),
	} {
		for _, list := range lists {
			if !strings.Contains(page, list) {
				t.Errorf("this prompt does not list %s:\n%s", list, page)
			}
		}
	}
}
