package talk

import (
	"bufio"
	"context"
	"os"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Ask runs do and asks the person at the terminal each question of the tree after node number after. It is for
// commands without a view of their own, such as tree exec.
func (a *Talk) Ask(ctx context.Context, e *engine.Engine, root tree.ID, after int64, do func(context.Context) error) error {
	watching, end := context.WithCancel(ctx)
	defer end()
	done := make(chan struct{})
	var failed error
	go func() {
		defer end()
		defer close(done)
		failed = do(ctx)
	}()
	typed := make(chan string)
	for n, err := range e.Watch(watching, root, after) {
		if err != nil {
			return err
		}
		if n.Node == nil {
			continue
		}
		if need, ok := asking.NeedKind.Of(*n.Node); ok {
			q := asked{Answer: turns.Answer{To: n.Node.ID}, need: need}
			q.prompt = (&chatView{a: a, color: a.Out.Colored(os.Stderr)}).ask(need)
			if err := a.answer(ctx, e, &q, typed, done); err != nil {
				return err
			}
		}
	}
	<-done
	return failed
}

// answer reads lines until one is an answer. The end of input means no.
func (a *Talk) answer(ctx context.Context, e *engine.Engine, q *asked, typed chan string, done <-chan struct{}) error {
	for {
		a.Out.Err.Raw(q.prompt)
		go func() {
			line, err := bufio.NewReaderSize(a.In, 16).ReadString('\n') // a terminal gives a line at a time
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
