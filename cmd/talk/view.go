package talk

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// chatView shows a turn of a conversation as it runs. It only appends, except for one live line on a terminal that
// can redraw it. It belongs to the loop of the chat. Snapshots may arrive after their text has ended; over and ended
// tell those apart.
type chatView struct {
	a     *Talk
	live  bool
	color bool
	plain bool // a person hears or sees lines, and none is redrawn
	flow  *out.Flow
	state string // the text of the live line
	asked string // the change shown in a question, not to be shown again
	ended string // the last text that was shown completely
	over  bool   // the turn has ended; later snapshots are ignored
	ran   string // the call that the last line is about
	run   *scene.Run
	told  map[string]bool // notes that were shown
	known tree.ID         // a node that a command has already reported
	cache scene.Cache     // cache use of the calls so far
}

// begin starts showing a turn, which run folds.
func (v *chatView) begin(run *scene.Run) {
	v.flow, v.run, v.ran, v.state, v.ended, v.over = nil, run, "", "", "", false
}

// put writes one of our own lines.
func (v *chatView) put(code, text string) {
	v.clear()
	v.a.Out.Err.Raw(v.paint(code, v.a.Out.Clean(strings.TrimRight(text, "\n"))) + "\n")
}

// aside writes a line about progress.
func (v *chatView) aside(text string) {
	if !v.a.Out.Quiet {
		v.put("2", text)
	}
}

// paint colours a text if colours are on.
func (v *chatView) paint(code, text string) string {
	if !v.color || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// clear removes the live line.
func (v *chatView) clear() {
	if v.state != "" && v.live {
		v.a.Out.Err.Raw("\r\x1b[K")
	}
	v.state = ""
}

// pause makes room for the line being typed.
func (v *chatView) pause() {
	if v.clear(); v.flow != nil {
		v.flow.Pause()
	}
}

// snapshot shows growing text, or the current activity.
func (v *chatView) snapshot(s feed.Snapshot) {
	if v.over {
		return
	}
	switch s.State {
	case "writing", "calling":
		if v.flow == nil && strings.HasPrefix(v.ended, s.Text) { // of text that has ended, or nothing new
			break
		}
		if s.Text != "" {
			v.clear()
			v.grown().Grow(s.Text)
		}
	}
	if v.flow != nil && s.State == "writing" { // the growing text already shows activity
		return
	}
	state := s.State + "…"
	if s.Note != "" {
		state = s.State + " " + s.Note + waits(s)
	}
	v.status(out.Clip(clean.Line(state), max(20, out.Columns(os.Stderr)-3)))
}

// waits formats the remaining time of a wait.
func waits(s feed.Snapshot) string {
	left := time.Until(s.Until).Round(time.Second)
	if s.Until.IsZero() || left <= 0 {
		return ""
	}
	return "; retrying in " + left.String()
}

// status shows the current activity if nothing else does.
func (v *chatView) status(state string) {
	if state == v.state {
		return
	}
	switch {
	case v.live && (v.flow == nil || !v.flow.Open()):
		v.clear()
		v.a.Out.Err.Raw(v.paint("2", v.a.Out.Clean(state)))
		v.state = state
	case v.plain && strings.HasPrefix(state, "running ") && strings.Count(state, " ") > 1 && state != v.ran:
		v.put("", state)
		v.ran = state
	}
}

// grown returns the growing text, and begins one if there is none.
func (v *chatView) grown() *out.Flow {
	if v.flow == nil {
		v.flow = v.a.Out.NewFlow()
	}
	return v.flow
}

// finish completes the growing text. The final text may differ from what grew, for example if a vendor corrects
// itself; Flow.End then writes the rest of it.
func (v *chatView) finish(text string) {
	v.clear()
	if strings.TrimSpace(text) != "" || v.flow != nil {
		v.grown().End(text)
	}
	v.flow, v.ended = nil, text
}

// node shows a recorded node. Most kinds show nothing, because they were shown as they grew.
func (v *chatView) node(n tree.Node, body any) {
	switch b := body.(type) {
	case talk.Brief:
		for _, note := range b.Notes {
			if !v.told[note] {
				v.clear()
				v.a.Out.Warn(note)
			}
			v.told[note] = true
		}
	case talk.Exchange:
		v.finish(b.Said())
		v.fell(b.Usage)
		v.shows(b.Shows)
	case material.Handle:
		if b.Held {
			v.aside(fmt.Sprintf("  + %s (%d bytes)", b.Name(), len(b.Face)))
		} else {
			v.finish(b.Face)
		}
	case talk.Said:
		if b.Interjection != "" {
			v.aside("  · read: " + out.Clip(clean.Line(b.Text), 60))
		}
	case memory.Recalled:
		v.aside("  · from memory: " + clean.Line(b.Show))
	case margin.Snap:
		if b.Why == "restored" && n.ID != v.known {
			v.aside("  · " + strings.ReplaceAll(strings.TrimSpace(told.Brought(b, "/redo")), "\n", "\n    "))
		}
	case material.Summary:
		v.aside("  · the conversation so far was compacted (the full history is kept)")
	case talk.Reply:
		v.reply(b)
	}
}

// mostDiff is how many lines of a change are shown. The tree has the whole change.
const mostDiff = 60

// shows prints calls with their changes, unless the person has just approved that very change.
func (v *chatView) shows(all []talk.Show) {
	if v.a.Out.Quiet {
		return
	}
	for _, s := range all {
		mark, code := "·", "2"
		if s.Failed {
			mark, code = "✗", "31"
		}
		v.put(code, out.Fit(os.Stderr, "  "+mark+" "+clean.Line(s.Line)+"\n", "    "))
		if s.Diff != "" && s.Diff != v.asked {
			v.diff(s.Diff)
		}
	}
}

// diff prints the beginning of a change.
func (v *chatView) diff(diff string) {
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	for _, l := range lines[:min(len(lines), mostDiff)] {
		code := ""
		switch {
		case strings.HasPrefix(l, "+"):
			code = "32"
		case strings.HasPrefix(l, "-"):
			code = "31"
		case strings.HasPrefix(l, "@"):
			code = "36"
		}
		v.put(code, "    "+l)
	}
	if more := len(lines) - mostDiff; more > 0 {
		v.put("2", fmt.Sprintf("    … %d more lines", more))
	}
}

// fell warns when the vendor's cache stops making calls cheaper.
func (v *chatView) fell(u cost.Usage) {
	if why := v.cache.Fell(u); why != "" {
		v.clear()
		v.a.Out.Warn(why)
	}
}

// reply ends a turn: it shows the last text, any failure, and the cost.
func (v *chatView) reply(r talk.Reply) {
	v.over = true
	v.finish(r.Message.Text())
	v.fell(r.Usage)
	if r.State != talk.Done {
		v.put("33", "["+string(r.State)+": "+r.Reason+"]")
	}
	used := v.run.Usage()
	line := ""
	if took := time.Duration(r.MS) * time.Millisecond; took >= time.Second/10 {
		line = out.Seconds(took)
	}
	if used != (cost.Usage{}) {
		in, cached := used.Input+used.CacheRead+used.CacheWrite, ""
		if used.CacheRead > 0 {
			cached = fmt.Sprintf(" (%d %% cached)", used.CacheRead*100/in)
		}
		line = strings.TrimSuffix(fmt.Sprintf("%d tokens in%s, %d out · %s · %s", in, cached, used.Output, used.Money(), line), " · ")
	}
	if line != "" {
		v.aside(line)
	}
}
