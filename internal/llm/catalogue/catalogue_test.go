package catalogue_test

import (
	"os"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

func load(t *testing.T, override string) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Load([]byte(override))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBuiltinCatalogueHoldsTogether(t *testing.T) {
	c := load(t, "")
	for _, v := range c.Vendors() {
		if v.BaseURL == "" || !v.Local && !v.Cloud() && len(v.KeyEnv) == 0 {
			t.Errorf("%s has no address or no key", v.Name)
		}
		for tier := range v.Tiers {
			info, _, err := c.Resolve(v.Name, string(tier))
			if err != nil || info.Tier != tier || info.Lineage == "" || info.Lineage == info.ID {
				t.Errorf("%s of %s: %+v, %v", tier, v.Name, info, err)
			}
			if v.Local && info.Price != (cost.Price{Known: true}) {
				t.Errorf("%s of %s is not free", info.ID, v.Name)
			}
		}
	}
	for _, m := range c.Models() {
		if p := m.Price; p.Known && (p.CacheRead > p.Input || p.Output < p.Input) {
			t.Errorf("the prices of %s look mixed up: %+v", m.ID, p)
		}
	}
}

// TestTheDocumentedForm: the example of docs/models.md is one.
func TestTheDocumentedForm(t *testing.T) {
	page, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	c := load(t, example)
	for vendor, want := range map[string]llm.Info{
		"cerebras":  {ID: "gpt-oss-120b", Lineage: "openai", Tier: llm.Mid, Window: 131072, Output: 40000, Efforts: "low medium high"},
		"anthropic": {ID: "claude-opus-5-5", Lineage: "anthropic", Tier: llm.Mid, Window: 1000000, Output: 128000, Efforts: "low medium high xhigh max", PDF: true},
	} {
		got, _, err := c.Resolve(vendor, "mid")
		if got.Price = (cost.Price{}); err != nil || got != want {
			t.Errorf("%s: %+v, %v", vendor, got, err)
		}
	}
}

func TestResolve(t *testing.T) {
	c := load(t, "")
	for _, tc := range []struct {
		vendor, model, lineage string
		priced                 bool
		problem                string // in the error
	}{
		{"anthropic", "claude-opus-5-5", "anthropic", true, ""},
		{"anthropic", "claude-next-9", "anthropic", false, ""},
		{"openrouter", "meta-llama/Llama-4-Maverick", "meta", false, ""},
		{"openrouter", "somebody/unheard-of", "unheard-of", false, ""},
		{"ollama", "devstral:24b", "mistral", true, ""},
		{"vllm", "big", "", false, "no model for the tier big"},
		{"nobody", "x", "", false, "known vendors: anthropic, "},
		{"openai", "", "", false, "no model"},
	} {
		info, v, err := c.Resolve(tc.vendor, tc.model)
		if tc.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s %s: %v, want %q", tc.vendor, tc.model, err, tc.problem)
			}
			continue
		}
		if err != nil || info.ID != tc.model || v.Name != tc.vendor || info.Lineage != tc.lineage || info.Price.Known != tc.priced {
			t.Errorf("%s %s: %+v of %s, %v", tc.vendor, tc.model, info, v.Name, err)
		}
	}
}

func TestLineageOfUnknownNames(t *testing.T) {
	c := load(t, "")
	for name, want := range map[string]string{"Claude-X": "anthropic", "openai/gpt-oss-20b": "openai", "o3-pro": "openai", "gemma3:27b": "google",
		"qwen3-coder": "alibaba", "deepseek-r1-distill-llama": "deepseek", "kimi-k3": "moonshot", "glm-5.2": "zhipu", "x-ai/grok-5": "xai", "loop": "loop",
		"us.anthropic.claude-opus-5-5": "anthropic", "global.anthropic.claude-sonnet-4-5-20250929-v1:0": "anthropic", "amazon.nova-pro-v1:0": "amazon",
		"us-gov.meta.llama4-maverick": "meta", "openai.gpt-oss-120b-1:0": "openai", "arn:aws:bedrock:us-east-1:1:inference-profile/us.deepseek.r1-v1:0": "deepseek",
		"claude-opus-4-5@20251101": "anthropic", "v1.5.claude": "v1.5.claude"} {
		if got := c.Lineage(name); got != want {
			t.Errorf("%s is of %s, want %s", name, got, want)
		}
	}
}

func TestOverride(t *testing.T) {
	c := load(t, `
vendors:
  - name: anthropic
    base_url: https://proxy.example
  - {name: mine, wire: chat, base_url: "http://10.0.0.2/v1", local: true, tiers: {big: qwen-max}}
models:
  - {vendor: anthropic, id: claude-opus-5-5, window: 12345}
  - {vendor: mine, id: odd, lineage: own}
lineages:
  - {prefix: qwen, lineage: elsewhere}
`)
	opus, v, err := c.Resolve("anthropic", "big")
	if err != nil || v.BaseURL != "https://proxy.example" || len(v.KeyEnv) == 0 || opus.Window != 12345 || opus.Price.Input != 4 {
		t.Errorf("%+v of %+v, %v", opus, v, err)
	}
	if m, _, err := c.Resolve("mine", "big"); err != nil || m.ID != "qwen-max" || m.Lineage != "elsewhere" || !m.Price.Known {
		t.Errorf("%+v, %v", m, err)
	}
	if m, _, err := c.Resolve("mine", "odd"); err != nil || m.Lineage != "own" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestOverrideErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"models:\n  - {vendor: anthropic, id: x, windw: 3}":                  "line 2: unknown key windw; a row has vendor, id,",
		"models:\n  - {vendor: anthropic, id: y}\n  - {vendor: none, id: x}": `line 3: a model needs an id and a known vendor, not "none"`,
		"vendors:\n\n  - {name: x, wire: telepathy}":                         "line 3: a vendor needs",
		"vendor: []": "line 1: unknown key vendor; valid: vendors, models",
		"models:\n  - {vendor: anthropic, id: x, price: {input: .nan, output: 1}}": "line 2: the price of a model must be numbers",
		"models:\n  - {vendor: anthropic, id: x, price: {input: 1, output: -1}}":   "line 2: the price of a model must be numbers",
		"models:\n  - {vendor: anthropic, id: x, window: many}":                    "line 2: cannot unmarshal",
		"models: [\n\n":              "line 2",
		"lineages:\n  - {prefix: p}": "line 2: an entry of lineages needs",
	} {
		if _, err := catalogue.Load([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func BenchmarkLoadCatalogue(b *testing.B) {
	for b.Loop() {
		if _, err := catalogue.Load(nil); err != nil {
			b.Fatal(err)
		}
	}
}
