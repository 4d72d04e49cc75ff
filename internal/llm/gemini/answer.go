package gemini

import (
	"cmp"
	"crypto/rand"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
)

// chunk is one event of the stream.
type chunk struct {
	Error        *fault
	ModelVersion string
	ResponseID   string
	Candidates   []struct {
		Content                     content
		FinishReason, FinishMessage string
	}
	PromptFeedback struct{ BlockReason, BlockReasonMessage string }
	UsageMetadata  *struct {
		PromptTokenCount, ToolUsePromptTokenCount, CachedContentTokenCount, CandidatesTokenCount, ThoughtsTokenCount int
	}
}

// answer builds the answer from the stream.
type answer struct {
	*draft.Draft
	whole  bool
	broken string // what was wrong with the call that ended it
	// The history lacks a signature that the vendor wants back.
	unsigned bool
}

// broken are the stop reasons of an unusable answer, though the same request may bring a usable one.
var broken = map[string]string{
	"MALFORMED_FUNCTION_CALL": "the model wrote a tool call that is not valid",
	"UNEXPECTED_TOOL_CALL":    "the model called a tool that it does not have",
	"TOO_MANY_TOOL_CALLS":     "the model called too many tools in one answer",
	"MALFORMED_RESPONSE":      "the model wrote a response that is not valid",
	"OTHER":                   "the model stopped for a reason the provider does not give",
}

// add processes one chunk; false means that the reader has left.
func (a *answer) add(c chunk) bool {
	if c.ModelVersion != "" {
		a.Model = c.ModelVersion
	}
	if a.Request == "" {
		a.Request = c.ResponseID
	}
	if u := c.UsageMetadata; u != nil {
		if now := (cost.Usage{Input: max(0, u.PromptTokenCount+u.ToolUsePromptTokenCount-u.CachedContentTokenCount),
			CacheRead: u.CachedContentTokenCount, Output: u.CandidatesTokenCount + u.ThoughtsTokenCount,
			Reasoning: u.ThoughtsTokenCount}); !a.Count(now) {
			return false
		}
	}
	if f := c.PromptFeedback; f.BlockReason != "" {
		a.whole, a.Stop, a.Reason = true, llm.StopRefusal, lower(f.BlockReason)
		return a.Text(f.BlockReasonMessage)
	}
	for _, c := range c.Candidates {
		for _, p := range c.Content.Parts {
			if !a.part(p) {
				return false
			}
		}
		if c.FinishReason != "" {
			a.whole, a.Stop, a.broken = true, stop(c.FinishReason), broken[c.FinishReason]
			if a.Stop == llm.StopRefusal {
				a.Reason = cmp.Or(c.FinishMessage, lower(c.FinishReason))
			}
			a.unsigned = c.FinishReason == "MISSING_THOUGHT_SIGNATURE"
		}
	}
	return true
}

// lower turns a name of the protocol into words.
func lower(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }

// part processes one part of a chunk, with the signature that belongs to it.
func (a *answer) part(p part) bool {
	signature := draft.Signed(maker, p.ThoughtSignature)
	switch {
	case p.FunctionCall != nil:
		id := p.FunctionCall.ID
		if id == "" { // without ids the protocol pairs by name and order, and we by id
			id = "call_" + rand.Text()
		}
		args := p.FunctionCall.Args
		if string(args) == "null" {
			args = nil
		}
		return a.Call(llm.Call{ID: id, Name: p.FunctionCall.Name, Args: args, Signature: signature})
	case p.Thought:
		on := a.Think(p.Text)
		a.Sign(signature)
		return on
	default:
		if signature != "" { // it belongs to this part alone
			a.Seal()
		}
		on := a.Text(p.Text)
		if p.Text == "" {
			a.Sign(signature)
		} else {
			a.SignText(signature)
		}
		return on
	}
}

// stop converts a stop reason to ours; empty means the answer is done.
func stop(reason string) llm.Stop {
	switch reason {
	case "MAX_TOKENS":
		return llm.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE":
		return llm.StopRefusal
	}
	return ""
}
