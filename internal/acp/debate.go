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

// debate has a panel decide, shows each seat as a call of a tool, and brings the decision into the conversation. A cancel has it decide
// from what was answered; a second one leaves it to finish by itself.
//
// The debate runs in a process of its own, so that it outlives the editor; what is shown is read from the store.
// The conversation hears of its outcome only once it is decided.
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

// hasten has a debate decide at the first cancel, and leaves it at the second.
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

// decision is what a debate came to, in the words of every other door.
func decision(res debate.Result) string {
	return document.Of(res).Short() + "\nFull decision: socrates debate show " + res.Room + "\n"
}

// chosen has the person decide what a debate left to one. It asks only where that can be answered here: something
// to choose from, nobody has ruled yet, and nothing else blocks the decision. What is left open stays a decision
// that names it, and can be ruled on later by any other door.
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

// table is a debate as an editor is shown it.
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

// take takes in what is new; it says whether the debate is over. A check is told as a call of its own, so that its
// line is left out of what the room says.
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
		if text, err := t.Engine.Text(ctx, hash); err == nil { // what is damaged is left out, and doctor tells it
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

// stage tells the plan: what is behind, what goes on, and that a decision comes. How many stages there will be is
// not known ahead, so that the plan grows with them.
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

// check tells a check as a call.
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

// seat tells what is new of a seat. Its status is told at once, its growing text once in a while, and each time as
// a whole: an update takes the place of the one before.
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

// statusOf is where a seat stands, in the protocol's words. A seat that lost its last turn has failed for as long
// as nobody asks it again.
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

// lost says whether a seat did not answer.
func lost(turn *scene.Turn) bool {
	return turn.Reply != nil && turn.Reply.State != exchange.Answered && turn.Reply.State != exchange.NotAsked
}

// transcript is all that a seat said, stage by stage; whole says that nothing of it grows.
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
