package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Tell records a person's message to a debate, whichever process runs it: that process reads it from the store. A
// debate that rests reads it when it is resumed. A debate that has ended accepts only its outcome, a shared file, a
// choice if it asks a person, and a veto of what blocks it. After the last two it is run again from its record, which
// asks no seat.
type Tell struct {
	Room    string
	Message people.Message
}

// Do implements engine.Op.
func (op Tell) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, f, err := l.frame(ctx, op.Room)
	if err != nil {
		return "", err
	}
	nodes, err := l.store.Tree(ctx, root.ID)
	if err != nil {
		return "", err
	}
	if op.Message.Verb == people.Outcome {
		if !ended(nodes) {
			return "", Unended(ctx, l, f.Room)
		}
		return root.ID, op.outcome(ctx, l, nodes)
	}
	if op.Message.Verb == people.Share {
		return root.ID, share(ctx, l, f, nodes, op.Message)
	}
	if !ended(nodes) {
		_, err := l.store.Append(ctx, people.MessageKind.New(root.ID, "person", op.Message))
		return root.ID, err
	}
	if _, err := op.changing(f, nodes); err != nil {
		return "", err
	}
	unlock, err := l.lockRoom(ctx, f.Room)
	if err != nil {
		return "", err
	}
	// Another process may have chosen before the lock was ours.
	var message people.Message
	if nodes, err = l.store.Tree(ctx, root.ID); err == nil {
		message, err = op.changing(f, nodes)
	}
	if err == nil {
		_, err = l.store.Append(ctx, people.MessageKind.New(root.ID, "person", message))
	}
	if err != nil {
		unlock()
		return "", err
	}
	l.core.Start(ctx, root.ID, nodes[len(nodes)-1].Seq, func(ctx context.Context, j *engine.Job) error {
		defer unlock()
		return l.conduct(ctx, root.ID, j)
	})
	return root.ID, nil
}

// changing returns the message that changes how a debate has ended, with the option as its letter. Only a choice, if the debate asks a
// person, and a veto of what blocks it can change that; any other message is refused.
func (op Tell) changing(f table.Frame, nodes []tree.Node) (people.Message, error) {
	message := op.Message
	res, err := debate.Summarize(nodes)
	switch {
	case err != nil:
		return message, err
	case op.Message.Verb == people.Veto && slices.Contains(res.Blocked, op.Message.Claim):
	case op.Message.Verb == people.Veto && len(res.Blocked) > 0:
		return message, &engine.Refusal{Message: fmt.Sprintf("claim %s does not block debate %s", op.Message.Claim, f.Room),
			Hint: "it is blocked by: " + strings.Join(res.Blocked, ", ")}
	case op.Message.Verb == people.Poll:
		return message, &engine.Refusal{Message: "debate " + f.Room + " has ended: its decision does not change",
			Hint: "see: socrates debate show " + f.Room}
	case op.Message.Verb != people.Choose:
		return message, &engine.Refusal{Message: "debate " + f.Room + " has ended and takes no more messages",
			Hint: "follow it up: socrates debate --follow " + f.Room + " \"QUESTION\""}
	case res.Ruling != nil:
		return message, &engine.Refusal{Message: fmt.Sprintf("%s was already chosen in %s; a choice is final", res.Ruling.Option, f.Room),
			Hint: "debate it again: socrates debate fork " + f.Room}
	case res.Rehearsal && res.Outcome.Decision():
		return message, &engine.Refusal{Message: "debate " + f.Room + " is a rehearsal: no model took part, so there is nothing to confirm",
			Hint: "connect a model, then ask for real: socrates login"}
	case res.Outcome.Decision() && !res.NeedsPerson:
		return message, &engine.Refusal{Message: "debate " + f.Room + " decided, and does not need your call",
			Hint: "debate it again: socrates debate fork " + f.Room}
	case len(res.Blocked) > 0:
		return message, &engine.Refusal{Message: "debate " + f.Room + " is " + document.Of(res).Call.Says() + "; no choice overrides that",
			Hint: "lift it: socrates debate tell " + f.Room + " \"/veto " + res.Blocked[0] + " REASON\""}
	case op.Message.Verb == people.Choose:
		if message.Option, message.Text = optionIn(res.Options, op.Message); message.Option == "" {
			return message, &engine.Refusal{Message: "debate " + f.Room + " has no option " + op.Message.Option,
				Hint: "list options: socrates debate show " + f.Room}
		}
	}
	return message, nil
}

// Leading is the option that a person confirms: the panel's result, if the debate waits for a person.
func Leading(res debate.Result) (string, error) {
	refusal := &engine.Refusal{}
	switch {
	case !res.Ended:
		refusal.Message = res.Room + " has not ended: nothing to decide yet"
		refusal.Hint = "watch it: socrates debate show " + res.Room + " --follow; if it was stopped: socrates debate resume " + res.Room
	case len(res.Blocked) > 0:
		refusal.Message = res.Room + " is " + document.Of(res).Call.Says()
		refusal.Hint = "lift it: socrates debate tell " + res.Room + " \"/veto " + res.Blocked[0] + " REASON\""
	case res.Winner == "":
		refusal.Message = res.Room + " reached no decision to confirm"
		refusal.Hint = "choose an option: socrates decisions overrule " + res.Room + " OPTION"
	default:
		return res.Winner, nil
	}
	return "", refusal
}

// listen delivers the messages that are sent to a room: those of its record, which are queued when it returns, and those that any process
// commits while the room runs. It ends with ctx.
func (l *Library) listen(ctx context.Context, root tree.ID, nodes []tree.Node, interrupt func()) <-chan debate.Told {
	told := func(nodes []tree.Node) (out []debate.Told) {
		for _, n := range nodes {
			if w, ok := people.MessageKind.Of(n); ok && n.Parent == root {
				if out = append(out, debate.Told{ID: n.ID, Message: w}); w.Verb == people.Answer {
					interrupt()
				}
			}
		}
		return out
	}
	before := told(nodes)
	// The buffer holds all recorded messages, so that a replay has each message before it asks for the first.
	messages := make(chan debate.Told, len(before))
	for _, t := range before {
		messages <- t
	}
	go func() {
		tick := time.NewTicker(engine.PollEvery)
		defer tick.Stop()
		for after := nodes[len(nodes)-1].Seq; ; {
			news, _ := l.store.Kind(ctx, string(people.MessageKind), after) // a message that cannot be read now is read at the next tick
			for _, t := range told(news) {
				select {
				case messages <- t:
				case <-ctx.Done():
					return
				}
			}
			if len(news) > 0 {
				after = news[len(news)-1].Seq
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return messages
}

// sit makes a seat that a person adds to a running room. An error refuses the seat and leaves the debate unchanged;
// what was made for the seat ends with the room.
func (l *Library) sit(ctx context.Context, f table.Frame, t *furniture, spec string, names []string) (debate.Seat, error) {
	if l.wiring.Join == nil {
		return debate.Seat{}, errors.New("seats cannot join here")
	}
	info, err := l.wiring.Join(ctx, spec, f, names)
	if err != nil {
		return debate.Seat{}, err
	}
	s, err := l.seatOne(ctx, t, info, f.Dir)
	if err != nil {
		return s, err
	}
	seats := []debate.Seat{s}
	if err := t.lay(ctx, f.Dir, seats, func(int, int) {}); err != nil { // there is only this one seat
		if none, ok := errors.AsType[*engine.NoCopy](err); ok {
			err = &engine.NoCopy{Err: none.Err}
		}
		return debate.Seat{}, err
	}
	return seats[0], nil
}
