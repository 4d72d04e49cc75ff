package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// mostCuts is how often an answer that reaches the token limit is continued.
const mostCuts = 8

// goOnFrom is the message to a model whose answer was cut. It stays in the history.
const goOnFrom = "[Your answer was cut off here: it reached the limit of tokens for one answer. Continue exactly where it ended.]"

// goesOn reports whether a cut answer is continued. One with a schema is not: its two halves would not fit together.
func (r *run) goesOn(end llm.End) bool {
	return end.Stop == llm.StopLength && r.Env != nil && r.Schema == nil && r.cuts < mostCuts && len(end.Message.Calls()) == 0
}

// goOn asks the model to continue; it returns false if the reader has stopped.
func (r *run) goOn(end llm.End) bool {
	m := end.Message
	if r.cuts++; m.Text() == "" { // all of it was reasoning
		m.Parts = append(m.Parts[:len(m.Parts):len(m.Parts)], llm.Text{Text: "[no text yet]"})
	}
	r.before += end.Message.Text()
	exchange := []llm.Message{m, llm.UserText(goOnFrom)}
	r.history = append(r.history, exchange...)
	return r.yield(Step{Exchange: exchange}, nil)
}

// badArguments returns what is wrong with arguments that are not a JSON object, which a draft keeps as "unparsed"; nil: nothing. last: the
// answer was cut after this call began.
func badArguments(c llm.Call, last bool) error {
	var given map[string]json.RawMessage
	var text string
	err := json.Unmarshal(c.Args, &given)
	whole := err == nil && (len(given) != 1 || json.Unmarshal(given["unparsed"], &text) != nil)
	switch {
	case last && (!whole || len(given) == 0):
		return errors.New("this call was cut off at the limit of tokens for one answer, and nothing was done. " +
			"Write less at once: a large file in several steps, or only what changes of it")
	case whole:
		return nil
	}
	var any json.RawMessage
	err = json.Unmarshal([]byte(text), &any)
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return fmt.Errorf("the arguments must be one JSON object, not %.40q", text)
	}
	at := min(max(int(wrong.Offset)-1, 0), len(text))
	before := strings.ToValidUTF8(text[max(0, at-30):at], "")
	return fmt.Errorf("the arguments are not valid JSON: %w at byte %d, after %q; nothing was done", wrong, at, before)
}
