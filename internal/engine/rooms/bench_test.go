package rooms_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// BenchmarkDebate runs three rounds of 32 seats that each take 200 ms: blind, and two cross-examinations. The metric
// x/slowest is the time of the whole against the sum of the slowest seat of each round as recorded, x/nominal against
// three times 200 ms.
func BenchmarkDebate(b *testing.B) {
	const seats, each = 32, 200 * time.Millisecond
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the program does: internal/heap
	h := newHall(b, filepath.Join(b.TempDir(), "s.db"), func(ctx context.Context, _ string) error {
		select {
		case <-time.After(each):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	op := question()
	op.Frame.Limits.Rounds = 2
	for i := range seats {
		op.Frame.Seats = append(op.Frame.Seats, table.Seat{ID: fmt.Sprintf("s%d", i), Spec: fmt.Sprintf("%s %d", []string{"left", "right"}[i%2], i),
			Model: "m", Lineage: fmt.Sprintf("l%d", i)})
	}
	var slowest, nominal time.Duration
	for b.Loop() {
		root := h.do(b, op)
		if err := h.Wait(root); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		rounds := map[string]int64{}
		for _, r := range exchange.ReplyKind.All(h.nodes(b, root)) {
			if r.State != exchange.Answered {
				b.Fatalf("%+v", r)
			}
			rounds[r.Key[:7]] = max(rounds[r.Key[:7]], r.MS)
		}
		if len(rounds) != 3 {
			b.Fatalf("rounds %v", rounds)
		}
		for _, ms := range rounds {
			slowest += time.Duration(ms) * time.Millisecond
		}
		nominal += 3 * each
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(slowest), "x/slowest")
	b.ReportMetric(float64(b.Elapsed())/float64(nominal), "x/nominal")
}

// BenchmarkDecisions looks things up among 1,000 decisions of one project: as a debate does before its start, as
// `socrates decisions list` and `search` do, and once for a store in which nothing can be found yet.
func BenchmarkDecisions(b *testing.B) {
	const total = 1000
	path := filepath.Join(b.TempDir(), "s.db")
	h := newHall(b, path, nil)
	model := h.nodes(b, h.roomRoot(b, h.decide(b, asked("Where should sessions live: Redis or Postgres?", "/p", "Redis", "Redis", "Postgres"))))
	things := []string{"sessions", "carts", "logs", "queues", "metrics", "mails", "images", "users", "orders", "tokens", "pages", "drafts", "flags"}
	for i := range total {
		question := fmt.Sprintf("Where should the %s of service %d live: in %s or in %s?", things[i%13], i%29, things[i*5%13], things[(i*5+3)%13])
		h.clone(b, model, fmt.Sprintf("room-%d", i), question)
	}
	l := rooms.Likeness{Question: "Where should orders and carts live: with users or in tokens?", Dir: "/p", Most: 3}
	for name, f := range map[string]func() (int, error){
		"fill": func() (int, error) {
			b.StopTimer()
			raw(b, path, "DELETE FROM entry; DELETE FROM entry_words; UPDATE ref SET known = 0")
			b.StartTimer()
			all, err := rooms.In(h.Engine).Similar(context.Background(), l)
			return len(all), err
		},
		"similar": func() (int, error) {
			all, err := rooms.In(h.Engine).Similar(context.Background(), l)
			return len(all), err
		},
		"list": func() (int, error) {
			all, _, err := rooms.In(h.Engine).Decisions(context.Background(), "/p", "", 20)
			return len(all), err
		},
		"search": func() (int, error) {
			all, _, err := rooms.In(h.Engine).Decisions(context.Background(), "/p", "orders carts", 20)
			return len(all), err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n, err := f(); err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func (h *hall) roomRoot(b *testing.B, room string) tree.ID {
	b.Helper()
	root, err := rooms.In(h.Engine).Room(context.Background(), room)
	if err != nil {
		b.Fatal(err)
	}
	return root
}

// clone stores the nodes of a room again as those of another one on another question.
func (h *hall) clone(b *testing.B, nodes []tree.Node, room, question string) {
	b.Helper()
	ids := map[tree.ID]tree.ID{}
	var c store.Change
	for _, n := range nodes {
		id := tree.NewID()
		ids[n.ID] = id
		n.ID, n.Parent = id, ids[n.Parent]
		if f, ok := table.FrameKind.Of(n); ok {
			f.Room, f.Question = room, question
			n.Body, _ = json.Marshal(f)
		}
		if n.Kind == string(ruling.EndKind) {
			c.Moves = []store.Move{{Ref: "room/" + room, To: id}}
		}
		c.Nodes = append(c.Nodes, n)
	}
	if _, err := h.store.Commit(context.Background(), c); err != nil {
		b.Fatal(err)
	}
}
