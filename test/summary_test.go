package test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// summed is a vendor whose model thinks, and whose summaries are cut so many times before one is whole.
func summed(t *testing.T, cuts int) *llmtest.Server {
	vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		if !strings.Contains(a.Last(), "Sum up the conversation") {
			return llmtest.Reply{Think: "a thought", Text: "Fine."}
		}
		if cuts--; cuts >= 0 {
			return llmtest.Reply{Text: "Half a summary", Fault: fault.OutOfTokens}
		}
		return llmtest.Reply{Think: "a thought of the summary", Text: "They said hello."}
	})
	t.Cleanup(vendor.Close)
	return vendor
}

// TestASummaryIsMadeInTime: a limit in tokens and one in money each have a conversation summed up before the request that would exceed it.
// The request for the summary has the tools and the beginning of the one before; a summary that was cut is asked for again; what follows
// it has none of the reasoning that it took the place of.
func TestASummaryIsMadeInTime(t *testing.T) {
	for _, limit := range []string{"SOCRATES_CHAT_COMPACT_TOKENS=3000", "SOCRATES_CHAT_COMPACT_USD=0.01"} {
		name, value, _ := strings.Cut(limit, "=")
		t.Setenv(name, value)
		vendor := summed(t, 1)
		_, said := talking(t, vendor, "one\ntwo\n", "chat", "--mode", "yolo", "--model", "anthropic:claude-opus-5-5")
		t.Setenv(name, "0")
		calls := vendor.Calls()
		if len(calls) != 4 || !strings.Contains(said, "was compacted") {
			t.Fatalf("%s: %d requests\n%s", limit, len(calls), said)
		}
		first, sum, after := parts(t, calls[0].Body), parts(t, calls[1].Body), parts(t, calls[3].Body)
		if sum.besides != first.besides || after.besides != first.besides || !strings.HasPrefix(sum.history, first.history) {
			t.Errorf("%s: the summary was asked for with another beginning", limit)
		}
		if !strings.Contains(sum.history, "a thought") || strings.Contains(after.history, "a thought") || strings.Contains(after.history, "Half a") {
			t.Errorf("%s: what follows the summary is %s", limit, after.history)
		}
	}
}

// TestNoCutSummary: a summary that is cut whenever it is asked for takes the place of nothing, and the person is told.
func TestNoCutSummary(t *testing.T) {
	vendor := summed(t, 9)
	code, _, said := talked(t, vendor, "one\n/compact\ntwo\n", "chat", "--mode", "yolo", "--model", "anthropic:claude-opus-5-5")
	calls := vendor.Calls()
	if code == 0 || !strings.Contains(said, "the model's summary is incomplete") {
		t.Errorf("it ended with %d\n%s", code, said)
	}
	first, last := parts(t, calls[0].Body), parts(t, calls[len(calls)-1].Body)
	if !strings.HasPrefix(last.history, first.history) || strings.Contains(last.history, "Half a") {
		t.Errorf("what follows is %s", last.history)
	}
}
