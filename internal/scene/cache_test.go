package scene_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/scene"
)

// A fall is told once, when the call that was paid in full is there; what has another beginning or is short is not compared.
func TestCacheFell(t *testing.T) {
	cold, warm := cost.Usage{Input: 10_000}, cost.Usage{Input: 100, CacheRead: 9_900}
	for name, c := range map[string]struct {
		calls []cost.Usage
		want  string // of the last call
	}{
		"the first call":     {[]cost.Usage{cold}, ""},
		"it stays":           {[]cost.Usage{cold, warm, warm}, ""},
		"it falls":           {[]cost.Usage{cold, warm, cold}, "only 0 % of the input came from the provider's cache (99 % in the previous call)"},
		"told once":          {[]cost.Usage{cold, warm, cold, cold}, ""},
		"nothing was cached": {[]cost.Usage{cold, cold, cold}, ""},
		"written again":      {[]cost.Usage{warm, {Input: 100, CacheWrite: 9_900}}, "only 0 %"},
		"a new file":         {[]cost.Usage{warm, {Input: 8_000, CacheRead: 10_000}}, ""},
		"after a summary":    {[]cost.Usage{warm, {Input: 3_000}}, ""},
		"short":              {[]cost.Usage{{Input: 10, CacheRead: 2_000}, {Input: 2_100}}, ""},
		"estimated":          {[]cost.Usage{warm, {Input: 10_000, Least: true}}, ""},
		"nothing counted":    {[]cost.Usage{warm, {}, cold}, "only 0 %"},
	} {
		var cache scene.Cache
		got := ""
		for _, u := range c.calls {
			got = cache.Fell(u)
		}
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
