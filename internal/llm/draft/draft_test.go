package draft_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// drafted runs write and returns how the answer ended.
func drafted(info llm.Info, write func(*draft.Draft)) (llm.End, error) {
	return llm.Collect(func(yield func(llm.Delta, error) bool) {
		d := draft.New(info, yield)
		write(d)
		d.End()
	})
}

func TestDraftParts(t *testing.T) {
	end, err := drafted(llm.Info{}, func(d *draft.Draft) {
		d.Think("let me ")
		d.Text("")
		d.Think("see")
		d.Sign("s1")
		d.Sign("redacted")
		d.Text("It ")
		d.Text("is.")
		d.Call(llm.Call{ID: "1", Name: "read"})
		d.Call(llm.Call{ID: "2", Name: "read", Args: json.RawMessage(`{"path":`)})
		d.Text("Done.")
	})
	want := []llm.Part{llm.Think{Text: "let me see", Signature: "s1"}, llm.Think{Signature: "redacted"}, llm.Text{Text: "It is."},
		llm.Call{ID: "1", Name: "read", Args: json.RawMessage(`{}`)}, llm.Call{ID: "2", Name: "read", Args: json.RawMessage(`{"unparsed":"{\"path\":"}`)},
		llm.Text{Text: "Done."}}
	if err != nil || end.Stop != llm.StopTools || !reflect.DeepEqual(end.Message.Parts, want) {
		t.Errorf("stop %q, %v, parts %+v", end.Stop, err, end.Message.Parts)
	}
}

func TestDraftEnds(t *testing.T) {
	for _, tc := range []struct {
		name  string
		write func(*draft.Draft)
		stop  llm.Stop
		kind  trouble.Kind
	}{
		{"nothing", func(*draft.Draft) {}, "", trouble.Empty},
		{"only thoughts", func(d *draft.Draft) { d.Think("hm") }, "", trouble.Empty},
		{"thoughts that used up the tokens", func(d *draft.Draft) { d.Think("hm"); d.Stop = llm.StopLength }, llm.StopLength, ""},
		{"a wordless refusal", func(d *draft.Draft) { d.Stop = llm.StopRefusal }, llm.StopRefusal, ""},
		{"a call cut short", func(d *draft.Draft) { d.Call(llm.Call{}); d.Stop = llm.StopLength }, llm.StopLength, ""},
		{"text", func(d *draft.Draft) { d.Text("x") }, llm.StopDone, ""},
	} {
		end, err := drafted(llm.Info{}, tc.write)
		var kind trouble.Kind
		if err != nil {
			kind = trouble.As(err).Kind
		}
		if end.Stop != tc.stop || kind != tc.kind {
			t.Errorf("%s: %q, %v", tc.name, end.Stop, err)
		}
	}
}

func TestDraftPrices(t *testing.T) {
	info := llm.Info{Price: cost.Price{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5, Known: true}}
	used := cost.Usage{Input: 1e6, Output: 1e5, CacheRead: 1e6, CacheWrite: 2e5}
	for _, tc := range []struct {
		name   string
		usage  cost.Usage
		info   llm.Info
		usd    float64
		source cost.Source
	}{
		{"by the table", used, info, 2 + 1 + 0.2 + 0.5, cost.Table},
		{"by the vendor", cost.Usage{Input: 5, USD: 7, Source: cost.Provider}, info, 7, cost.Provider},
		{"unknown", used, llm.Info{}, 0, cost.Unknown},
		{"local", used, llm.Info{Price: cost.Price{Known: true}}, 0, cost.Free},
	} {
		end, err := drafted(tc.info, func(d *draft.Draft) { d.Text("x"); d.Usage = tc.usage })
		if err != nil || end.Usage.USD != tc.usd || end.Usage.Source != tc.source {
			t.Errorf("%s: %+v, %v", tc.name, end.Usage, err)
		}
	}
}

func TestSigned(t *testing.T) {
	if s, ok := draft.SignedBy("a", draft.Signed("a", "x:y")); s != "x:y" || !ok {
		t.Errorf("own signature: %q, %v", s, ok)
	}
	for _, foreign := range []string{"", draft.Signed("a", ""), draft.Signed("b", "x"), "ax"} {
		if s, ok := draft.SignedBy("a", foreign); ok {
			t.Errorf("%q counts as a's: %q", foreign, s)
		}
	}
}
