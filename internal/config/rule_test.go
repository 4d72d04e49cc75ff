package config_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/config"
)

// A project may make the mode stricter and add rules that allow nothing.
func TestPermission(t *testing.T) {
	for _, c := range []struct{ user, project, mode, rules, warning string }{
		{"", "", "balanced", "", ""},
		{"", "permission:\n  mode: plan\n", "plan", "", ""},
		{"", "permission:\n  mode: yolo\n", "balanced", "", "permission.mode: ignored: a project may only make it stricter (now balanced)"},
		{"permission:\n  mode: paranoid\n", "permission:\n  mode: balanced\n", "paranoid", "", "stricter (now paranoid)"},
		{"permission:\n  mode: yolo\n", "permission:\n  mode: balanced\n", "balanced", "", ""},
		{"permission:\n  rules:\n    - allow bash go test *\n    - deny read x\n", "", "balanced", "user:3 allow bash go test *; user:4 deny read x", ""},
		{"permission:\n  rules:\n    - allow bash go test *\n", "permission:\n  rules:\n    - deny bash go *\n    - allow bash rm *\n    - ask fetch\n", "balanced",
			"user:3 allow bash go test *; project:3 deny bash go *; project:5 ask fetch", `may not allow anything: "allow bash rm *"`},
		{"", "permission:\n  rules: [\" allow bash rm *\"]\n", "balanced", "", "may not allow anything"},
	} {
		cfg, warnings := load(t, sources(t, c.user, c.project))
		var rules []string
		for _, r := range cfg.Rules() {
			rules = append(rules, string(r.Layer)+":"+string(rune('0'+r.Line))+" "+r.Text)
		}
		if got := strings.Join(rules, "; "); got != c.rules || cfg.String("permission.mode") != c.mode {
			t.Errorf("%q over %q: %s, %s", c.project, c.user, cfg.String("permission.mode"), got)
		}
		said := ""
		for _, w := range warnings {
			said += w.Message
		}
		if !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
			t.Errorf("%q over %q warns %q", c.project, c.user, said)
		}
	}
}

func TestRulesOfTheEnvironment(t *testing.T) {
	s := sources(t, "permission:\n  rules: [allow bash ls]\n", "permission:\n  rules: [deny bash x]\n")
	s.Env = []string{"SOCRATES_PERMISSION_RULES=ask bash y, deny bash z"}
	cfg, _ := load(t, s)
	want := []config.Line{{"ask bash y", config.Env, "SOCRATES_PERMISSION_RULES", 0}, {"deny bash z", config.Env, "SOCRATES_PERMISSION_RULES", 0}}
	if got := cfg.Rules(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v", got)
	}
}
