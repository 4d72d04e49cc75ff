package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// alone answers with one model, and says why there was no debate. It streams as the model writes. The price is that
// of one answer, and the budget that of Single.
func (d *handler) alone(ctx context.Context, q *request, why string, o *output) (*answer, error) {
	req := llm.Request{MaxTokens: q.most, Schema: q.schema}
	for _, m := range q.talk {
		switch m.role {
		case "system":
			req.System += m.text + "\n"
		case "assistant":
			req.Messages = append(req.Messages, llm.AssistantText(m.text))
		default:
			req.Messages = append(req.Messages, llm.UserText(m.text))
		}
	}
	if n := len(req.Messages); n == 0 || req.Messages[n-1].Role != llm.User {
		return nil, invalid("no question: the last message is not the user's")
	}
	end, took, err := d.spend(ctx, !q.single, req, o.say)
	if err != nil {
		return nil, err
	}
	return &answer{text: end.Message.Text(), short: end.Stop == llm.StopLength, tokens: took, priced: took.Source != cost.Unknown,
		socrates: about{Alone: why, Warnings: q.warnings}}, nil
}

// spend asks one model within its limit and forwards its text. The maximum cost is reserved before anything is sent;
// the actual cost is settled even if it fails, since vendors charge for what they sent.
func (d *handler) spend(ctx context.Context, titles bool, req llm.Request, say func(string)) (end llm.End, took cost.Usage, err error) {
	m, usd, err := d.Single(ctx, titles)
	if err != nil {
		return end, took, err
	}
	settle, err := budget.New(usd, 0, nil).Reserve(m.Info(), req)
	if err != nil {
		return end, took, failure.New(failure.ExitLimit, "budget", err.Error(), "raise debate.budget_usd, or ask for less")
	}
	meter := meter.New(m.Info(), req)
	for delta, err := range m.Stream(ctx, req) {
		if err != nil {
			took = meter.Failed(err)
			settle(took)
			return end, took, err
		}
		meter.Hear(delta)
		if delta.Text != "" {
			say(delta.Text)
		}
		if delta.End != nil {
			end, took = *delta.End, meter.Whole(delta.End.Usage)
		}
	}
	settle(took)
	return end, took, nil
}

// writing is the system prompt of the model that fits a decision into a client's schema.
const writing = `You are given a decision that a panel made. Put it into the schema. Change nothing and add nothing: if the
decision says nothing about a field, say so in the field.`

// written fits a decision into a client's schema. One model writes that, and the object beside it has the decision
// itself. If this fails the debate is kept, and the error names it: what was paid for is not lost.
func (d *handler) written(ctx context.Context, q *request, a *answer) error {
	req := llm.Request{System: writing, Messages: []llm.Message{llm.UserText(fence.Block("decision", a.text))}, Schema: q.schema,
		MaxTokens: 8000}
	end, took, err := d.spend(ctx, true, req, func(string) {})
	if err != nil {
		return err
	}
	a.tokens, a.priced = a.tokens.Add(took), a.priced && took.Source != cost.Unknown
	a.text = strings.TrimSpace(end.Message.Text())
	a.sources = nil
	if err := holds(q.schema, a.text); err != nil {
		return &api.Problem{Status: http.StatusBadGateway, Detail: "the decision could not be put into the schema: " + err.Error(),
			Hint: "the decision is saved as debate " + a.socrates.Debate}
	}
	a.socrates.Warnings = append(a.socrates.Warnings, "one model put the decision into the schema")
	return nil
}

// holds reports whether a text is an object of a schema. The model was told the schema; this checks that it followed
// it.
func holds(schema json.RawMessage, text string) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}
