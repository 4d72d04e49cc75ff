package setting

import "strings"

// phases of a run, with who does each by itself.
var phases = []struct{ name, who string }{
	{"refine", "clarifies the request"}, {"analyze", "analyzes alone (--single)"}, {"plan", "writes the plan"}, {"execute", ""},
}

// panels are the phases that several do, with what their seats are.
var panels = map[string]string{
	"analyze": "Panel that analyzes, one seat per entry. Empty: seats.",
	"execute": "Seats that do the steps; the next takes over when one fails. Empty: the default model.",
}

// workRows are the settings of runs of plans: of all of it, then of each phase. They hold when a run begins, which freezes them.
func workRows() []Row {
	out := []Row{
		{Key: "work.parallel", Type: Count, Default: "2", Min: 1, Max: 64, Project: lower, Doc: "Number of steps of a run in parallel."},
		{Key: "work.retries", Type: Count, Default: "2", Max: 100, Project: lower, Doc: "Number of repairs per executor of a step."},
		{Key: "work.review", Type: Text, Project: userOnly,
			Doc: "Seat of another model family that reviews each proved step before it is merged. " +
				"Empty: only high-risk steps are reviewed."},
		{Key: "work.budget_usd", Type: Amount, Default: "0", Max: 1e6, Project: lower, Open: true,
			Doc: "Spending limit of a run in USD, all phases together. 0: none."},
		{Key: "work.max_tokens", Type: Count, Default: "0", Max: 1e12, Project: lower, Open: true,
			Doc: "Token limit of a run, all phases together. 0: none."},
		{Key: "work.died", Type: Choice, Default: "pause", Choices: []string{"pause", "resume"}, Project: userOnly,
			Doc: "What happens to a run whose process died: pause (until socrates work resume) or resume (when the screen is next opened " +
				"in its project, or a server started)."},
		{Key: "work.trace", Type: Choice, Default: "summary", Choices: []string{"off", "summary", "full"}, Project: userOnly,
			Doc: "What socrates work trace lists: off (nothing), summary (a line per event) or full (with messages and output)."},
	}
	for _, p := range phases {
		at := "work." + p.name + "."
		if doc := panels[p.name]; doc != "" {
			out = append(out, Row{Key: at + "seats", Type: List, Project: userOnly, Open: true, Doc: doc})
		}
		if p.name == "analyze" {
			out = append(out, Row{Key: at + "min_seats", Type: Count, Default: "2", Min: 1, Max: 26, Project: userOnly,
				Doc: "Seats of a panel that must vote for its decision to count; with fewer, the run stops. " +
					"A smaller panel: all of its seats."})
		}
		if p.who != "" {
			out = append(out, Row{Key: at + "model", Type: Text, Project: userOnly,
				Doc: "Seat that " + p.who + ". Empty: the default model."})
		}
		out = append(out, Row{Key: at + "effort", Type: Choice, Choices: efforts, Project: userOnly,
			Doc: "Reasoning effort in the phase " + p.name + ". Empty: the vendor's default."},
			Row{Key: at + "timeout", Type: Span, Default: "0s", Max: 7 * day, Project: userOnly,
				Doc: "Time limit per answer in the phase " + p.name + ". 0s: 1h; for a panel, debate.seat_timeout."},
			Row{Key: at + "idle_timeout", Type: Span, Default: "0s", Max: 7 * day, Project: userOnly,
				Doc: "Stop an agent of the phase " + p.name + " that is silent this long. 0s: 15m."},
			Row{Key: at + "deny_tools", Type: List, Project: userOnly,
				Doc: "Tools that agents of the phase " + p.name + " cannot use: names, patterns such as git_*, or effects such as " +
					"runs. Empty: none."})
	}
	return out
}

// workFields are the fields of a preset for the phases of a run: plan_model stands for work.plan.model.
func workFields() (fields []Field) {
	for _, r := range workRows() {
		if part := strings.Split(r.Key, "."); len(part) == 3 {
			fields = append(fields, Field{part[1] + "_" + part[2], r.Key})
		}
	}
	return fields
}
