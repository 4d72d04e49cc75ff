package openai

import "encoding/json"

// fragment is a piece of a tool call. Servers leave out the index or the id, repeat them, give every parallel call
// the index 0, or write the arguments as an object.
type fragment struct {
	Index    *int
	ID       string
	Function struct {
		Name      string
		Arguments json.RawMessage
	}
	Extra json.RawMessage `json:"extra_content"` // what the vendor wants back with the call
}

// callDrafts are the tool calls of an answer while they arrive.
type callDrafts struct{ list []*callDraft }

// callDraft is a call whose arguments are arriving. index is the server's; -1 if it gave none.
type callDraft struct {
	index    int
	ID, Name string
	args     []byte
	extra    json.RawMessage
}

// add processes the pieces of calls in one event.
func (c *callDrafts) add(fragments []fragment) {
	for _, f := range fragments {
		call := c.at(f)
		if f.ID != "" {
			call.ID = f.ID
		}
		if call.Name == "" {
			call.Name = f.Function.Name
		}
		if len(f.Extra) > 0 {
			call.extra = f.Extra
		}
		var text string
		if json.Unmarshal(f.Function.Arguments, &text) == nil {
			call.args = append(call.args, text...)
		} else {
			call.args = append(call.args, f.Function.Arguments...)
		}
	}
}

// at returns the call that a fragment continues, or a new one. The index decides first, then the id. Without either,
// a name begins another call once the arguments of the last one are complete; without a name it continues the last
// one.
func (c *callDrafts) at(f fragment) *callDraft {
	index := -1
	if f.Index != nil {
		index = *f.Index
	}
	for i := len(c.list) - 1; i >= 0; i-- {
		old := c.list[i]
		if index >= 0 && old.index != index {
			continue
		}
		if f.ID != "" && old.ID != "" && f.ID != old.ID {
			continue // the index is taken by another call
		}
		if index < 0 && f.ID == "" && f.Function.Name != "" && json.Valid(old.args) {
			break // nothing tells which, but the last is complete and this one begins
		}
		return old
	}
	call := &callDraft{index: index}
	c.list = append(c.list, call)
	return call
}
