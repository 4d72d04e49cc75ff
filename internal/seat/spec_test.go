package seat_test

import (
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/seat"
)

// TestNextID: no two seats of a table have one id, also where a spec is called like the second seat of another.
func TestNextID(t *testing.T) {
	for _, c := range []struct{ specs, ids []string }{
		{[]string{"ollama:llama", "ollama:llama", "ollama:llama"}, []string{"ollama-llama", "ollama-llama-2", "ollama-llama-3"}},
		{[]string{"ollama:llama-2", "ollama:llama", "ollama:llama"}, []string{"ollama-llama-2", "ollama-llama", "ollama-llama-3"}},
		{[]string{"ollama:llama", "ollama:llama", "ollama:llama-2"}, []string{"ollama-llama", "ollama-llama-2", "ollama-llama-2-2"}},
	} {
		used := map[string]int{}
		var ids []string
		for _, spec := range c.specs {
			ids = append(ids, seat.NextID(used, spec))
		}
		if !slices.Equal(ids, c.ids) {
			t.Errorf("%v sit as %v, want %v", c.specs, ids, c.ids)
		}
	}
}
