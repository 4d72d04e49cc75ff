package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Todo is the todo list of a conversation, in order.
type Todo struct {
	mu    sync.Mutex
	items []TodoItem
}

// TodoItem is one thing to do. State is open, doing or done.
type TodoItem struct {
	Text  string `json:"text" jsonschema:"what to do, in a few words"`
	State string `json:"state" jsonschema:"open, doing or done; at most one is doing"`
}

// todoArgs is the whole list, since changing single items would need names for them.
type todoArgs struct {
	Items []TodoItem `json:"items,omitempty" jsonschema:"the whole list, replacing the previous one; leave it out to show the list"`
}

// mostItems limits what is shown with each call.
const mostItems = 200

// todoMarks are the states an item can have, as they are shown.
var todoMarks = map[string]string{"open": "[ ]", "doing": "[>]", "done": "[x]"}

// todo is of effect Talks. The list belongs to the conversation, and the person sees it.
var _ = register(tool.New("todo",
	"Maintains a to-do list for this conversation. Use it for work of several steps: write the list, "+
		"and write it again when a step begins or is done.", tool.Talks,
	func(_ context.Context, args todoArgs, env tool.Env) (tool.Output, error) {
		list := tool.Of(env.Session, func() *Todo { return &Todo{} })
		list.mu.Lock()
		defer list.mu.Unlock()
		if args.Items != nil {
			if err := list.set(args.Items); err != nil {
				return tool.Output{}, err
			}
		}
		text, done := list.text()
		return output(text, "todo %d of %d done", done, len(list.items)), nil
	}))

// set replaces the whole list, or nothing if an item is not valid.
func (l *Todo) set(items []TodoItem) error {
	doing := 0
	if len(items) > mostItems {
		return fmt.Errorf("%d items are too many to keep in mind: %d at most", len(items), mostItems)
	}
	for i, item := range items {
		switch {
		case todoMarks[item.State] == "":
			return fmt.Errorf("item %d has the state %q; it can be open, doing or done", i+1, clean.Line(item.State))
		case strings.TrimSpace(item.Text) == "":
			return fmt.Errorf("item %d has no text", i+1)
		case item.State == "doing":
			doing++
		}
	}
	if doing > 1 {
		return fmt.Errorf("%d items are doing; only one can be", doing)
	}
	l.items = slices.Clone(items)
	return nil
}

// text returns the list as the model and the person read it. l.mu is held.
func (l *Todo) text() (text string, done int) {
	if len(l.items) == 0 {
		return "The list is empty.\n", 0
	}
	var p page
	for _, item := range l.items {
		p.add("%s %s", todoMarks[item.State], cut(clean.Line(item.Text), 300))
		if item.State == "done" {
			done++
		}
	}
	return p.text.String(), done
}
