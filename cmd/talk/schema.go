package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
)

// readSchema reads and validates a schema, before a model is asked for anything.
func readSchema(file string) (json.RawMessage, error) {
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if _, err := resolved(raw); err != nil {
		return nil, failure.Usage("--output-schema "+file+" is not a valid JSON Schema: "+err.Error(), "")
	}
	return raw, nil
}

// References to other documents are refused: nothing is fetched.
func resolved(raw json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// meet checks the answer against the schema, and asks once more, with the errors, if it does not match.
func (a *Talk) meet(ctx context.Context, e *engine.Engine, say turns.Say, hears *teller.Turns, res turn.Result) (turn.Result, error) {
	schema, err := resolved(say.Schema)
	if err != nil {
		return res, err
	}
	for try := 0; ; try++ {
		object, bad := jsonOf(res.Answer, schema)
		if bad == nil {
			res.Answer = object
			return res, nil
		}
		// Models that fail twice fail again.
		if try == 1 {
			res.Status, res.Reason, res.Code, res.Error = "error", "schema", failure.ExitSchema,
				"the answer does not match the schema: "+bad.Error()
			return res, nil
		}
		before := res
		say.Data, say.Text = "", "Your answer does not meet the schema: "+bad.Error()+
			"\nAnswer again with the one JSON value and nothing else."
		if res, err = a.runTurn(ctx, e, say, hears); err != nil {
			return res, err
		}
		res.After(before)
		if res.Code != failure.ExitOK {
			return res, nil
		}
	}
}

// It returns the text of the value, not the value, so that numbers keep their digits.
func jsonOf(answer string, schema *jsonschema.Resolved) (string, error) {
	text := strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(text, "```"); ok { // models like to fence
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	return text, schema.Validate(value)
}
