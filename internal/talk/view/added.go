package view

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// put adds an added text to what a model is shown. System text that comes before everything else is part of the system prompt; see System.
func put(out []llm.Message, a material.Added) []llm.Message {
	if a.From != "" {
		return say(out, "[Put in by "+a.From+"]\n"+fence.Block("data", a.Text))
	}
	switch a.Role {
	case "system":
		return say(out, "[The person adds to your instructions]\n"+a.Text)
	case "assistant":
		return reply(out, a.Text)
	}
	return say(out, a.Text)
}

// reply adds text of the assistant. Two assistant messages in a row are merged, and none comes first: some vendors refuse either.
func reply(out []llm.Message, text string) []llm.Message {
	if len(out) == 0 {
		out = append(out, llm.UserText("[The conversation begins with what you said]"))
	}
	if last := &out[len(out)-1]; last.Role == llm.Assistant {
		last.Parts = append(last.Parts, llm.Text{Text: "\n\n" + text})
		return out
	}
	return append(out, llm.AssistantText(text))
}

// System is the text that a path adds to the system prompt: system text before the first message to a model. After that the prompt does
// not change.
func System(path []tree.Node) string {
	var all []string
	for _, a := range material.AddKind.All(system(path)) {
		all = append(all, a.Text)
	}
	return strings.Join(all, "\n\n")
}

// system returns the nodes that add to the system prompt.
func system(path []tree.Node) (out []tree.Node) {
	for _, n := range path {
		if n.Kind == string(talk.SayKind) {
			break
		}
		if a, ok := material.AddKind.Of(n); ok && a.Role == "system" && a.From == "" {
			out = append(out, n)
		}
	}
	return out
}

// person reports whether a node is a message of the person.
func person(n tree.Node) bool {
	if n.Kind == string(talk.SayKind) {
		return true
	}
	a, ok := material.AddKind.Of(n)
	return ok && a.Role == "user" && a.From == ""
}
