package work

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
)

// fence puts a text between fences that it cannot close itself.
func fence(text string) string {
	return "```\n" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "```", "'''") + "\n```\n"
}

// tail returns the end of a text, where failures are reported.
func tail(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return s
}

func head(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "\n… (cut)"
	}
	return s
}

// brief returns the instructions of a task's agent: the task, and nothing it could find out itself. An agent sees no
// other step and no conversation, so a plan's Check refuses briefs that refer to either.
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

// retryText tells an agent why its change is not proved.
func retryText(v proof.Verdict, out string) string {
	text := "Your change is not done yet:\n\n- " + strings.Join(v.Why, "\n- ") + "\n"
	if out != "" {
		text += "\nWhat the checks printed, in a clean clone of your files:\n\n```\n" + strings.ReplaceAll(out, "```", "'''") + "```\n"
	}
	return text + "\nFind the cause and fix it. Do not weaken any test or check."
}

// reviewText returns the prompt of a reviewer: the brief, the change and the checks, but not the author, so that a
// reviewer judges the change and not the model.
func reviewText(p plan.Plan, t plan.Task, v proof.Verdict, patch string) string {
	var b strings.Builder
	b.WriteString("# Review a change\n\nSomebody made the change below for this task. You see neither who it was nor what was said. ")
	b.WriteString("Look for what is wrong with it: where it does not do what the task says, or breaks what worked. ")
	b.WriteString("Read the files around it; your folder has them with the change applied. Style does not matter.\n\n")
	b.WriteString("Answer with a line for each objection, and nothing else:\n\n")
	b.WriteString("- objection: FILE:LINE `QUOTE` what goes wrong, and for which input\n\n")
	b.WriteString("QUOTE is copied letter by letter from one line of the change; without it the objection does not count. ")
	b.WriteString("If nothing is wrong, answer: none\n\n")
	b.WriteString(strings.Replace(brief(p, t), "# ", "# The task: ", 1))
	b.WriteString("\n## Results of the checks\n\n")
	for _, r := range v.Checks {
		fmt.Fprintf(&b, "- `%s`: %s; before: %s\n", strings.Join(r.Command, " "), r.After, r.Base)
	}
	b.WriteString("\n## The change\n\n" + fence(head(patch, 60_000)))
	return b.String()
}

// portsNote tells an agent the ports of its workspace.
func portsNote(env []string) string {
	if len(env) == 0 {
		return ""
	}
	return "\n## Ports\n\nWhat you start may listen on these ports of this machine, and on no others; the environment has them:\n\n- " +
		strings.Join(env, "\n- ") + "\n"
}
