package turns_test

import (
	"context"
	"iter"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/permission"
)

// titler writes a title once it is let, whoever cancels it.
type titler struct{ let chan struct{} }

func (titler) Info() llm.Info { return llm.Info{ID: "titler"} }

func (m titler) Stream(_ context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		<-m.let
		d := draft.New(m.Info(), yield)
		d.Text("A long story")
		d.End()
	}
}

// A conversation whose title is still being written is free: what a person does next does not wait for it.
func TestATitleHoldsNothingUp(t *testing.T) {
	o := newOffice(t, false)
	m := titler{make(chan struct{})}
	o.titler = m
	o.root = o.do(conversation.NewTree{Dir: o.dir})
	now, err := conversation.In(o.Engine).Open(t.Context(), string(o.root))
	if err != nil {
		t.Fatal(err)
	}
	o.do(turns.Say{Tree: now.Name, Text: "say one", Model: "x", Mode: permission.Yolo})
	o.do(conversation.Back{Tree: now.Name})
	close(m.let)
	turns.In(o.Engine).AwaitTitle(t.Context(), o.root)
	if title, err := conversation.In(o.Engine).Title(t.Context(), now); title != "A long story" || err != nil {
		t.Errorf("its title is %q, %v", title, err)
	}
}
