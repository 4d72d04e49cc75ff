package room

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// Object is the one final object of json and stream-json. Programs read its fields by name; debate.schema.json is
// made from it.
type Object struct {
	Type    string            `json:"type"`
	Status  string            `json:"status"`  // ok, error, limit, denied, cancelled; of a debate that runs: running
	Reason  string            `json:"reason"`  // one word
	Summary document.Document `json:"summary"` // the first screen: answer, confidence, who is asked, votes, why, dissent, flip, next
	debate.Result
	Decision string                `json:"decision"` // Markdown
	Answer   string                `json:"answer"`
	Usage    map[string]cost.Usage `json:"usage"` // by model
	Turns    int                   `json:"turns"`
	Denied   []string              `json:"denied"`
	Changed  []string              `json:"files_changed"`
	Resume   string                `json:"resume"`
}

// Reader returns a receipt.Reader that verifies records and shows results as exports do. hash is the expected
// beginning of the record's hash; empty: any.
func (a *Rooms) Reader(hash string) receipt.Reader {
	return receipt.Reader{Hash: hash, Program: build.Version(),
		Page:   func(res debate.Result) string { return a.Out.Clean(document.Of(res).HTML()) },
		Object: func(res debate.Result) any { return NewObject(res) }}
}

// NewObject makes what programs are told about a result. It computes nothing that the result does not say. Denied are
// the commands that checks would have run.
func NewObject(res debate.Result) Object {
	d := document.Of(res)
	text := d.Markdown()
	t := Object{Type: "result", Status: "ok", Reason: string(res.Outcome), Summary: d, Result: res, Decision: text, Answer: text,
		Usage: map[string]cost.Usage{}, Denied: []string{}, Changed: []string{}, Resume: res.Room}
	for _, s := range res.Seats {
		t.Usage[s.Model] = t.Usage[s.Model].Add(s.Usage)
		t.Turns += s.Calls
		t.Changed = append(t.Changed, s.Wrote...) // in its copy: a seat cannot reach the project
	}
	for _, k := range res.Checks {
		if k.Kind == "command" && k.Result == verdict.Skipped {
			t.Denied = append(t.Denied, strings.Join(k.Command, " ")+": "+k.Detail)
		}
	}
	if !res.Ended {
		t.Status, t.Reason = "cancelled", "unfinished"
		return t
	}
	switch {
	case failure.Settled(res.ExitCode):
	case res.ExitCode == failure.ExitLimit:
		t.Status = "limit"
	default:
		t.Status = "error"
	}
	return t
}

// TellHub says what to add to the commands that a result names: a debate at a hub that only --hub named is not found without it.
func (a *Rooms) TellHub() {
	if a.Hub.URL == "" || a.AtHub() == nil {
		return
	}
	at := a.AtHub().URL
	a.Out.Tell("To these commands add --hub " + at + ", or once for all: socrates config set hub.url " + at + "\n")
}

// Show writes a debate's result in the chosen format and returns the error that carries its exit code.
// It is the last thing on stdout. The hint of its error names the one command that leads on from this outcome.
func (a *Rooms) Show(res debate.Result) error {
	if a.Out.Format == "text" {
		if err := a.Out.Raw(Screen(a.Out, document.Of(res))); failure.Unread(err) != nil {
			return err
		}
		a.TellHub()
	} else if err := a.Out.Last(NewObject(res)); failure.Unread(err) != nil {
		return err
	}
	if res.ExitCode == failure.ExitOK {
		return nil
	}
	if res.ExitCode == failure.ExitPerson {
		return failure.New(res.ExitCode, "person", document.Of(res).Call.Says(),
			"socrates decisions confirm "+res.Room+", or: socrates decisions overrule "+res.Room+" OPTION")
	}
	hint := ""
	if !res.Outcome.Decision() {
		hint = "see why with: socrates debate show " + res.Room + " --explain"
		if len(res.Blocked) > 0 {
			hint += "; to lift it: socrates debate tell " + res.Room + " \"/veto " + res.Blocked[0] + " REASON\""
			if more := res.Blocked[1:]; len(more) > 0 {
				hint += ", and so " + strings.Join(more, ", ")
			}
		} else if len(res.Options) > 1 {
			hint += "; to choose yourself: socrates debate tell " + res.Room + " /choose " + res.Options[0].Key
		}
		for _, s := range res.Seats {
			if s.Reason == debate.Interrupted {
				hint = "you ended the round before enough seats answered; ask the others again with: socrates debate fork " + res.Room
			}
		}
	}
	said := fmt.Sprintf("%s: %s", res.Outcome, res.Why)
	if len(res.Blocked) > 0 {
		said = document.Of(res).Call.Says()
	}
	return failure.New(res.ExitCode, string(res.Outcome), said, hint)
}

// Schema returns the JSON Schema of the object that --output json prints for a debate.
func Schema() (*jsonschema.Schema, error) {
	whole, err := jsonschema.For[Object](nil)
	if err != nil {
		return nil, err
	}
	none, err := jsonschema.For[out.Failed](nil)
	if err != nil {
		return nil, err
	}
	for _, s := range []*jsonschema.Schema{whole, none} {
		s.AdditionalProperties = nil // lines of a stream have seq, ts and session as well
	}
	return &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", OneOf: []*jsonschema.Schema{whole, none}}, nil
}
