package gemini

import (
	"crypto/rand"

	"github.com/socrates-cli/socrates/internal/llm"
)

// chunk is one event of the stream.
type chunk struct {
	Error        *fault
	ModelVersion string
	ResponseID   string
	Candidates   []struct {
		Content      content
		FinishReason string
	}
	PromptFeedback struct{ BlockReason, BlockReasonMessage string }
	UsageMetadata  *struct {
		PromptTokenCount, ToolUsePromptTokenCount, CachedContentTokenCount, CandidatesTokenCount, ThoughtsTokenCount int
	}
}

// answer follows the stream of one answer.
type answer struct {
	*llm.Draft
	whole bool
}

// add takes one chunk; false once the reader has left.
func (a *answer) add(c chunk) bool {
	if c.ModelVersion != "" {
		a.Model = c.ModelVersion
	}
	if a.Request == "" {
		a.Request = c.ResponseID
	}
	if u := c.UsageMetadata; u != nil {
		if now := (llm.Usage{Input: max(0, u.PromptTokenCount+u.ToolUsePromptTokenCount-u.CachedContentTokenCount),
			CacheRead: u.CachedContentTokenCount, Output: u.CandidatesTokenCount + u.ThoughtsTokenCount, Reasoning: u.ThoughtsTokenCount}); !a.Count(now) {
			return false
		}
	}
	if f := c.PromptFeedback; f.BlockReason != "" {
		a.whole, a.Stop = true, llm.StopRefusal
		return a.Text(f.BlockReasonMessage)
	}
	for _, c := range c.Candidates {
		for _, p := range c.Content.Parts {
			if !a.part(p) {
				return false
			}
		}
		if c.FinishReason != "" {
			a.whole, a.Stop = true, stop(c.FinishReason)
		}
	}
	return true
}

func (a *answer) part(p part) bool {
	signature := llm.Signed(maker, p.ThoughtSignature)
	switch {
	case p.FunctionCall != nil:
		id := p.FunctionCall.ID
		if id == "" { // the protocol pairs by name and order then, we by id
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
		on := a.Text(p.Text)
		a.Sign(signature)
		return on
	}
}

func stop(reason string) llm.Stop {
	switch reason {
	case "MAX_TOKENS":
		return llm.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII":
		return llm.StopRefusal
	}
	return ""
}
