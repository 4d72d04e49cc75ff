package gemini_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/gemini"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

func TestExam(t *testing.T) {
	llmtest.Exam(t, func(baseURL string) llm.Model {
		return gemini.New(llm.Info{ID: "loop-1", Lineage: "test"}, baseURL, llmtest.Key)
	})
}
