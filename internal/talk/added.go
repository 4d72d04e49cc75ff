package talk

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// AddKind is what a person put into a conversation without asking a model.
const AddKind tree.Kind[Added] = "added"

// Added is said by nobody in a turn: nothing answers it until the person goes on.
type Added struct {
	Role string `json:"role"` // user, assistant or system
	Text string `json:"text"`
}

// put adds it to what a model is shown. What is said as the system goes with the system prompt; see System.
func (a Added) put(out []llm.Message) []llm.Message {
	switch a.Role {
	case "system":
		return out
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
	if last := out[len(out)-1]; last.Role == llm.Assistant {
		last.Parts = append(append([]llm.Part(nil), last.Parts...), llm.Text{Text: "\n\n" + text})
		return append(out[:len(out)-1:len(out)-1], last)
	}
	return append(out, llm.AssistantText(text))
}

// System is what was added on a path for the system prompt.
func System(path []tree.Node) string {
	var all []string
	for _, a := range AddKind.All(path) {
		if a.Role == "system" {
			all = append(all, a.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

// person says whether a node is something the person said.
func person(n tree.Node) bool {
	if n.Kind == string(SayKind) {
		return true
	}
	a, ok := AddKind.Of(n)
	return ok && a.Role == "user"
}
