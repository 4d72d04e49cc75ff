package model

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/door"
)

// The limits of a debate's question and context, in letters and in bytes: a little less than the door allows, which
// counts the same.
const (
	mostQuestion = 8000
	mostContext  = 60 << 10
)

// ask makes a debate from a conversation: its last message is the question, earlier ones are facts for all seats. A
// question that is too long keeps its end, where people write what they want; the rest are facts.
func (q *request) ask() (door.Ask, error) {
	last := len(q.talk) - 1
	switch {
	case q.silent == "without text":
		return door.Ask{}, invalid("no question: the last message has no text")
	case q.silent != "":
		return door.Ask{}, invalid("no question: the last message has no text, only a part of the type %s; a panel reads text", q.silent)
	case last < 0:
		return door.Ask{}, invalid("no question: send it as the last of messages, or as input")
	case q.talk[last].role != "user":
		return door.Ask{}, invalid("no question: the last message is of the role %s, not user", q.talk[last].role)
	}
	question := strings.TrimSpace(q.talk[last].text)
	var context strings.Builder
	for _, m := range q.talk[:last] {
		fmt.Fprintf(&context, "[%s]\n%s\n\n", m.role, strings.TrimSpace(m.text))
	}
	if utf8.RuneCountInString(question) > mostQuestion {
		all := question
		question = ending(all, mostQuestion)
		fmt.Fprintf(&context, "[user, before the question]\n%s\n", strings.TrimSuffix(all, question))
		q.warnings = append(q.warnings, "the question is the end of the last message; its beginning was given to the seats as facts")
	}
	facts := strings.TrimSpace(context.String())
	if n := len(facts) - mostContext; n > 0 {
		facts = strings.ToValidUTF8(facts[n:], "")
		q.warnings = append(q.warnings, fmt.Sprintf("the oldest %d bytes of the conversation were left out", n))
	}
	return door.Ask{Question: question, Context: facts, Preset: q.preset, Strategy: q.strategy}, nil
}

// ending returns the end of a text, from the beginning of a paragraph if there is one.
func ending(text string, most int) string {
	runes := []rune(text)
	end := string(runes[len(runes)-most:])
	if _, after, ok := strings.Cut(end, "\n\n"); ok && strings.TrimSpace(after) != "" {
		return strings.TrimSpace(after)
	}
	return strings.TrimSpace(end)
}

// chores are phrases of requests that chat programs make on their own: for a title, tags, suggestions. Each is from
// the prompt of a widespread client, in lower case.
var chores = []string{"you are a title generator", "5-word-or-less title", "3-5 word title", "3-7 word title", "3-4 words in length",
	"generate 1-3 broad tags", "relevant follow-up questions", "necessity of generating search queries", "you are an autocompletion system",
	"generate a title for this conversation", "generate a concise title", "extremely concise title", "write a title for this chat"}

// smallest is the minimum number of tokens for the answer of a debate: no decision fits in less.
const smallest = 100

// alone returns why one model answers a request without a debate; empty: it is debated. A header decides, else the
// model's name, else whether it is a chore.
func (q *request) alone(r *http.Request) (why string) {
	switch strings.ToLower(r.Header.Get("X-Socrates-Panel")) {
	case "off":
		return "X-Socrates-Panel is off"
	case "on":
		return ""
	}
	switch {
	case q.single:
		return "the model is " + single
	case q.most > 0 && q.most <= smallest:
		return fmt.Sprintf("the answer may have %d tokens, too few for a decision", q.most)
	case q.chore():
		return "it looks like a request for a title, tags or suggestions"
	}
	return ""
}

// Only the first and the last message are checked: those between are a person's words.
func (q *request) chore() bool {
	for i, m := range q.talk {
		if i > 0 && i < len(q.talk)-1 {
			continue
		}
		text := strings.ToLower(m.text)
		for _, c := range chores {
			if strings.Contains(text, c) {
				return true
			}
		}
	}
	return false
}
