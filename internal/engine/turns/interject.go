package turns

import (
	"context"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Interject sends a message to a conversation whose model is working, in whichever process: the model sees it in its
// next call. It returns the id of the message, which the Said on the branch names once the turn has read it. It is
// refused if no turn runs there. A turn that ends before its next call leaves the message unread: see AwaitRead.
type Interject struct {
	Tree, Text string
	Data       string           // texts of files, as in Say
	Images     []llm.Attachment // as in Say; a model that does not accept PDFs is told their names
	Attach     []string         // as in Say
}

// Do implements engine.Op.
func (op Interject) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if strings.TrimSpace(op.Text+op.Data) == "" && len(op.Attach)+len(op.Images) == 0 {
		return "", &engine.Refusal{Message: "no message given"}
	}
	t, err := l.talks.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	if !l.talks.AtWork(t.Name) {
		return "", &engine.Refusal{Message: "no turn is running in " + t.Name,
			Hint: "start one: socrates run --session " + t.Name + " \"…\""}
	}
	said := talk.Interjected{Text: op.Text, Data: op.Data, Branch: t.Branch}
	if len(op.Attach)+len(op.Images) > 0 {
		path, err := l.store.Path(ctx, t.Head)
		if err != nil {
			return "", err
		}
		// Only the turn knows which model will read it.
		carries := attachments{lib: l}
		images, data, err := carries.collect(ctx, Say{Attach: op.Attach, Images: op.Images}, t.Dir, llm.Info{PDF: true}, path)
		if err != nil {
			return "", err
		}
		said.Images, said.Data = images, strings.Trim(op.Data+"\n\n"+data, "\n")
	}
	n := talk.InterjectKind.New(t.Root, "person", said)
	_, err = l.store.Append(ctx, n)
	return n.ID, err
}

// AwaitRead returns true once the model was given a message to its turn, or false once the turn has ended without it.
func (l *Library) AwaitRead(ctx context.Context, name string, message tree.ID) (read bool, err error) {
	n, err := l.store.Node(ctx, message)
	if err != nil {
		return false, err
	}
	tick := time.NewTicker(engine.PollEvery)
	defer tick.Stop()
	for {
		// Whether the turn has ended is checked first: its last messages are recorded before its end, and before it releases the lock.
		over := !l.talks.AtWork(name)
		if !over {
			if over, err = endedSince(ctx, l.store, n); err != nil {
				return false, err
			}
		}
		news, err := l.store.Kind(ctx, string(talk.SayKind), n.Seq)
		if err != nil {
			return false, err
		}
		for _, s := range news {
			if said, ok := talk.SayKind.Of(s); ok && said.Interjection == message {
				return true, nil
			}
		}
		if over {
			return false, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// endedSince reports whether a turn of the message's conversation has ended since it was sent. It walks up from each
// later reply to the conversation's first node, which is the message's parent.
func endedSince(ctx context.Context, s *store.Store, message tree.Node) (bool, error) {
	ends, err := s.Kind(ctx, string(talk.ReplyKind), message.Seq)
	if err != nil {
		return false, err
	}
	for _, n := range ends {
		for at := n; at.Parent != ""; {
			if at, err = s.Node(ctx, at.Parent); err != nil {
				return false, err
			}
			if s, ok := talk.SayKind.Of(at); ok && s.Task != "" { // a task ended, and its turn continues
				break
			}
			if at.ID == message.Parent {
				return true, nil
			}
		}
	}
	return false, nil
}

// inbox has the messages to a turn while it runs.
type inbox struct {
	*recorder
	taken   int64       // messages up to this number were read
	pending []tree.Node // messages that were read but that the agent has not seen yet
}

// read returns the messages to the turn since its last call. They become part of the conversation once the agent has seen them.
func (w *inbox) read(ctx context.Context) (out []llm.Message, err error) {
	news, err := w.lib.store.Kind(ctx, string(talk.InterjectKind), w.taken)
	if err != nil {
		return nil, err
	}
	for _, n := range news {
		w.taken = n.Seq
		if said, ok := talk.InterjectKind.Of(n); ok && n.Parent == w.t.Root && said.Branch == w.t.Branch {
			taken := talk.SayKind.New("", "person", talk.Said{Text: said.Text, Data: said.Data, Images: said.Images, Interjection: n.ID})
			w.pending = append(w.pending, taken)
			out = append(out, view.Messages([]tree.Node{taken})...)
		}
	}
	return out, nil
}

// commit makes what the agent has seen part of the conversation. Messages that arrived since the last read wait for the next one.
func (w *inbox) commit(ctx context.Context) error {
	nodes := w.pending
	w.pending = nil
	return w.add(context.WithoutCancel(ctx), nodes...)
}
