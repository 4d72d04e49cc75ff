package cmd

import (
	"bufio"
	"context"
	"os"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// answerAsked waits for the job of a tree, and puts to the person at the terminal what it asks meanwhile.
func (a *app) answerAsked(ctx context.Context, e *engine.Engine, root tree.ID) error {
	done := make(chan struct{})
	go func() {
		e.Wait(root)
		close(done)
	}()
	typed := make(chan string)
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			return err
		}
		if n.Node == nil {
			continue
		}
		if need, ok := talk.NeedKind.Of(*n.Node); ok {
			q := asked{Answer: engine.Answer{To: n.Node.ID}, need: need}
			q.prompt = (&chatView{a: a, color: a.colored(os.Stderr)}).ask(need)
			if err := a.answer(ctx, e, &q, typed, done); err != nil {
				return err
			}
		}
	}
	return e.Wait(root)
}

// answer reads lines until one is an answer. The end of what is typed means no.
func (a *app) answer(ctx context.Context, e *engine.Engine, q *asked, typed chan string, done <-chan struct{}) error {
	for {
		a.err.raw(q.prompt)
		go func() {
			line, err := bufio.NewReaderSize(a.in, 16).ReadString('\n') // a terminal gives a line at a time
			if err != nil {
				line = "n"
			}
			select {
			case typed <- line:
			case <-done:
			}
		}()
		select {
		case <-done: // it ended without an answer
			return nil
		case line := <-typed:
			if !q.take(line) {
				continue
			}
		}
		_, err := e.Do(ctx, q.Answer)
		return err
	}
}
