package talk

import (
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TitleKind names a conversation. It hangs from the root, beside what is said; the newest counts.
const TitleKind tree.Kind[Title] = "title"

// Title is what people read in place of a conversation's name.
type Title struct {
	Text  string    `json:"text"`
	Usage llm.Usage `json:"usage,omitzero"` // of the model that wrote it; By names the model
}

// Beside says whether nodes of a kind hang beside what is said, so that nothing follows them: which branch a tree is on, what it is
// called, what a person answered.
func Beside(kind string) bool {
	return kind == string(SwitchKind) || kind == string(AnswerKind) || kind == string(TitleKind)
}
