package openai_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/openai"
)

func TestExam(t *testing.T) {
	for _, wire := range []openai.Wire{openai.Responses, openai.Chat} {
		t.Run(string(wire), func(t *testing.T) {
			llmtest.Exam(t, func(baseURL string) llm.Model {
				return openai.New(llm.Info{ID: "loop-1", Lineage: "test"}, baseURL+"/v1", llmtest.Key, wire)
			})
		})
	}
}
