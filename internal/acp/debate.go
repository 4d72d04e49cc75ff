package acp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/scene"
)

// debate runs a debate, shows each seat as a tool call, and adds the decision to the conversation. The first cancel
// decides it from the replies so far; a second one leaves it to finish by itself.
//
// The debate runs in a process of its own, so that it outlives the editor; what is shown is read from the store. The
// result is added to the conversation only once it is decided.
func (s *session) debate(now *answering, d rooms.Asked) error {
	s.mu.Lock()
	d.Flags = append(s.picked(d.Flags), d.Flags...)
	name, dir := s.env.Tree, s.env.Dir
	s.mu.Unlock()
	room, notes, err := s.Debate(s.ctx, dir, d)
	if err != nil {
		return err
	}
	for _, n := range notes {
		s.notice("warning", n)
	}
	ctx, leave := context.WithCancel(s.ctx)
	defer leave()
	go s.hasten(ctx, now, room, leave)
	t := &table{session: s, Room: scene.NewRoom(), seats: map[string]*shownSeat{}}
	info, err := door.Follow(ctx, s.Engine, room, func(b engine.Batch) bool { return t.take(ctx, b) })
	switch {
	case err != nil:
		return err
	case !info.Ended && ctx.Err() != nil:
		s.say("Debate " + room + " continues in the background: socrates debate show " + room + "\n")
		return nil
	case !info.Ended:
		return fmt.Errorf("debate %s stopped before reaching a decision; resume it: socrates debate resume %s", room, room)
	}
	s.say(decision(t.Result()))
	if err := s.chosen(now, t.Result()); err != nil {
		return err
	}
	_, err = s.Engine.Do(context.WithoutCancel(s.ctx), conversation.Conclude{Tree: name, Room: room})
	return err
}

// hasten makes a debate decide at the first cancel, and leaves it at the second.
func (s *session) hasten(ctx context.Context, now *answering, room string, leave func()) {
	select {
	case <-now.stop:
		s.Engine.Do(context.WithoutCancel(ctx), rooms.Tell{Room: room, Message: people.Message{Verb: people.Answer}})
	case <-ctx.Done():
		return
	}
	select {
	case <-now.kill:
		leave()
	case <-ctx.Done():
	}
}

// decision returns the result of a debate in the same words as everywhere.
func decision(res debate.Result) string {
	return document.Of(res).Short() + "\nFull decision: socrates debate show " + res.Room + "\n"
}

// chosen asks the person for a decision that a debate left open. It asks only if it can be answered here: there are
// options, nobody has ruled yet, and nothing else blocks the decision. If it stays open, the decision says so, and
// the person can rule on it later elsewhere.
func (s *session) chosen(now *answering, res debate.Result) error {
	if !res.Ended || !res.NeedsPerson || res.Ruling != nil || len(res.Blocked) > 0 || len(res.Options) < 2 || now.cancelled() {
		return nil
	}
	call := toolCall{Kind: "tool_call", ID: res.Room + "/choice", Title: "Your call: " + strings.Join(document.Of(res).Call.Reasons, "; "),
		Sort: "think", Status: "pending"}
	s.update(call)
	var ways []way
	for _, o := range res.Options {
		ways = append(ways, way{o.Key, o.Key + ": " + o.Text, "allow_once"})
	}
	ways = append(ways, way{"later", "Leave it open", "reject_once"})
	picked, err := s.permit(now, call, ways)
	end := toolCall{Kind: "tool_call_update", ID: call.ID, Status: "completed"}
	defer func() { s.update(end) }()
	if err != nil || picked == "later" { // it stays open, and the decision says so
		return nil
	}
	ctx := context.WithoutCancel(s.ctx)
	message := people.Message{Verb: people.Choose, Option: picked, Text: "chosen in the editor"}
	root, err := s.Engine.Do(ctx, rooms.Tell{Room: res.Room, Message: message})
	if err == nil {
		err = s.Engine.Wait(root)
	}
	if err != nil {
		end.Status = "failed"
		return err
	}
	if res, err = rooms.In(s.Engine).Result(ctx, root); err == nil {
		s.say("\n" + decision(res))
	}
	return err
}

// table is a debate as shown to an editor.
type table struct {
	*session
	*scene.Room
	seats  map[string]*shownSeat
	lines  int
	stages []string
}

// shownSeat is what the editor knows of a seat.
type shownSeat struct {
	status, text string
	at           time.Time
}

// pace is how often the growing text of a seat is shown.
const pace = time.Second

// take applies news; it reports whether the debate is over. A check is reported as a call of its own, so its line is
// left out of the room's text.
func (t *table) take(ctx context.Context, b engine.Batch) (over bool) {
	for _, n := range b.Nodes {
		if c, ok := t.Node(n).(verdict.Check); ok {
			t.check(c)
		}
		t.stage()
	}
	t.Growing(b.Growing)
	texts := map[string]string{}
	for _, hash := range t.Wanted() {
		if text, err := t.Engine.Text(ctx, hash); err == nil { // a damaged text is left out; doctor reports it
			texts[hash] = text
		}
	}
	t.Texts(texts)
	for _, s := range t.Seats {
		t.seat(s)
	}
	for _, l := range t.Lines[t.lines:] {
		if l.Who == "" && !strings.HasPrefix(l.Text, "check ") {
			t.think(l.Text)
		}
	}
	t.lines = len(t.Lines)
	return t.End != nil
}

// stage reports the plan: past stages, the current one, and the decision to come. The number of stages is unknown in
// advance, so the plan grows with them.
func (t *table) stage() {
	now := t.Stage
	if t.End != nil || t.Decided != "" {
		now = "decision"
	}
	if len(t.Seats) == 0 || len(t.Seats[0].Turns) == 0 && t.End == nil { // it begins
		return
	}
	n := len(t.stages)
	known := n > 0 && now == t.stages[n-1]
	if now == "" || known && t.End == nil {
		return
	}
	if !known {
		t.stages = append(t.stages, now)
	}
	u := planUpdate{Kind: "plan"}
	for i, one := range t.stages {
		status := "completed"
		if i == len(t.stages)-1 && t.End == nil {
			status = "in_progress"
		}
		u.Entries = append(u.Entries, planEntry{one, "medium", status})
	}
	if now != "decision" {
		u.Entries = append(u.Entries, planEntry{"decision", "high", "pending"})
	}
	t.update(u)
}

// check reports a check as a call.
func (t *table) check(c verdict.Check) {
	status := map[bool]string{true: "failed", false: "completed"}[c.Result == verdict.Fail]
	sort := map[string]string{"command": "execute", "source": "fetch", "quote": "read"}[c.Kind]
	if sort == "" {
		sort = "think"
	}
	u := toolCall{Kind: "tool_call", ID: t.Frame.Room + "/" + c.ID, Sort: sort, Status: status,
		Title: fmt.Sprintf("check %s: %s of claim %s, %s", c.ID, c.Kind, c.Claim, c.Result)}
	if c.Detail != "" {
		u.Content = []toolContent{words(c.Detail)}
	}
	t.update(u)
}

// seat reports what is new of a seat. Its status is sent at once, its growing text at intervals, and each time in
// full: an update replaces the one before.
func (t *table) seat(s *scene.Seat) {
	known := t.seats[s.Info.ID]
	status := t.statusOf(s)
	text, whole := t.transcript(s)
	u := toolCall{Kind: "tool_call_update", ID: t.Frame.Room + "/" + s.Info.ID, Status: status}
	switch {
	case known == nil:
		known = &shownSeat{}
		t.seats[s.Info.ID] = known
		u.Kind, u.Title, u.Sort = "tool_call", s.Info.Title()+" · "+s.Info.Lineage, "think"
	case known.status == status && (known.text == text || !whole && time.Since(known.at) < pace):
		return
	}
	if text != known.text {
		u.Content = []toolContent{words(text)}
	}
	known.status, known.text, known.at = status, text, time.Now()
	t.update(u)
}

// statusOf returns the status of a seat, in the protocol's words. A seat that lost its last turn has failed until it
// is asked again.
func (t *table) statusOf(s *scene.Seat) string {
	failed := s.Out || len(s.Turns) > 0 && lost(s.Turns[len(s.Turns)-1])
	switch {
	case s.Busy && t.End == nil:
		return "in_progress"
	case failed:
		return "failed"
	case t.End != nil:
		return "completed"
	case len(s.Turns) == 0:
		return "pending"
	}
	return "in_progress" // it may be asked again
}

// lost reports whether a seat did not answer.
func lost(turn *scene.Turn) bool {
	return turn.Reply != nil && turn.Reply.State != exchange.Answered && turn.Reply.State != exchange.NotAsked
}

// transcript returns all texts of a seat, stage by stage; whole reports that none of them grows.
func (t *table) transcript(s *scene.Seat) (text string, whole bool) {
	var parts []string
	whole = true
	for _, turn := range s.Turns {
		said := strings.TrimSpace(t.Read(turn))
		if turn.Reply == nil {
			whole = false
		} else if lost(turn) {
			said = strings.TrimSpace(said + "\n\n" + s.State + " " + s.Note)
		}
		if said != "" {
			parts = append(parts, "**"+scene.Stage(turn.Asked)+"**\n\n"+said)
		}
	}
	return strings.Join(parts, "\n\n"), whole
}
