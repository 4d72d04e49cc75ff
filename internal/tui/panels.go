package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// moreActions returns those that open a dialog, in every scope.
func moreActions() []Action {
	return append([]Action{
		{Name: "history", Doc: "History", Like: "sessions resume search find continue", Keys: []string{"alt+h"}, Also: "/history, /search",
			Do: func(d *Desk) tea.Cmd { return d.sessions("") }},
		{Name: "typed", Doc: "Search input history", Keys: []string{"ctrl+r"}, Do: (*Desk).typed},
		{Name: "models", Doc: "Choose the model (of a debate: its panel)", Keys: []string{"f4"}, Also: "/models",
			Do: func(d *Desk) tea.Cmd { return d.people.Models() }},
		{Name: "seats", Doc: "Choose the panel", Keys: []string{"alt+s"}, Also: "/seats",
			Do: func(d *Desk) tea.Cmd { return d.people.PickSeats() }},
		{Name: "tour", Doc: "Take the tour", Like: "offline demo", Also: "socrates demo",
			Do: func(d *Desk) tea.Cmd { return d.people.Tour() }},
		{Name: "rehearsal", Doc: "Watch a rehearsal debate", Like: "offline", Also: "socrates debate --seat rehearsal",
			Do: func(d *Desk) tea.Cmd { return d.pages.rehearsal("") }},
		{Name: "settings", Doc: "Settings", Like: "preferences configuration config options", Also: "/settings",
			Do: func(d *Desk) tea.Cmd { return d.settings() }},
		{Name: "login", Doc: "Providers and sign-in", Like: "api key account provider", Also: "/login",
			Do: func(d *Desk) tea.Cmd { return d.people.Setup() }},
		{Name: "rename", Doc: "Rename conversation", Also: "/rename TITLE",
			Do: func(d *Desk) tea.Cmd { cmd, _ := d.commands.renaming(""); return cmd }},
		{Name: "changes", Doc: "Changed files (diff)", Like: "diff changes patch git", Keys: []string{"f5"}, Also: "/changes, /diff",
			Do: func(d *Desk) tea.Cmd { return d.pages.changes() }},
		{Name: "spent", Doc: "Cost by model and by tab", Like: "spent price money dollars tokens usage", Keys: []string{"f6"},
			Also: "/spent, /cost",
			Do:   func(d *Desk) tea.Cmd { return d.pages.spent() }},
		{Name: "export", Doc: "Export", Like: "save share markdown html", Also: "/export [FILE]",
			Do: func(d *Desk) tea.Cmd { return d.commands.exportHere() }},
		{Name: "compare", Doc: "Compare two answers", Keys: []string{"alt+c"}, Also: "/compare",
			Do: func(d *Desk) tea.Cmd { return d.pages.compare() }},
		{Name: "log", Doc: "Log", Keys: []string{"alt+l"}, Also: "/log", Do: (*Desk).logPanel},
	}, themeActions()...)
}

// logPanel shows the program's messages, the newest last.
func (d *Desk) logPanel() tea.Cmd {
	all := slices.Clone(d.Log)
	dialog.Panel(d.Screen, "Log", func(w int) (out []string) {
		for _, l := range all {
			ink := theme.Ink("")
			if l.Bad {
				ink = d.Theme.Bad
			}
			for i, text := range line.Wrap(l.Text, max(8, w-10)) {
				stamp := "        "
				if i == 0 {
					stamp = l.At.Local().Format("15:04:05")
				}
				out = append(out, d.Theme.Dim.On(stamp)+"  "+ink.On(text))
			}
		}
		if len(all) == 0 {
			out = []string{d.Theme.Dim.On("nothing yet")}
		}
		return out
	}).Scroll = 1 << 20
	return nil
}

// spent shows the cost of the open tabs, by model and by tab.
func (pg *pages) spent() tea.Cmd {
	type row struct {
		name  string
		calls int
		usage cost.Usage
	}
	var models, tabs []row
	add := func(rows []row, r row) []row {
		if i := slices.IndexFunc(rows, func(o row) bool { return o.name == r.name }); i >= 0 {
			rows[i].calls, rows[i].usage = rows[i].calls+r.calls, rows[i].usage.Add(r.usage)
			return rows
		}
		return append(rows, r)
	}
	for i, t := range pg.d.tabs {
		of := row{name: fmt.Sprintf("%d %s", i+1, t.Title())}
		for _, s := range t.State().Spent {
			models = add(models, row{s.Model, s.Calls, s.Usage})
			of.calls, of.usage = of.calls+s.Calls, of.usage.Add(s.Usage)
		}
		if of.calls > 0 {
			tabs = append(tabs, of)
		}
	}
	dialog.Panel(pg.d.Screen, "Cost of open tabs", func(w int) (out []string) {
		table := func(title string, rows []row) {
			out = append(out, theme.Bold.On(line.Pad(title, max(12, w-46))+"  calls      in     out             cost"))
			var all cost.Usage
			calls := 0
			line := func(name string, calls int, u cost.Usage) string {
				return line.Pad(line.Clip(line.One(pg.d.Clean(name)), max(12, w-46)), max(12, w-46)) +
					fmt.Sprintf("  %5d %7s %7s %16s", calls, line.Count(u.Input+u.CacheRead+u.CacheWrite), line.Count(u.Output),
						u.Money())
			}
			for _, r := range rows {
				out = append(out, line(r.name, r.calls, r.usage))
				calls, all = calls+r.calls, all.Add(r.usage)
			}
			if len(rows) > 1 {
				out = append(out, pg.d.Theme.Dim.On(line("total", calls, all)))
			}
		}
		if len(tabs) == 0 {
			return []string{pg.d.Theme.Dim.On("nothing yet")}
		}
		table("by model", models)
		out = append(out, "")
		table("by tab", tabs)
		return append(out, "", pg.d.Theme.Dim.On(line.Clip("For closed tabs: /cost in the conversation, or "+
			"socrates debate show.", w)))
	})
	return nil
}
