package tool_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tool"
)

func TestIn(t *testing.T) {
	all := []tool.Tool{
		{Spec: llm.Spec{Name: "git_commit"}, Effect: tool.Runs}, {Spec: llm.Spec{Name: "git_log"}, Effect: tool.Reads},
		{Spec: llm.Spec{Name: "read"}, Effect: tool.Reads}, {Spec: llm.Spec{Name: "reads_not"}, Effect: tool.Writes},
		{Spec: llm.Spec{Name: "unknown"}},
	}
	for list, want := range map[string]string{
		"":                    "git_commit git_log read reads_not unknown",
		"read":                "read",
		"git_*":               "git_commit git_log",
		"reads":               "git_log read",
		"reads -git_log":      "read",
		"-git_log reads":      "read",
		"reads writes -rea*":  "git_log",
		"git_* -runs":         "git_log",
		"-runs":               "git_log read reads_not unknown",
		"-runs -git_* -reads": "reads_not unknown",
		"nosuch":              "",
		"nosuch -read":        "",
		"read -read":          "",
		"r[":                  "",
	} {
		var got []string
		for _, one := range all {
			if one.In(strings.Fields(list)) {
				got = append(got, one.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %q", list, got, want)
		}
	}
}
