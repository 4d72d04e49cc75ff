package chatpage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// watch is the state of background commands. While one runs and is visible, the screen is redrawn every
// watchTime.
type watch struct {
	rows []jobRow
	due  time.Time // when to refresh the rows
	runs bool
}

// jobRow is a background command as last read.
type jobRow struct {
	tool.Job
	tail, state string
	runs        bool
}

const watchTime = time.Second / 2

// look reads the background commands, at most every watchTime unless another one began.
func (sd *side) look() []jobRow {
	w := &sd.watch
	all := turns.In(sd.p.d.Engine).Jobs(sd.p.scene.Tree.Root)
	now := time.Now()
	if len(all) == len(w.rows) && (!w.runs || now.Before(w.due)) {
		return w.rows
	}
	w.rows, w.runs, w.due = nil, false, now.Add(watchTime)
	for _, j := range all {
		r := jobRow{Job: j}
		r.tail, r.state, r.runs = j.Look()
		w.runs = w.runs || r.runs
		w.rows = append(w.rows, r)
	}
	if w.runs {
		sd.p.d.Again(watchTime)
	}
	return w.rows
}

// mostEnded is how many ended commands are shown beside the running ones.
const mostEnded = 3

// jobs returns the running background commands, each with its newest line, and the latest ended ones.
func (sd *side) jobs(w int) (out []sideLine) {
	rows := sd.look()
	for i, r := range rows {
		if !r.runs && i < len(rows)-mostEnded {
			continue
		}
		l := sideLine{text: line.Clip(fmt.Sprintf("%d %s", r.ID, line.One(sd.p.d.Clean(r.Command))), w),
			open: func() tea.Cmd { return sd.openJob(r.ID) }}
		last := r.state
		if r.runs {
			l.drop = func() tea.Cmd { return sd.endJob(r.Job) }
			if said := strings.TrimSpace(r.tail); said != "" {
				last = said[strings.LastIndexByte(said, '\n')+1:]
			}
		}
		out = append(out, l, sideLine{text: sd.p.d.Theme.Dim.On(line.Clip("  "+line.One(sd.p.d.Clean(last)), w))})
	}
	return out
}

// typed executes /jobs and /jobs N if they can be drawn live; false: they are answered as everywhere.
func (sd *side) typed(name, args string) (tea.Cmd, bool) {
	rows := sd.look()
	id, err := strconv.Atoi(args)
	known := slices.ContainsFunc(rows, func(r jobRow) bool { return r.ID == id })
	if name != "jobs" || len(rows) == 0 || sd.p.d.Plain || args != "" && (err != nil || !known) {
		return nil, false
	}
	return sd.openJob(id), true
}

// openJob shows the output of a command as it arrives; 0: of all.
func (sd *side) openJob(id int) tea.Cmd {
	title, most := fmt.Sprintf("Background job %d", id), max(1, sd.p.d.Height-10)
	if id == 0 {
		title, most = "Background jobs", 3
	}
	dialog.Panel(sd.p.d, title, func(w int) (out []string) {
		for _, r := range sd.look() {
			if id != 0 && r.ID != id {
				continue
			}
			head := fmt.Sprintf("%d %s: %s", r.ID, r.state, line.One(sd.p.d.Clean(r.Command)))
			out = append(out, line.Inked(theme.Bold, line.Wrap(head, w))...)
			for _, l := range newest(r.tail, most) {
				out = append(out, line.Clip(line.One(sd.p.d.Clean(l)), w))
			}
		}
		return out
	}).Whole = true
	return nil
}

// newest returns the last lines of a text.
func newest(text string, most int) []string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return all[max(0, len(all)-most):]
}

// endJob stops a command in the background, because stopping waits for it.
func (sd *side) endJob(j tool.Job) tea.Cmd {
	return sd.p.d.Away(func(context.Context) func() tea.Cmd {
		j.End()
		return func() tea.Cmd { sd.watch.due = time.Time{}; return nil }
	})
}

// grants returns what the person allowed for the session, each of which can be revoked.
func (sd *side) grants(w int) (out []sideLine) {
	for _, g := range turns.In(sd.p.d.Engine).SessionGrants(sd.p.scene.Tree.Root) {
		text := line.One(sd.p.d.Clean(g.Tool + " " + g.Text))
		out = append(out, sideLine{text: line.Clip(g.ID+" "+text, w),
			open: func() tea.Cmd {
				dialog.Panel(sd.p.d, "Allowed this session", func(w int) []string {
					return line.Wrap(text+", since "+g.Given.Local().Format("15:04")+". Revoke: x, or /permission revoke "+g.ID, w)
				})
				return nil
			},
			drop: func() tea.Cmd {
				if _, err := sd.p.d.Engine.Do(sd.p.d.Ctx, turns.Revoke{Tree: sd.p.env.Tree, IDs: []string{g.ID}}); err != nil {
					sd.p.d.Fail(err)
				} else {
					sd.p.d.Tell("revoked: " + text)
				}
				return nil
			}})
	}
	return out
}
