package contest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/eval/contest"
)

func TestParseArms(t *testing.T) {
	for _, c := range []struct{ names, want, wrong string }{
		{"", "", `unknown arm ""`},
		{"council,vote", "[single vote council]", ""},
		{"council, sc,council,single", "[single sc council]", ""},
		{"debate,debate:3,fuse", "[single fuse debate debate:3]", ""},
		{"parallel,council", "[single council parallel]", ""},
		{"debate:0", "", "only debate takes a number"},
		{"debate:99", "", "only debate takes a number"},
		{"debate:x", "", "only debate takes a number"},
		{"vote:2", "", "only debate takes a number"},
		{"counsel", "", `unknown arm "counsel"`},
	} {
		got, err := contest.ParseArms(strings.Split(c.names, ","))
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, want %s", c.names, err, c.wrong)
			}
		} else if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.names, got, c.want)
		}
	}
	if got, err := contest.ParseArms(nil); err != nil || fmt.Sprint(got) != "[single]" {
		t.Errorf("none: %v, %v", got, err)
	}
}

// TestEveryStrategyCanBeAnArm, but for one whose name means something else here and one that chooses no answer.
func TestEveryStrategyCanBeAnArm(t *testing.T) {
	for _, s := range strategy.All() {
		arms, err := contest.ParseArms([]string{s.Name})
		if s.Estimates {
			if err == nil {
				t.Error("delphi is an arm")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		plan := contest.Plan{Arms: arms}
		if s.Name != "single" && plan.Panel() != contest.Arm(s.Name) {
			t.Errorf("%s alone: the panel is %q", s.Name, plan.Panel())
		}
	}
}

func TestPanelIsTheArmThatDebates(t *testing.T) {
	for arms, want := range map[string]contest.Arm{"vote": "vote", "vote,debate": "debate", "debate,debate:2": "debate:2",
		"debate,council,parallel": "council", "parallel,debate": "parallel", "sc,fuse": ""} {
		all, err := contest.ParseArms(strings.Split(arms, ","))
		if err != nil {
			t.Fatal(err)
		}
		if got := (contest.Plan{Arms: all}).Panel(); got != want {
			t.Errorf("%s: %q, want %q", arms, got, want)
		}
	}
}
