package work

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/plan"
)

// fence puts a text between fences that it cannot close itself.
func fence(text string) string {
	return "```\n" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "'''") + "\n```\n"
}

// tail is the end of a text, where failures are told.
func tail(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return s
}

// head is the beginning of a text.
func head(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "\n… (cut)"
	}
	return s
}

// brief is what the agent of a task is told: the task, and nothing it could not know by itself.
// An agent sees no other step and no conversation, so a plan's Check refuses briefs that refer to either.
func brief(p plan.Plan, t plan.Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", t.Title, t.Brief)
	if p.Approach != "" {
		b.WriteString("\n## Overall approach\n\n" + p.Approach + "\n")
	}
	b.WriteString("\n## Files\n\n")
	for _, f := range t.Files {
		fmt.Fprintf(&b, "- %s (%s)\n", f.Name, f.Action)
	}
	if len(t.Files) == 0 {
		b.WriteString("- none: this step changes nothing\n")
	}
	b.WriteString("\nChange no other file: a change of any other file stops the step.\n")
	if len(t.Checks) > 0 {
		b.WriteString("\n## Checks\n\nCode runs these in a clean clone once you are done:\n\n")
		for _, c := range t.Checks {
			fmt.Fprintf(&b, "- `%s` %s\n", c, c.Shows)
		}
	}
	if t.Fixes {
		b.WriteString("\nThis repairs a fault: add a test that fails without your change.\n")
	}
	if t.Done != "" {
		b.WriteString("\n## Done when\n\n" + t.Done + "\n")
	}
	return b.String()
}
