package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/serve/news"
	"github.com/socrates-cli/socrates/internal/tree"
)

// events follows a source for a client from its position. A number beyond the store's is a conflict, and not worth
// waiting for: the client knows another store, or this one was set back.
func (h *Host) events(w http.ResponseWriter, r *http.Request, s news.Source) error {
	after, err := news.After(r)
	if err != nil {
		return &Problem{Status: http.StatusBadRequest, Detail: err.Error()}
	}
	last, err := h.Engine.LastSeq(r.Context())
	if err != nil {
		return err
	}
	if after > last {
		return beyond(after, last)
	}
	// A tree's events start at its beginning; the events of everything would go back years.
	if s.Root == "" && after == 0 && r.URL.Query().Get("after") == "" {
		after = last // of everything, only what is new
	}
	s.Engine, s.Clean = h.Engine, h.Clean
	news.Serve(r.Context(), w, s, after)
	return nil
}

// beyond refuses a number beyond the store's.
func beyond(after, last int64) error {
	return &Problem{Status: http.StatusConflict, Detail: fmt.Sprintf("event %d does not exist in this store; the last is "+
		"%d", after, last),
		Hint: "reload the page or the record"}
}

// allEvents follows everything, from now on unless the client gives its position.
func allEvents(h *Host, w http.ResponseWriter, r *http.Request) error {
	return h.events(w, r, news.Source{Named: h.named(r.Context())})
}

// mostNamed is how many nodes a stream remembers the name for.
const mostNamed = 1 << 14

// named returns a function that names the debate, conversation, run or evaluation of a node; nodes come after their
// parents. A conversation that was renamed meanwhile may keep its earlier name.
func (h *Host) named(ctx context.Context) func(tree.Node) string {
	names := map[tree.ID]string{}
	return func(n tree.Node) string {
		name := names[n.Parent]
		if name == "" {
			name = h.Engine.Called(ctx, n.ID, rooms.Refs, "tree/", "run/", "eval/")
		}
		if len(names) >= mostNamed {
			clear(names)
		}
		names[n.ID] = name
		return name
	}
}

// roomEvents follows a debate to its end.
func roomEvents(h *Host, w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	root, err := rooms.In(h.Engine).Room(r.Context(), name)
	if err != nil {
		return err
	}
	fold, err := h.reader(r.Context(), root)
	if err != nil {
		return err
	}
	return h.events(w, r, news.Source{Root: root, Name: name, Fold: fold,
		Over: func(n tree.Node) bool { return n.Kind == string(ruling.EndKind) }})
}

// reader folds a debate, so that growing replies, which are JSON objects, are sent as text for people.
func (h *Host) reader(ctx context.Context, root tree.ID) (func(engine.Batch) func(feed.Snapshot) string, error) {
	all, err := h.Engine.Tree(ctx, root)
	if err != nil {
		return nil, err
	}
	room, seen := scene.NewRoom(), int64(0)
	for _, n := range all {
		room.Node(n)
		seen = n.Seq
	}
	return func(b engine.Batch) func(feed.Snapshot) string {
		for _, n := range b.Nodes {
			if n.Seq > seen {
				room.Node(n)
				seen = n.Seq
			}
		}
		room.Growing(b.Growing)
		return func(s feed.Snapshot) string {
			// The growing text belongs to the last question of one seat.
			for _, seat := range room.Seats {
				if n := len(seat.Turns); n > 0 && seat.Turns[n-1].Ask == s.Of {
					return room.Read(seat.Turns[n-1])
				}
			}
			return s.Text
		}
	}, nil
}

// treeEvents follows a conversation, without an end.
func treeEvents(h *Host, w http.ResponseWriter, r *http.Request) error {
	t, err := conversation.In(h.Engine).Open(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	return h.events(w, r, news.Source{Root: t.Root, Name: t.Name})
}

// runEvents follows a run of a plan. Its agents work in conversations of their own.
func runEvents(h *Host, w http.ResponseWriter, r *http.Request) error {
	root, err := runs.In(h.Engine).Root(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	return h.events(w, r, news.Source{Root: root, Name: r.PathValue("name")})
}
