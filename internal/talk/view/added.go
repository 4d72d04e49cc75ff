package view

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// put adds it to what a model is shown. What was said as the system before anything else goes with the system prompt; see System.
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

// reply adds text of the assistant's side. Two in a row are one, and none comes first: some vendors refuse either.
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

// System is what was added on a path for the system prompt: until the first thing was said to a model. Later the prompt stays as it is.
func System(path []tree.Node) string {
	var all []string
	for _, a := range material.AddKind.All(system(path)) {
		all = append(all, a.Text)
	}
	return strings.Join(all, "\n\n")
}

// system are the nodes that add to the system prompt.
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

// person says whether a node is something the person said.
func person(n tree.Node) bool {
	if n.Kind == string(talk.SayKind) {
		return true
	}
	a, ok := material.AddKind.Of(n)
	return ok && a.Role == "user" && a.From == ""
}
