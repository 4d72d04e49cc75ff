package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Requests are answered in the order in which they came, while messages are read on; only a prompt takes longer than what follows it.
func TestAnswersInOrder(t *testing.T) {
	var order []string
	var mu sync.Mutex
	c := conn{asked: map[int]chan message{}, running: map[string]context.CancelFunc{}}
	c.send = func(v any) error {
		raw, err := json.Marshal(v)
		mu.Lock()
		order = append(order, string(raw))
		mu.Unlock()
		return err
	}
	last, told := make(chan struct{}), make(chan struct{})
	tasks := map[string]task{
		"session/prompt": func(context.Context) (any, func(), error) { <-told; return nil, nil, nil },
		"slow":           func(context.Context) (any, func(), error) { <-last; return nil, nil, nil },
		"quick":          func(context.Context) (any, func(), error) { return nil, nil, nil },
		"tell": func(context.Context) (any, func(), error) {
			return nil, func() { c.notify("told", nil); close(told) }, nil
		}}
	in := ""
	for i, method := range []string{"session/prompt", "slow", "quick", "unknown", "tell"} {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", i, method)
	}
	err := c.listen(t.Context(), strings.NewReader(in), func(m message) (task, error) {
		if m.Method == "tell" {
			close(last)
		}
		if do := tasks[m.Method]; do != nil {
			return do, nil
		}
		return nil, &problem{Code: noMethod, Message: "unknown"}
	})
	c.work.Wait()
	want := []string{`"id":1`, `"id":2`, `"id":3,"error"`, `"id":4`, `"method":"told"`, `"id":0`}
	if err != nil || len(order) != len(want) {
		t.Fatal(err, order)
	}
	for i, part := range want {
		if !strings.Contains(order[i], part) {
			t.Errorf("line %d is %s, not %s", i, order[i], part)
		}
	}
}
