package script

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// prompt is what a call asks.
type prompt struct {
	text    string // of the last message with a question
	act     string // "any" if it is no known act
	options []option
	claims  []string // ids of other seats' claims, by number
	rounds  int      // how often tool results came after it
}

// option is one of those in the prompt.
type option struct{ label, text string }

// readPrompt finds the last prompt of a request: the last user message with a task, else the last with a text.
func readPrompt(req llm.Request) prompt {
	var p prompt
	found := false
	for _, m := range req.Messages {
		if m.Role != llm.User {
			continue
		}
		if text := m.Text(); text != "" {
			if _, task := fence.Blocks(text)["task"]; task || !found {
				p.text, p.rounds, found = text, 0, task
			}
		}
		if slices.ContainsFunc(m.Parts, func(part llm.Part) bool { _, ok := part.(llm.Result); return ok }) {
			p.rounds++
		}
	}
	blocks := fence.Blocks(p.text)
	p.act = actOf(blocks)
	for line := range strings.Lines(blocks["options"]) {
		if label, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			p.options = append(p.options, option{label, text})
		}
	}
	for line := range strings.Lines(blocks["ledger"]) {
		var c struct{ ID, Peer string }
		if json.Unmarshal([]byte(line), &c) == nil && c.ID != "" && c.Peer != "you" {
			p.claims = append(p.claims, c.ID)
		}
	}
	number := func(id string) int { n, _ := strconv.Atoi(strings.TrimLeft(id, "c")); return n }
	slices.SortStableFunc(p.claims, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return p
}

// actOf derives the act from the blocks shown.
func actOf(blocks map[string]string) string {
	has := func(tag string) bool { _, ok := blocks[tag]; return ok }
	switch {
	case !has("task"):
		return "any"
	case strings.Contains(blocks["task"], `{"text": "what you say`):
		return "talk"
	case strings.Contains(blocks["task"], "The talk is over"):
		return "ballot"
	case strings.Contains(blocks["task"], `{"ready":`):
		return "ready"
	case strings.Contains(blocks["task"], `{"score":`):
		return "moderate"
	case strings.Contains(blocks["task"], `{"value":`):
		return "estimate"
	case has("evidence"):
		return "verify"
	case has("ledger"):
		return "cross"
	case has("options"):
		return "blind"
	case has("question"):
		return "propose"
	}
	return "any"
}

var placeholder = pattern.Of(`\{\{[^{}]*\}\}`)

var (
	optionHolder = pattern.Of(`^\{\{\s*option\s+"([^"]+)"\s*\}\}$`)
	claimHolder  = pattern.Of(`^\{\{\s*claim\s+([1-9]\d{0,4})\s*\}\}$`)
	claimsHolder = pattern.Of(`^\{\{\s*claims\s*\}\}$`)
)

// checkPlaceholders rejects placeholders that nothing will fill.
func checkPlaceholders(reply string) error {
	for _, h := range placeholder().FindAllString(reply, -1) {
		if !optionHolder().MatchString(h) && !claimHolder().MatchString(h) && !claimsHolder().MatchString(h) {
			return fmt.Errorf(`unknown placeholder %s; use {{option "text"}}, {{claims}} and {{claim 1}}`, h)
		}
	}
	return nil
}

// fill replaces the placeholders of a reply with what the prompt shows. It fails at the first that has no value.
func fill(reply string, p prompt) (string, error) {
	var failed error
	text := placeholder().ReplaceAllStringFunc(reply, func(h string) string {
		value, err := p.value(h)
		if failed == nil {
			failed = err
		}
		return value
	})
	return text, failed
}

func (p prompt) value(holder string) (string, error) {
	if m := optionHolder().FindStringSubmatch(holder); m != nil {
		for _, o := range p.options {
			if plain(o.text) == plain(m[1]) {
				return o.label, nil
			}
		}
		return "", fmt.Errorf("the prompt shows no option %q", m[1])
	}
	if m := claimHolder().FindStringSubmatch(holder); m != nil {
		n, _ := strconv.Atoi(m[1])
		if n > len(p.claims) {
			return "", fmt.Errorf("%s: the prompt shows %d claims of other seats", holder, len(p.claims))
		}
		return p.claims[n-1], nil
	}
	quoted := make([]string, len(p.claims))
	for i, id := range p.claims {
		quoted[i] = strconv.Quote(id)
	}
	return strings.Join(quoted, ", "), nil
}

// plain returns a text as options are compared: without case, and with single blanks.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// requestBytes returns the size of a request, from which tokens are estimated.
func requestBytes(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += m.Bytes()
	}
	return n
}
