package turns_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
)

// A task that is broken off says why, as its turn does: that its context was cancelled tells nobody anything. One that comes to its
// end says nothing of it.
func TestTasksTellWhyTheyEnd(t *testing.T) {
	o := newOffice(t, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("the disk is full")
	id, err := o.Do(ctx, turns.Say{Tree: "work", Text: "task wait", Model: "x", Mode: permission.Yolo})
	if err != nil {
		t.Fatal(err)
	}
	var replies []talk.Reply
	for n, err := range o.Watch(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Node == nil {
			continue
		}
		if s, ok := talk.SayKind.Of(*n.Node); ok && s.Task != "" {
			cancel(cause)
		}
		if r, ok := talk.ReplyKind.Of(*n.Node); ok {
			replies = append(replies, r)
		}
	}
	if len(replies) != 2 {
		t.Fatalf("%d answers of a turn and its task: %+v", len(replies), replies)
	}
	for _, r := range replies {
		if r.State != talk.Failed || !strings.Contains(r.Reason, cause.Error()) {
			t.Errorf("ended as %s: %s", r.State, r.Reason)
		}
	}
	if r := o.say("task say hello"); r.State != talk.Done {
		t.Errorf("%+v", r)
	}
}
