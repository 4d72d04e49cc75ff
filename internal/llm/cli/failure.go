package cli

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// told maps the error texts of programs to kinds; the first match counts. The first rows take precedence over an HTTP
// status, since vendors use 400 and 429 for more than one thing.
var told = []struct {
	kind  trouble.Kind
	words []string
}{
	{trouble.Context, []string{"prompt is too long", "prompt as too long", "context window", "context_length", "input is too long",
		"maximum context", "maximum number of tokens", "exceeds model limit"}},
	{trouble.Quota, []string{"usage limit", "credit balance", "insufficient_quota", "exceeded your current quota", "daily quota",
		"hit your limit", "spending limit", "billing"}},
	{trouble.Refused, []string{"usage policy", "usage policies", "content policy", "content filter", "content_filter"}},
	{trouble.Auth, []string{"/login", "not logged in", "invalid api key", "api key", "authenticat", "unauthorized", "oauth",
		"no providers configured"}},
	{trouble.RateLimit, []string{"rate limit", "rate_limit", "too many requests"}},
	{trouble.Overloaded, []string{"overloaded", "high demand", "server error", "server had an error", "server-side issue", "at capacity"}},
	{trouble.Network, []string{"connection", "econnre", "stream disconnected", "timed out", "timeout", "network", "stream closed",
		"terminated", "transport error", "socket hang up", "fetch failed"}},
	{trouble.Empty, []string{"empty response"}},
}

// certain is how many rows of told take precedence over a status.
const certain = 3

// statusInText matches a status after a word that marks it as one. A bare number could be anything.
var statusInText = pattern.Of(`(?i)(?:error|status|code|rejected)\W{1,3}([45]\d\d)\b`)

// statusOf returns the HTTP status a text begins with; 0 if none.
func statusOf(text string) int {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if n, err := strconv.Atoi(strings.TrimSuffix(first, ":")); err == nil && n >= 400 && n < 600 {
		return n
	}
	return 0
}

// statusBare matches a status as copilot words it.
var statusBare = pattern.Of(`(?:HTTP |Last error: )([45]\d\d)\b`)

// statusIn returns the HTTP status that a text mentions; 0 if none.
func statusIn(text string) int {
	if found := statusBare().FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// classify makes an error of what a program wrote. With status 0, the status is looked for in text. otherwise is the
// kind when nothing is recognized.
//
// The kind decides what is tried next; so errors that must not be retried, a full context or a spent quota, are
// looked for before the status.
func classify(status int, text string, otherwise trouble.Kind) *trouble.Error {
	e := &trouble.Error{Kind: otherwise, Status: status, Message: oneLine(text)}
	if found := statusInText().FindStringSubmatch(text); status == 0 && found != nil {
		e.Status, _ = strconv.Atoi(found[1])
	}
	low := strings.ToLower(text)
	for i, row := range told {
		if i == certain && e.Status != 0 {
			e.Kind = trouble.KindOfStatus(e.Status)
			return e
		}
		for _, w := range row.words {
			if strings.Contains(low, w) {
				e.Kind = row.kind
				return e
			}
		}
	}
	return e
}

// escapes matches terminal control sequences: those with parameters, those that set titles, and any other.
var escapes = pattern.Of(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)`)

// oneLine makes foreign text fit for one line on a screen: no escape sequences, no control characters, not too long.
func oneLine(s string) string {
	s = escapes().ReplaceAllString(s, "")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	const most = 400
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return s
}
