package llmtest

import (
	"encoding/json"
	"fmt"

	"github.com/socrates-cli/socrates/internal/llm"
)

// id returns an id of this turn.
func (t exchange) id(prefix string) string { return fmt.Sprintf("%sloop%08d", prefix, t.serial) }

// callID returns the id of the i-th call: its own, or a made-up one.
func (t exchange) callID(prefix string, i int) string {
	if id := t.Calls[i].ID; id != "" {
		return id
	}
	return fmt.Sprintf("%s_%d", t.id(prefix), i)
}

// arguments returns a call's JSON object; {} if it has none.
func arguments(c llm.Call) json.RawMessage {
	if len(c.Args) == 0 {
		return json.RawMessage("{}")
	}
	return c.Args
}
