package config_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
)

// TestPresetLayer pins the order: flag over preset over settings over default.
func TestPresetLayer(t *testing.T) {
	const mine = `
debate: {rounds: 3, effort: low, economy: lead, seat_timeout: 1m}
checks: {commands: [go test]}
presets:
  mine: {doc: my own, rounds: 4, effort: high, checks: [go vet], budget: 2, seats: [a, b@critic], tiers: small}
  deep: {rounds: 1}
`
	for _, c := range []struct {
		name, user, project string
		env                 []string
		flags               map[string]string
		key, want           string
	}{
		{"no preset", mine, "", nil, nil, "debate.rounds", "3"},
		{"flag chooses", mine, "", nil, map[string]string{"preset": "mine"}, "debate.rounds", "4"},
		{"setting chooses", mine + "preset: mine", "", nil, nil, "debate.rounds", "4"},
		{"variable chooses", mine, "", []string{"SOCRATES_PRESET=mine"}, nil, "debate.rounds", "4"},
		{"flag over setting", mine + "preset: mine", "", nil, map[string]string{"preset": "deep"}, "debate.rounds", "1"},
		{"field over the program's", mine, "", nil, map[string]string{"preset": "deep"}, "debate.tier", "big"},
		{"flag over preset", mine, "", nil, map[string]string{"preset": "mine", "debate.rounds": "2"}, "debate.rounds", "2"},
		{"preset over variable", mine, "", []string{"SOCRATES_DEBATE_ROUNDS=2"}, map[string]string{"preset": "mine"}, "debate.rounds", "4"},
		{"left out", mine, "", nil, map[string]string{"preset": "mine"}, "debate.seat_timeout", "1m"},
		{"empty takes back", mine, "", nil, map[string]string{"preset": "balanced"}, "debate.effort", ""},
		{"balanced is what there was", mine, "", nil, map[string]string{"preset": "balanced"}, "debate.rounds", "2"},
		{"seats", mine, "", nil, map[string]string{"preset": "mine"}, "seats", "[a, b@critic]"},
		{"checks", mine, "", nil, map[string]string{"preset": "mine"}, "checks.commands", "[go vet]"},
		{"budget", mine, "", nil, map[string]string{"preset": "mine"}, "debate.budget_usd", "2"},
		{"variable in a preset", mine, "", []string{"SOCRATES_PRESETS_MINE_SEAT_TIMEOUT=3m"}, map[string]string{"preset": "mine"}, "debate.seat_timeout", "3m"},

		{"project tightens a preset", mine, "debate.rounds: 2", nil, map[string]string{"preset": "mine"}, "debate.rounds", "2"},
		{"project tightens the program's", "", "debate.timeout: 1m", nil, map[string]string{"preset": "deep"}, "debate.timeout", "1m"},
		{"project widens nothing", mine, "debate.rounds: 3", nil, map[string]string{"preset": "deep"}, "debate.rounds", "1"},
		{"project lowers the budget", mine, "debate.budget_usd: 0.5", nil, map[string]string{"preset": "mine"}, "debate.budget_usd", "0.5"},
		{"project takes seats out", "seats: [a, c]\n" + mine, "seats: [a]", nil, map[string]string{"preset": "mine"}, "seats", "[a]"},
		{"project takes checks out", mine, "checks.commands: []", nil, map[string]string{"preset": "mine"}, "checks.commands", "[]"},
		{"project has no presets", mine, "presets.mine.rounds: 1", nil, map[string]string{"preset": "mine"}, "debate.rounds", "4"},
		{"project adds no seats", mine, "presets.mine.seats: [evil]", nil, map[string]string{"preset": "mine"}, "seats", "[a, b@critic]"},
		{"project raises no budget", mine, "presets.mine.budget: 0", nil, map[string]string{"preset": "mine"}, "debate.budget_usd", "2"},
		{"project chooses none", mine, "preset: mine", nil, nil, "debate.rounds", "3"},
		{"flag over the project", mine, "debate.rounds: 1", nil, map[string]string{"preset": "mine", "debate.rounds": "3"}, "debate.rounds", "3"},
	} {
		s := sources(t, c.user, c.project)
		s.Env, s.Flags = c.env, c.flags
		cfg, warnings := load(t, s)
		got := ""
		for _, o := range cfg.Explain(c.key) {
			if o.Wins {
				got = o.Value
			}
		}
		if got != c.want {
			t.Errorf("%s: %s = %q, want %q: %+v", c.name, c.key, got, c.want, cfg.Explain(c.key))
		}
		if ignored := strings.Contains(c.project, "preset"); ignored != (len(warnings) == 1) {
			t.Errorf("%s: warnings %v", c.name, warnings)
		}
	}
}

func TestPresetOrigins(t *testing.T) {
	s := sources(t, "debate.rounds: 3\npresets:\n  mine:\n    rounds: 4\n", "debate.rounds: 2\n")
	s.Flags = map[string]string{"preset": "mine"}
	cfg, _ := load(t, s)
	var got []string
	for _, o := range cfg.Explain("debate.rounds") {
		got = append(got, fmt.Sprintf("%s %s %d %t", o.Layer, o.Value, o.Line, o.Wins))
	}
	if want := []string{"built in 2 0 false", "user 3 1 false", "project 2 1 false", "preset 2 4 true"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if o := cfg.Explain("debate.rounds")[3]; o.File != s.UserFile || !strings.Contains(o.Note, "limits it") || cfg.Wins("debate.rounds") != config.Preset {
		t.Errorf("%+v", o)
	}
	s.Flags["preset"] = "quick"
	cfg, _ = load(t, s)
	if o := cfg.Explain("debate.economy"); o[len(o)-1].Place() != "preset quick" {
		t.Errorf("%+v", o)
	}
	for _, o := range cfg.All() {
		if strings.HasPrefix(o.Key, "presets.") && o.Layer == config.BuiltIn {
			t.Errorf("the program's own presets are listed among the settings: %+v", o)
		}
	}
}

func TestPresets(t *testing.T) {
	s := sources(t, "preset: mine\npresets: {mine: {doc: my own, budget: 1.5}, deep: {doc: other}}", "")
	cfg, _ := load(t, s)
	var got []string
	for _, p := range cfg.Presets() {
		text := fmt.Sprintf("%s|%s|%t", p.Name, p.Doc, p.Chosen)
		for _, o := range p.Sets {
			text += "|" + strings.TrimPrefix(o.Key, "presets."+p.Name+".") + "=" + o.Value
		}
		got = append(got, text)
	}
	want := []string{
		"balanced|the defaults|false|tiers=|effort=|strategy=council|economy=|rounds=2|seat_timeout=5m|timeout=20m|checking=standard",
		"deep|other|false|tiers=big|effort=high|economy=|rounds=2|seat_timeout=15m|timeout=1h|checking=deep",
		"mine|my own|true|budget=1.5",
		"pair|two seats of different families first, the rest if they differ|false|economy=pair",
		"quick|small models, two seats first, a few minutes|false|tiers=small|economy=pair|rounds=1|seat_timeout=2m|timeout=5m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestBalancedIsTheDefault: the preset says what counts when nothing is set.
func TestBalancedIsTheDefault(t *testing.T) {
	plain, _ := load(t, config.Sources{})
	balanced, _ := load(t, config.Sources{Flags: map[string]string{"preset": "balanced"}})
	for _, s := range setting.All() {
		if strings.Contains(s.Key, "<name>") || s.Key == "preset" {
			continue
		}
		a, b := plain.Explain(s.Key), balanced.Explain(s.Key)
		if a[len(a)-1].Value != b[len(b)-1].Value {
			t.Errorf("%s: %s by default, %s in balanced", s.Key, a[len(a)-1].Value, b[len(b)-1].Value)
		}
	}
	if balanced.Duration("debate.timeout") != 20*time.Minute {
		t.Error(balanced.Explain("debate.timeout"))
	}
}

func TestPresetMistakes(t *testing.T) {
	for _, c := range []struct {
		text    string
		line    int
		message string
	}{
		{"presets:\n  deep:\n    ronds: 2", 3, "unknown key presets.deep.ronds (did you mean presets.deep.rounds?)"},
		{"presets:\n  mine:\n    tier: big", 3, "did you mean presets.mine.tiers?"},
		{"presets:\n  mine:\n    rounds: 9", 3, "must be 1 to 4, not 9"},
		{"presets:\n  mine:\n    tiers: huge", 3, "must be small, mid or big"},
		{"presets:\n  mine:\n    seats: a", 3, "must be a list"},
		{"presets:\n  Mine:\n    rounds: 1", 3, "unknown key presets.Mine.rounds"},
		{"preset: deap", 1, "preset: names an unknown preset: deap (did you mean deep?)"},
		{"# x\npreset: zzzzzzzzzz", 2, "known presets: balanced, deep, pair, quick"},
	} {
		s := sources(t, c.text, "")
		_, _, err := config.Load(s)
		e, ok := errors.AsType[*config.Error](err)
		if !ok || e.File != s.UserFile || e.Line != c.line || !strings.Contains(e.Error(), c.message) {
			t.Errorf("%q: %v; want line %d, %s", c.text, err, c.line, c.message)
		}
	}
	_, _, err := config.Load(config.Sources{Flags: map[string]string{"preset": "qick"}})
	if e, ok := errors.AsType[*config.Error](err); !ok || e.File != "flag preset" || !strings.Contains(e.Error(), "did you mean quick?") {
		t.Errorf("%v", err)
	}
}
