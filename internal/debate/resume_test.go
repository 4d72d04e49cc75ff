package debate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// busy is a seat that looks first, answers in prose, and then as asked. Before it is called again and before its tool
// runs it notes how much of the room is recorded: whoever resumes from there must not pay for what it has answered.
type busy struct {
	player
	seat string
	log  *paid
}

// paid is what was answered, by seat, and the places a process could be killed at.
type paid struct {
	mu       sync.Mutex
	m        *memory
	answered map[string][]string
	points   []point
	asked    map[string]int
}

type point struct {
	nodes    int
	answered []string
	where    string
}

func (p *paid) note(seat, where string) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	p.points = append(p.points, point{len(p.m.nodes), append([]string(nil), p.answered[seat]...), seat + " " + where})
}

func (b busy) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		raw, _ := json.Marshal(req.Messages)
		key := b.seat + string(raw)
		b.log.mu.Lock()
		b.log.asked[key]++
		b.log.note(b.seat, "is called")
		b.log.mu.Unlock()
		end := llm.End{Stop: llm.StopDone, Usage: cost.Usage{Input: 1000, Output: 100, Source: cost.Table, USD: .01}}
		last := req.Messages[len(req.Messages)-1]
		switch {
		case len(req.Messages) == 1 && len(req.Tools) > 0:
			end.Stop, end.Message = llm.StopTools, llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Call{ID: "1", Name: "look", Args: json.RawMessage(fmt.Sprintf(`{"seat": %q}`, b.seat))}}}
		case last.Text() == "":
			end.Message = llm.AssistantText("I would rather say it in words.")
		default:
			text, err := b.plays(ctx, actOf(req.Messages), req.Messages[0].Text())
			if len(req.Messages) > 5 {
				text, err = b.plays(ctx, actOf(req.Messages), last.Text())
			}
			if err != nil {
				yield(llm.Delta{}, err)
				return
			}
			end.Message = llm.AssistantText(text)
		}
		b.log.mu.Lock()
		b.log.answered[b.seat] = append(b.log.answered[b.seat], key)
		b.log.mu.Unlock()
		yield(llm.Delta{End: &end}, nil)
	}
}

// busyTable seats three of them, the first as a program whose copy is looked at after each answer.
func busyTable(m *memory) (*testRoom, *paid) {
	log := &paid{m: m, answered: map[string][]string{}, asked: map[string]int{}}
	tab := newTable(honest("left"), honest("right"), honest("left"))
	tab.frame.Limits.ToolCalls = 5
	for i, s := range tab.seats {
		tab.seats[i].Model = busy{s.Model.(player), s.Info.ID, log}
	}
	tab.seats[0].Wrote = func(context.Context) ([]string, error) {
		log.mu.Lock()
		defer log.mu.Unlock()
		log.note("s1", "is compared")
		return nil, nil
	}
	tab.tools = []tool.Tool{{Spec: llm.Spec{Name: "look"}, Run: func(_ context.Context, args json.RawMessage, _ tool.Env) (tool.Output, error) {
		var who struct{ Seat string }
		if err := json.Unmarshal(args, &who); err != nil {
			return tool.Output{}, err
		}
		log.mu.Lock()
		defer log.mu.Unlock()
		log.note(who.Seat, "looks")
		return tool.Output{Text: "left is true"}, nil
	}}}
	return tab, log
}

// TestNoWholeReplyIsPaidForTwice kills a room wherever a seat has answered and something comes of it, and resumes it.
func TestNoWholeReplyIsPaidForTwice(t *testing.T) {
	var whole memory
	tab, log := busyTable(&whole)
	want := tab.must(t, &whole)
	looked := 0
	for _, p := range log.points {
		if strings.HasSuffix(p.where, "looks") || strings.HasSuffix(p.where, "is compared") {
			looked++
		}
		m := memory{nodes: append([]tree.Node(nil), whole.nodes[:p.nodes]...), texts: whole.texts}
		tab, again := busyTable(&m)
		got := tab.must(t, &m)
		if got.Outcome != want.Outcome || got.Winner != want.Winner {
			t.Errorf("killed as %s, after node %d: %s %s, want %s %s", p.where, p.nodes, got.Outcome, got.Winner, want.Outcome, want.Winner)
		}
		seat, where, _ := strings.Cut(p.where, " ")
		for _, s := range got.Seats {
			if least := s.Usage.Least; s.ID == seat && least != (where == "is called") {
				t.Errorf("killed as %s, after node %d: its cost is a lower bound: %v", p.where, p.nodes, least)
			} else if least != slices.Contains(got.Cost.Unknown, s.ID) {
				t.Errorf("killed as %s, after node %d: %s is not among the unknown ones: %v", p.where, p.nodes, s.ID, got.Cost.Unknown)
			}
		}
		for _, key := range p.answered {
			if again.asked[key] > 0 {
				t.Errorf("killed as %s, after node %d: paid again for the reply to %.200s", p.where, p.nodes, key)
			}
		}
	}
	if looked < 5 {
		t.Errorf("tools ran and copies were compared %d times: this tested little", looked)
	}
	if n := len(exchange.ReplyKind.All(whole.nodes)); n < 6 {
		t.Errorf("%d replies", n)
	}
}

// TestEachLostCallIsBooked kills a room twice while the same seat is called: both calls are booked, and are on the record.
func TestEachLostCallIsBooked(t *testing.T) {
	var whole memory
	tab, log := busyTable(&whole)
	tab.must(t, &whole)
	i := slices.IndexFunc(log.points, func(p point) bool { return p.where == "s2 is called" })
	nodes, kills, lost := whole.nodes[:log.points[i].nodes], 0, 0
	for kills < 3 {
		kills++
		m := memory{nodes: append([]tree.Node(nil), nodes...), texts: whole.texts}
		tab, _ := busyTable(&m)
		tab.must(t, &m)
		for _, r := range exchange.ReplyKind.All(m.nodes) {
			if r.Seat == "s2" && r.Lost.Input > 0 {
				if lost == 0 {
					lost = r.Lost.Input
				}
				if r.Lost.Input != kills*lost {
					t.Errorf("after %d kills %d tokens are booked as lost, one call took %d", kills, r.Lost.Input, lost)
				}
			}
		}
		last := -1
		for i, n := range m.nodes {
			if s, ok := exchange.StepKind.Of(n); ok && s.Anew && n.By == "s2" {
				last = i
			}
		}
		if last < 0 {
			t.Fatalf("after %d kills no lost call is on the record", kills)
		}
		nodes = m.nodes[:last+1]
	}
}
