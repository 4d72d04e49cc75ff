package roompage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// standing is the state of a debate.
type standing struct {
	d      *screen.Screen
	scene  *scene.Room
	held   bool      // it ran here, and its end is not confirmed yet
	theirs bool      // another process runs it
	from   time.Time // it was first seen to run here then
	// against are earlier decisions that rejected this one.
	against []rooms.Earlier
}

// running reports whether the debate runs, in this process or in another.
func (st *standing) running() bool {
	return st.scene.Root != "" && st.scene.End == nil && (st.theirs || st.held || st.d.Engine.Running(st.scene.Root))
}

// beat redraws the times of a running debate each second, even without news.
func (p *Page) beat() tea.Cmd {
	if !p.running() {
		p.from = time.Time{}
	}
	if p.beating || !p.running() || p.d.Plain { // a clock would be read aloud again and again
		return nil
	}
	if p.beating = true; p.from.IsZero() && !p.theirs {
		p.from = time.Now()
	}
	return tea.Tick(time.Second, func(time.Time) tea.Msg {
		return screen.Update(func() tea.Cmd { p.beating = false; return p.beat() })
	})
}

// Parts returns the debate's parts of the status line: the activity and the usage so far.
func (p *Page) Parts() []screen.Part {
	if p.scene.Root == "" {
		return nil
	}
	stage, now := p.now()
	tokens, money := p.spent()
	clean := func(s string) string { return line.One(p.d.Clean(s)) }
	return []screen.Part{{Text: clean(stage), Rank: 1}, {Text: clean(now)}, {Text: tokens, Rank: 2, Right: true},
		{Text: money, Right: true}}
}

// now returns the current activity: the stage, and the seats it waits for.
func (st *standing) now() (stage, waits string) {
	s, busy := st.scene, st.busy()
	switch {
	case s.End != nil:
		return "", st.came()
	case !st.running():
		return "", "stopped (" + s.Stage + "); resume with: /resume"
	case s.Need != nil:
		return "", "? waiting for you"
	case s.Paused && len(busy) > 0:
		return "paused", "still running: " + st.waits(busy)
	case s.Paused:
		return "", "paused: no seat is asked until you resume"
	}
	stage = s.Stage
	if st.theirs {
		stage = "in another process: " + stage
	}
	if len(busy) == 0 {
		return "", line.Sign(st.d.Theme, "● ", "") + stage
	}
	waits = "waiting for " + st.waits(busy)
	if in, asked := st.round(); asked > 1 {
		waits = fmt.Sprintf("%d of %d answered, %s", in, asked, waits)
	}
	return line.Sign(st.d.Theme, "● ", "") + stage, waits
}

// came returns the result of an ended debate.
func (st *standing) came() string {
	e := st.scene.End
	word := e.Outcome.Words(e.Blocked)
	if st.scene.Frame.Rehearsal {
		word = "rehearsal"
	}
	if !e.Outcome.Decision() {
		return word
	}
	return word + ": " + e.Winner
}

// busy returns the seats that are answering, the longest first.
func (st *standing) busy() (out []*scene.Seat) {
	for _, s := range st.scene.Seats {
		if s.Busy {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scene.Seat) int { return a.Since.Compare(b.Since) })
	return out
}

// waits lists the seats that are answering, with their times.
func (st *standing) waits(busy []*scene.Seat) string {
	var names []string
	for _, s := range busy[:min(2, len(busy))] {
		name := s.Info.ID
		if !st.d.Plain { // a clock would be read aloud again and again
			name += fmt.Sprintf(" %d s", int(st.asked(s).Seconds()))
		}
		names = append(names, name)
	}
	if n := len(busy) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// asked returns how long a seat has been answering: since it was asked, or asked again on resume.
func (st *standing) asked(s *scene.Seat) time.Duration {
	if s.Since.Before(st.from) {
		return time.Since(st.from)
	}
	return time.Since(s.Since)
}

// round counts the seats that were asked the same as in the newest question, and those that have answered; none
// while evidence is checked, when one question follows from another and their number is unknown.
func (st *standing) round() (in, asked int) {
	var last exchange.Asked
	var at time.Time
	for _, s := range st.scene.Seats {
		if n := len(s.Turns); n > 0 && !s.Turns[n-1].At.Before(at) {
			last, at = s.Turns[n-1].Asked, s.Turns[n-1].At
		}
	}
	if last.Act == exchange.Verify {
		return 0, 0
	}
	for _, s := range st.scene.Seats {
		for _, t := range s.Turns {
			if t.Asked.Act == last.Act && t.Asked.Round == last.Round {
				asked++
				if t.Reply != nil {
					in++
				}
			}
		}
	}
	return in, asked
}

// spent returns the usage so far, and its limit.
func (st *standing) spent() (tokens, money string) {
	var u cost.Usage
	for _, s := range st.scene.Seats {
		u = u.Add(s.Usage)
	}
	n, limits := u.Total(), st.scene.Frame.Limits
	if st.scene.Frame.Rehearsal { // rules use no tokens
		return "", "free"
	}
	if n == 0 && limits.USD == 0 && limits.Tokens == 0 {
		return "", ""
	}
	if n > 0 {
		tokens, money = line.Count(n)+" tokens", u.Money()
	}
	if limits.Tokens > 0 {
		tokens = line.Count(n) + " of " + line.Count(limits.Tokens) + " tokens"
	}
	if limits.USD > 0 && u.Source != cost.Free {
		if n == 0 {
			money = "$0"
		}
		money += fmt.Sprintf(" of $%.2f", limits.USD)
	}
	return tokens, money
}

// stands describes the progress, short and long.
func (st *standing) stands() []string {
	if st.scene.Root == "" {
		return nil
	}
	short := line.Took(st.elapsed())
	if st.d.Plain && st.running() {
		return []string{st.scene.Stage}
	}
	long := st.scene.Stage + " · " + short
	if limit := st.scene.Frame.Limits.Timeout; limit > 0 && st.running() {
		return []string{long + " of " + line.Took(limit), long, short}
	}
	return []string{long, short}
}

// hints returns the two or three most useful actions now.
func (p *Page) hints() []string {
	key := p.d.Keys.Key
	next := key("debate-next") + " " + string(p.shown.after(1))
	s := p.scene
	switch {
	case p.gone != "":
		return []string{key("seats") + " chooses the next panel", key("tab-close") + " closes this tab"}
	case p.asks:
		return []string{"Ask the panel a question", key("seats") + " chooses the panel"}
	case s.Root == "":
		return []string{"the debate is starting"}
	case s.End != nil && s.Frame.Rehearsal && s.End.Outcome.Decision():
		return []string{key("seats") + " chooses models (/login connects them)", next, "type another question for these seats"}
	case s.End != nil && s.End.Outcome.Decision() && s.Result().NeedsPerson && s.Result().Ruling == nil:
		return []string{"/confirm or /overrule OPTION", key("debate-execute") + " plan", next, "type another question for these seats"}
	case s.End != nil && s.End.Outcome.Decision():
		return []string{key("debate-execute") + " plan", next, "type another question for these seats"}
	case s.End != nil && p.canChoose():
		return []string{"you can still decide: " + p.letters() + " and Enter", next}
	case s.End != nil:
		return []string{next, "type another question for these seats"}
	case !p.running():
		return []string{"/resume continues", "messages are delivered then"}
	case s.Need != nil && len(s.Need.Options) > 0:
		return []string{"decide with a letter and Enter", "/go leave it open", next}
	case s.Need != nil:
		return []string{"answer here", "/go continues without an answer"}
	case s.Paused:
		return []string{key("debate-pause") + " resumes", "tell the seats something first", "/add, /drop"}
	}
	return []string{"tell the seats something", key("debate-pause") + " pauses", key("debate-answer") + " decides now", "/help"}
}

// oneFamily reports whether models of one family debate: their decision waits for a person.
func (st *standing) oneFamily() bool {
	f := st.scene.Frame
	families := map[string]bool{}
	for _, s := range f.Seats {
		families[s.Lineage] = true
	}
	return !f.Rehearsal && len(f.Seats) > 1 && len(families) == 1
}

// pending returns the messages that the debate has not applied yet; empty: none.
func (st *standing) pending() string {
	var out []string
	for _, w := range st.scene.Pending() {
		form := w.Verb
		for _, part := range []string{w.Seat, w.Spec, strings.ToUpper(w.Claim), w.Option} {
			if part != "" {
				form += " " + part
			}
		}
		if w.Limit > 0 {
			form += " " + line.Took(w.Limit)
		}
		if text := w.Gist(); text != "" {
			if w.Verb == people.Say {
				form = ""
			}
			form = strings.TrimSpace(form + " “" + text + "”")
		}
		out = append(out, form)
	}
	if len(out) == 0 {
		return ""
	}
	when := "delivered at the next step: "
	if !st.running() {
		when = "delivered when the debate resumes: "
	}
	return line.One(st.d.Clean(when + strings.Join(out, ", ")))
}

// canChoose reports whether a person's choice would decide the debate, even after its end.
func (st *standing) canChoose() bool {
	e := st.scene.End
	return len(st.scene.Options()) > 0 && (e == nil || !e.Outcome.Decision() && st.scene.Result().Ruling == nil &&
		len(st.scene.Result().Blocked) == 0)
}

func (st *standing) letters() string {
	var keys []string
	for _, o := range st.scene.Options() {
		keys = append(keys, o.Key)
	}
	return strings.Join(keys, " or ")
}

func (st *standing) elapsed() time.Duration {
	if e := st.scene.End; e != nil {
		return time.Duration(e.MS) * time.Millisecond
	}
	if st.running() {
		return st.scene.Clock.By(time.Now(), st.from)
	}
	return st.scene.Clock.Took()
}

// ink returns the colour of a lineage in this panel.
func (st *standing) ink(lineage string) theme.Ink {
	var table []string
	for _, s := range st.scene.Seats {
		table = append(table, s.Info.Lineage)
	}
	return st.d.Theme.Seat(lineage, table)
}

// voted reports whether a seat has answered anything.
func (st *standing) voted() bool {
	return slices.ContainsFunc(st.scene.Seats, func(s *scene.Seat) bool {
		return slices.ContainsFunc(s.Turns, func(t *scene.Turn) bool { return t.Reply != nil && t.Reply.State == exchange.Answered })
	})
}
