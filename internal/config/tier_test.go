package config_test

import (
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/config"
)

// A vendor's own tier counts unless a higher layer sets that of all.
func TestTier(t *testing.T) {
	for name, tc := range map[string]struct {
		user  string
		env   []string
		flags map[string]string
		want  string
	}{
		"nothing":           {"", nil, nil, ""},
		"all":               {"debate: {tier: big}", nil, nil, "big"},
		"own":               {"tiers: {acme: small}", nil, nil, "small"},
		"own over all":      {"debate: {tier: big}\ntiers: {acme: small}", nil, nil, "small"},
		"another's":         {"debate: {tier: big}\ntiers: {other: small}", nil, nil, "big"},
		"all by a variable": {"tiers: {acme: small}", []string{"SOCRATES_DEBATE_TIER=big"}, nil, "big"},
		"own by a variable": {"debate: {tier: big}", []string{"SOCRATES_TIERS_ACME=mid"}, nil, "mid"},
		"a preset":          {"tiers: {acme: small}", nil, map[string]string{"preset": "deep"}, "big"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			write(t, file, tc.user)
			c, _, err := config.Load(config.Sources{UserFile: file, Env: tc.env, Flags: tc.flags})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Tier("acme"); got != tc.want {
				t.Errorf("%q, not %q", got, tc.want)
			}
			if got := c.Tier("no name of a key"); got != c.String("debate.tier") {
				t.Errorf("of a name that cannot be set: %q", got)
			}
		})
	}
}
