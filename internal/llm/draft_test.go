package llm_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
)

// draft runs write and returns how the answer ended.
func draft(info llm.Info, write func(*llm.Draft)) (llm.End, error) {
	return llm.Collect(func(yield func(llm.Delta, error) bool) {
		d := llm.NewDraft(info, yield)
		write(d)
		d.End()
	})
}

func TestDraftParts(t *testing.T) {
	end, err := draft(llm.Info{}, func(d *llm.Draft) {
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
		write func(*llm.Draft)
		stop  llm.Stop
		kind  llm.Kind
	}{
		{"nothing", func(*llm.Draft) {}, "", llm.Empty},
		{"only thoughts", func(d *llm.Draft) { d.Think("hm") }, "", llm.Empty},
		{"thoughts that used up the tokens", func(d *llm.Draft) { d.Think("hm"); d.Stop = llm.StopLength }, llm.StopLength, ""},
		{"a wordless refusal", func(d *llm.Draft) { d.Stop = llm.StopRefusal }, llm.StopRefusal, ""},
		{"a call cut short", func(d *llm.Draft) { d.Call(llm.Call{}); d.Stop = llm.StopLength }, llm.StopLength, ""},
		{"text", func(d *llm.Draft) { d.Text("x") }, llm.StopDone, ""},
	} {
		end, err := draft(llm.Info{}, tc.write)
		var kind llm.Kind
		if err != nil {
			kind = llm.AsError(err).Kind
		}
		if end.Stop != tc.stop || kind != tc.kind {
			t.Errorf("%s: %q, %v", tc.name, end.Stop, err)
		}
	}
}

func TestDraftPrices(t *testing.T) {
	info := llm.Info{Price: llm.Price{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5, Known: true}}
	used := llm.Usage{Input: 1e6, Output: 1e5, CacheRead: 1e6, CacheWrite: 2e5}
	for _, tc := range []struct {
		name   string
		usage  llm.Usage
		info   llm.Info
		usd    float64
		source llm.Source
	}{
		{"by the table", used, info, 2 + 1 + 0.2 + 0.5, llm.CostTable},
		{"by the vendor", llm.Usage{Input: 5, USD: 7, Source: llm.CostProvider}, info, 7, llm.CostProvider},
		{"unknown", used, llm.Info{}, 0, llm.CostUnknown},
		{"local", used, llm.Info{Price: llm.Price{Known: true}}, 0, llm.CostFree},
	} {
		end, err := draft(tc.info, func(d *llm.Draft) { d.Text("x"); d.Usage = tc.usage })
		if err != nil || end.Usage.USD != tc.usd || end.Usage.Source != tc.source {
			t.Errorf("%s: %+v, %v", tc.name, end.Usage, err)
		}
	}
}

func TestSigned(t *testing.T) {
	if s, ok := llm.SignedBy("a", llm.Signed("a", "x:y")); s != "x:y" || !ok {
		t.Errorf("own signature: %q, %v", s, ok)
	}
	for _, foreign := range []string{"", llm.Signed("a", ""), llm.Signed("b", "x"), "ax"} {
		if s, ok := llm.SignedBy("a", foreign); ok {
			t.Errorf("%q counts as a's: %q", foreign, s)
		}
	}
}
