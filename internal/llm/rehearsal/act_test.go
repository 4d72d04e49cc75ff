package rehearsal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// say asks the reader and decodes its reply.
func say[T any](t *testing.T, messages ...llm.Message) (reply T) {
	t.Helper()
	end, err := llm.Collect(rehearsal.Panel()[0].Stream(t.Context(), llm.Request{Messages: messages}))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(end.Message.Text()), &reply); err != nil {
		t.Fatalf("%v in %s", err, end.Message.Text())
	}
	return reply
}

func prompt(blocks ...string) llm.Message {
	var b strings.Builder
	for i := 0; i < len(blocks); i += 2 {
		b.WriteString("<" + blocks[i] + ">\n" + blocks[i+1] + "\n</" + blocks[i] + ">\n\n")
	}
	return llm.UserText(b.String() + "<task>\nReply.\n</task>\n")
}

func TestVerify(t *testing.T) {
	const lines = "11\tfunc Open() {\n12\t\tdb.SetMaxOpenConns(1) // one writer\n13\t}\n14\t// Secrets are never written to the log.\n"
	for claim, want := range map[string]string{
		"One of these lines contains: db.SetMaxOpenConns(1) // one writer": "yes",
		"One of these lines contains: db.SetMaxOpenConns(2) // one writer": "no",
		`store.go:12 says "db.SetMaxOpenConns(1)"`:                         "yes",
		`store.go:12 says "db.SetMaxOpenConns(7)"`:                         "no",
		"The open conns are at most 1":                                     "yes",
		"The open conns are at most 9":                                     "no",
		"Secrets are written to the log":                                   "contradicts",
		"Secrets are never written to the log":                             "yes",
		"The moon is made of cheese":                                       "no",
		"store.go:99 opens":                                                "yes",
	} {
		raw, err := json.Marshal(map[string]any{"item": 1, "claim": claim, "lines": lines})
		if err != nil {
			t.Fatal(err)
		}
		reply := say[struct {
			Judgements []struct{ Entails, Why string }
		}](t, prompt("evidence", string(raw)))
		if len(reply.Judgements) != 1 || reply.Judgements[0].Entails != want {
			t.Errorf("%q: %v, want %s", claim, reply.Judgements, want)
		}
	}
}

func TestCross(t *testing.T) {
	const options = "A: a pool\nB: one writer"
	ledger := func(id, peer, option, quote, result string) string {
		raw, err := json.Marshal(map[string]any{"id": id, "peer": peer, "text": "t", "option": option, "supports": true,
			"evidence": map[string]any{"kind": "quote", "file": "s.go", "line": 3, "quote": quote}, "checks": []any{map[string]string{"kind": "quote", "result": result}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	type reply struct {
		Option  string
		Because []string
		Stances []struct {
			Claim, Stance, Why string
			Cites              []string
		}
	}
	earlier := []llm.Message{prompt("question", "q?", "options", "A: one writer\nB: a pool"), llm.AssistantText(`{"option": "A"}`)}
	ask := func(claims string) reply {
		return say[reply](t, append(earlier, prompt("question", "q?", "options", options, "ledger", claims))...)
	}
	r := ask(ledger("c1", "Peer A", "A", "the pool grows", "pass") + ledger("c2", "Peer B", "B", "nothing of the kind", "pass") +
		ledger("c3", "Peer A", "A", "the pool shrinks", "fail") + ledger("c4", "you", "B", "one writer", "pass"))
	if r.Option != "B" || len(r.Because) != 0 || len(r.Stances) != 3 {
		t.Fatalf("%+v: it voted for one writer and was given no reason to leave", r)
	}
	for i, want := range []string{"AGREE", "OBJECT", "ABSTAIN"} {
		if s := r.Stances[i]; s.Stance != want || want == "OBJECT" && (s.Why == "" || len(s.Cites) == 0) {
			t.Errorf("%+v, want %s", s, want)
		}
	}
	r = ask(ledger("c1", "Peer A", "A", "the pool grows", "pass") + ledger("c4", "you", "B", "one writer", "fail"))
	if r.Option != "A" || len(r.Because) != 1 || r.Because[0] != "c4" {
		t.Errorf("%+v: all it claimed was refuted", r)
	}
}

func TestPropose(t *testing.T) {
	for question, want := range map[string]string{
		"How do we choose between SQLite and Postgres for sessions?": "SQLite|Postgres for sessions",
		"Which transport: gRPC / REST?":                              "gRPC|REST",
		"Is it safe?":                                                "Do it|Do not do it",
		"What do we gain from using `bolt` instead of `badger`?":     "Use bolt|Use badger",
		"How should sessions expire?":                                "Keep the current solution|Replace the current solution",
		"explain this service":                                       "Keep the current solution|Replace the current solution",
		"?":                                                          "Keep the current solution|Replace the current solution",
	} {
		reply := say[struct{ Options []string }](t, prompt("question", question))
		if got := strings.Join(reply.Options, "|"); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}

func TestStream(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{prompt("question", "Tabs or spaces?", "options", "A: Tabs\nB: spaces")}}
	texts := 0
	var end *llm.End
	for d, err := range rehearsal.Panel()[2].Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			texts++
		}
		end = d.End
	}
	if texts < 2 || end == nil || end.Stop != llm.StopDone || end.Usage.Input == 0 || end.Usage.Output == 0 || end.Usage.Source != cost.Free {
		t.Errorf("%d texts, then %+v", texts, end)
	}
}

func TestWhatIsNoDebate(t *testing.T) {
	_, err := llm.Collect(rehearsal.Panel()[1].Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("Hello!")}}))
	if e := trouble.As(err); e == nil || e.Kind != trouble.BadRequest {
		t.Errorf("got %v", err)
	}
}

func TestHistoryBearsOnTheQuestion(t *testing.T) {
	librarian := rehearsal.Panel()[1]
	req := llm.Request{Tools: []llm.Spec{{Name: "git_log"}}, Messages: []llm.Message{prompt("question", "Redis or memcached?", "options", "A: memcached\nB: Redis")}}
	end, err := llm.Collect(librarian.Stream(t.Context(), req))
	if err != nil || len(end.Message.Calls()) != 1 {
		t.Fatalf("%+v, %v", end, err)
	}
	call := end.Message.Calls()[0]
	result := llm.Result{ID: call.ID, Name: call.Name, Text: "0123456789ab 2026-11-01 cache: sessions move to Redis\nfedcba987654 2026-10-01 first\n"}
	req.Messages = append(req.Messages, end.Message, llm.Message{Role: llm.User, Parts: []llm.Part{result}})
	if end, err = llm.Collect(librarian.Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	var ballot struct {
		Option string
		Claims []struct {
			Text     string
			Evidence struct{ Kind string }
		}
	}
	if err := json.Unmarshal([]byte(end.Message.Text()), &ballot); err != nil {
		t.Fatal(err)
	}
	if ballot.Option != "B" || len(ballot.Claims) != 1 || ballot.Claims[0].Evidence.Kind != "none" || !strings.Contains(ballot.Claims[0].Text, "the commit 0123456789ab says") {
		t.Errorf("%s", end.Message.Text())
	}
}
