package anthropic_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

func TestExam(t *testing.T) {
	llmtest.Exam(t, func(baseURL string) llm.Model {
		return anthropic.New(llm.Info{ID: "loop-1", Lineage: "test"}, baseURL, llmtest.Key)
	})
}
