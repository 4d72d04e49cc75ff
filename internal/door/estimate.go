package door

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/failure"
)

// Estimate is the seats of a debate and its possible cost, before anything is sent.
type Estimate struct {
	Question string           `json:"question"`
	Options  []verdict.Option `json:"options"`
	Seats    []Sitting        `json:"seats"`
	Strategy string           `json:"strategy"`
	Context  int              `json:"context_bytes" jsonschema:"of what every seat is shown"`
	Tokens   int              `json:"tokens" jsonschema:"about"`
	Most     int              `json:"most_tokens"`
	Low      float64          `json:"low_usd" jsonschema:"of the seats whose price is known"`
	High     float64          `json:"high_usd"`
	Unknown  []string         `json:"unknown_price,omitempty" jsonschema:"seats whose price is not known"`
	Limit    float64          `json:"budget_usd,omitempty"`
	Notes    []string         `json:"notes,omitempty" jsonschema:"warnings"`
	Notice   string           `json:"notice,omitempty" jsonschema:"no model would take part"`
}

// Sitting is a seat of an estimate.
type Sitting struct {
	ID      string `json:"id"`
	Spec    string `json:"spec"`
	Model   string `json:"model"`
	Lineage string `json:"lineage"`
}

// Guess estimates a debate about a folder in another process, with that folder's settings. It waits for the process,
// which asks no model, and ends it with ctx. A refusal is returned unchanged, with exit code and hint.
func Guess(ctx context.Context, program []string, dir string, in Ask) (e Estimate, err error) {
	if err := in.check(); err != nil {
		return e, failure.Usage(err.Error(), "")
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return e, err
	}
	cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], "mcp", "estimate", "--output", "json")...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(raw)
	out, err := cmd.Output()
	if err != nil {
		var l line
		if json.Unmarshal(out, &l) == nil && l.Error != "" {
			err = l.failed()
		}
		return e, err
	}
	return e, json.Unmarshal(out, &e)
}
