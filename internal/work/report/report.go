// Package report writes the result of a run for people who were not there: a text in Markdown, and the same as one
// page of HTML. It is pure.
//
// The same Report makes the page for people, the text of a pull request and the parts of an issue. Whatever models
// wrote is quoted or put on one line, so that it cannot make headings or tables of its own.
//
// A Report holds the status of a run, its steps as in package trace, the request and the decision; the engine fills
// it in. Markdown makes the text; HTML formats a text as a page that loads nothing. The same run gives the same
// bytes: times and prices come from the record.
//
// What a model or a person wrote is quoted, put on one line, or escaped for a table, so it can add neither heading
// nor row. The caller removes secrets, from the text as a whole.
package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/trace"
)

// Report is a run with all its steps.
type Report struct {
	Status work.Status
	Steps  []trace.Step
	Asked  string // the request, refined if it was
}

// Markdown returns the whole report.
func (r Report) Markdown() string {
	var b strings.Builder
	s := r.Status
	fmt.Fprintf(&b, "# %s\n\nRun `%s`: %s, %d of %d steps merged.\n", cmp.Or(line(s.Title()), s.Frame.Run), s.Frame.Run, s.State,
		len(s.Merged()), len(s.Tasks))
	if s.Taken != nil {
		fmt.Fprintf(&b, "The result, `%.12s`, was accepted by %s.\n", s.Taken.Commit, s.Taken.How)
	}
	if r.Asked != "" {
		b.WriteString("\n## Request\n\n" + quote(literal.Lines(r.Asked)))
	}
	b.WriteString(r.Decision())
	r.table(&b)
	r.metrics(&b)
	for _, t := range r.Steps {
		step(&b, t)
	}
	return b.String()
}

// Decision describes the decision that the run executes: the debate, the accepted claims and the step that answers
// each, and the dissent. Empty: no decision.
func (r Report) Decision() string {
	s := r.Status
	if s.Planned == nil || len(s.Planned.Points) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Decision\n\n")
	for _, t := range r.Steps {
		if t.Decision != "" {
			fmt.Fprintf(&b, "Decided in the debate `%s`.\n\n", t.Decision)
			break
		}
	}
	for _, p := range s.Planned.Points {
		fmt.Fprintf(&b, "- %s (%s): %s %s\n", p.ID, p.Kind, line(p.Text), r.answer(p))
	}
	return b.String()
}

// Request returns the text of a pull request: the request, the decision with its dissent, the steps and the checks
// that proved them.
func (r Report) Request() string {
	var b strings.Builder
	if r.Asked != "" {
		b.WriteString(quote(literal.Lines(r.Asked)))
	}
	b.WriteString(strings.TrimLeft(r.Decision(), "\n"))
	r.table(&b)
	if checks := r.Checks(); checks != "" {
		b.WriteString("\n## Checks\n\nEach ran in a clean clone, before the step and after it.\n\n" + checks)
	}
	fmt.Fprintf(&b, "\nRun `%s`: %d check runs, %d tokens, %s.\n", r.Status.Frame.Run, r.Status.Checks, r.Status.Usage.Total(),
		r.Status.Usage.Money())
	return strings.TrimLeft(b.String(), "\n")
}

// answer describes how a point was answered.
func (r Report) answer(p plan.Point) string {
	var steps []string
	for _, t := range r.Status.Plan.Tasks {
		for _, id := range t.Claims {
			if id == p.ID {
				steps = append(steps, t.ID)
			}
		}
	}
	if len(steps) > 0 {
		return "*Answered by step " + strings.Join(steps, ", ") + ".*"
	}
	for _, d := range r.Status.Plan.Declined {
		if d.ID == p.ID {
			return "*Not in this plan: " + line(d.Why) + "*"
		}
	}
	return ""
}

// Checks lists the checks that proved each merged step, a line each.
func (r Report) Checks() string {
	var b strings.Builder
	for _, t := range r.Steps {
		for _, c := range t.Checks {
			if t.State == work.Done {
				fmt.Fprintf(&b, "- step %s: %s %s; before: %s\n", t.ID, literal.Code(strings.Join(c.Command, " ")), c.After, c.Base)
			}
		}
	}
	return b.String()
}

// table writes a row for each step.
func (r Report) table(b *strings.Builder) {
	b.WriteString("\n## Steps\n\n| step | state | title | by | commit |\n|---|---|---|---|---|\n")
	for _, t := range r.Steps {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %.12s |\n", t.ID, t.State, line(t.Title), line(t.Executor), t.Commit)
	}
}

// metrics writes the usage of the run: attempts, checks, tokens, money, time.
func (r Report) metrics(b *strings.Builder) {
	s := r.Status
	b.WriteString("\n## Metrics\n\n| metric | value |\n|---|---|\n")
	row := func(what, much string) { fmt.Fprintf(b, "| %s | %s |\n", what, much) }
	attempts, tries := 0, 0
	for _, t := range r.Steps {
		attempts, tries = attempts+t.Attempt, tries+t.Tries
	}
	row("attempts, and tries in the last ones", fmt.Sprintf("%d, %d", attempts, tries))
	row("check runs", fmt.Sprintf("%d in %s", s.Checks, took(s.CheckMS)))
	row("tokens of steps: input, output, from cache", fmt.Sprintf("%d, %d, %d", s.Usage.Input, s.Usage.Output, s.Usage.CacheRead))
	row("cost of steps", s.Usage.Money()+map[cost.Source]string{cost.Table: " (tokens times the catalogue's price)",
		cost.Provider: " (as the vendors reported)", cost.Unknown: " (at least; some prices are unknown)"}[s.Usage.Source])
}

// step writes a section: the task, the executor, the proof, the result.
func step(b *strings.Builder, t trace.Step) {
	fmt.Fprintf(b, "\n## Step %s: %s\n\n%s", t.ID, line(t.Title), quote(t.Brief))
	for _, why := range t.Why {
		b.WriteString("- " + line(why) + "\n")
	}
	for _, p := range t.Claims {
		fmt.Fprintf(b, "- answers %s (%s): %s\n", p.ID, p.Kind, line(p.Text))
	}
	if t.Executor != "" {
		fmt.Fprintf(b, "- done by %s, attempt %d, try %d, in %s; %d tokens, %s\n", literal.Code(t.Executor), t.Attempt, t.Tries, took(t.MS),
			t.Usage.Total(), t.Usage.Money())
	}
	for _, c := range t.Checks {
		fmt.Fprintf(b, "- %s: %s; before: %s\n", literal.Code(strings.Join(c.Command, " ")), c.After, c.Base)
	}
	for _, word := range t.Person {
		b.WriteString("- a person said: " + line(word) + "\n")
	}
	if t.Commit != "" {
		fmt.Fprintf(b, "- merged as `%.12s`\n", t.Commit)
	}
}

// took formats a time to the tenth of a second.
func took(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String()
}

// line joins a text in one line that is shown as it is, also in a table.
func line(s string) string { return literal.Text(strings.Join(strings.Fields(s), " ")) }

// quote formats a text as a quotation, so that none of its lines is one of ours.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ") + "\n\n"
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code{font-family:ui-monospace,monospace}table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.2rem .6rem;text-align:left}
blockquote{margin:0;padding-left:1rem;border-left:3px solid #8888}`

// HTML formats Markdown as one page that needs nothing from outside and runs nothing. Raw HTML and links in it are
// removed. Goldmark omits raw HTML unless told otherwise, and the policy in the head forbids what might still get
// through.
func HTML(title, markdown string) (string, error) {
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(markdown), &b); err != nil {
		return "", fmt.Errorf("the report as a page: %w", err)
	}
	return `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width,initial-scale=1">` +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
		"<title>" + html.EscapeString(title) + "</title><style>" + style + "</style></head><body>\n" + b.String() + "</body></html>\n", nil
}
