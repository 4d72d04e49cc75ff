package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tool"
)

// askArgs is one question. Several at a time would get bad answers.
type askArgs struct {
	Question string   `json:"question" jsonschema:"one question, with what a person needs to know to answer it"`
	Options  []string `json:"options,omitempty" jsonschema:"answers to choose from, your own choice first; default: any text answers"`
}

// mostOptions is how many answers a person can choose from with a single digit.
const mostOptions = 9

// ask is of effect Talks: it changes nothing, and no permission is asked for a question. Where nobody answers, in a
// script or a seat, its error tells the model how to go on.
var _ = register(tool.New("ask",
	"Puts one question to the person you work for and waits for the answer. Ask only what you cannot find out "+
		"yourself.", tool.Talks,
	func(ctx context.Context, args askArgs, env tool.Env) (tool.Output, error) {
		q := tool.Question{Text: strings.TrimSpace(clean.Text(args.Question))}
		if q.Text == "" {
			return tool.Output{}, errors.New("question is empty")
		}
		if len(args.Options) == 1 || len(args.Options) > mostOptions {
			return tool.Output{}, fmt.Errorf("%d options: give 2 to %d, or none", len(args.Options), mostOptions)
		}
		for i, o := range args.Options {
			if o = strings.TrimSpace(clean.Line(o)); o == "" {
				return tool.Output{}, fmt.Errorf("option %d is empty", i+1)
			}
			q.Options = append(q.Options, o)
		}
		if env.Ask == nil {
			return tool.Output{}, errNobody
		}
		answer, err := env.Ask(ctx, q)
		if err != nil && ctx.Err() != nil {
			return tool.Output{}, err
		}
		if err != nil {
			return tool.Output{}, fmt.Errorf("%w (%w)", errNobody, err)
		}
		if answer = strings.TrimSpace(clean.Text(answer)); answer == "" {
			return output("The person gave no answer.\n", "ask: no answer"), nil
		}
		return output("The person answers: "+answer+"\n", "ask: %s", cut(answer, 80)), nil
	}))

// errNobody ends a question that nobody can answer, and tells the model how to go on without an answer.
var errNobody = errors.New("nobody is there to answer: choose the safest option yourself, and say in your answer what you assumed")
