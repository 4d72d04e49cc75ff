package model

import (
	"net/http"
	"strings"
	"time"
)

// response is the protocol of Responses: a list of items, first the reasoning, then the message. It makes events in
// the order of the protocol: an item is added, its parts grow and end, the item ends.
type response struct {
	id, model string
	created   int64
	n         int // of events
	items     []object
	text      strings.Builder // of the growing item
	kind      string          // of the growing item; empty: none
}

// newResponse returns its form; it always reports usage.
func newResponse(_ *http.Request, id, model string, _ bool) form {
	return &response{id: id, model: model, created: time.Now().Unix()}
}

// event numbers events from 0.
func (p *response) event(name string, data object) frame {
	data["type"], data["sequence_number"] = name, p.n
	p.n++
	return frame{name, data}
}

// state returns the current response. Computed results are beside its items: clients that know all types of items
// refuse others.
func (p *response) state(status string, a *answer) object {
	out := object{"id": "resp_" + p.id, "object": "response", "created_at": p.created, "model": p.model, "status": status, "error": nil,
		"incomplete_details": nil, "instructions": nil, "metadata": object{}, "output": append([]object{}, p.items...), "usage": nil,
		"parallel_tool_calls": false, "temperature": nil, "top_p": nil, "tool_choice": "none", "tools": []object{}}
	if a == nil {
		return out
	}
	in, cached, written, thought := a.counts()
	out["usage"] = object{"input_tokens": in, "output_tokens": written, "total_tokens": in + written,
		"input_tokens_details": object{"cached_tokens": cached}, "output_tokens_details": object{"reasoning_tokens": thought},
		"cost": a.cost(), "cost_known": a.priced}
	out["socrates"] = a.socrates
	out["metadata"] = object{"debate": a.socrates.Debate, "outcome": a.socrates.Outcome}
	if a.short {
		out["incomplete_details"] = object{"reason": "max_output_tokens"}
	} else if a.open != "" {
		out["incomplete_details"] = object{"reason": a.open}
	}
	return out
}

// ends returns the status of an answer.
func ends(a *answer) string {
	if a.short || a.open != "" {
		return "incomplete"
	}
	return "completed"
}

// open announces the response, with the two events clients wait for.
func (p *response) open() []frame {
	return []frame{p.event("response.created", object{"response": p.state("in_progress", nil)}),
		p.event("response.in_progress", object{"response": p.state("in_progress", nil)})}
}

// The two kinds of items.
const (
	thinks = "reasoning"
	says   = "message"
)

// itemOf is an item with its text.
func (p *response) itemOf(kind, text, status string, a *answer) object {
	if kind == thinks {
		parts := []object{}
		if text != "" {
			parts = append(parts, object{"type": "summary_text", "text": text})
		}
		return object{"id": "rs_" + p.id, "type": thinks, "summary": parts}
	}
	parts := []object{}
	if status != "in_progress" {
		parts = append(parts, object{"type": "output_text", "text": text, "annotations": annotations(a, false), "logprobs": []object{}})
	}
	return object{"id": "msg_" + p.id, "type": says, "role": "assistant", "status": status, "content": parts}
}

// at adds the position in the response to an event.
func (p *response) at(kind string, more object) object {
	more["item_id"], more["output_index"] = map[string]string{thinks: "rs_", says: "msg_"}[kind]+p.id, len(p.items)
	more[map[string]string{thinks: "summary_index", says: "content_index"}[kind]] = 0
	return more
}

// names are the names of a kind's text events, without and with their ends.
var names = map[string]struct{ part, text, of string }{
	thinks: {"response.reasoning_summary_part", "response.reasoning_summary_text", "summary_text"},
	says:   {"response.content_part", "response.output_text", "output_text"}}

// grow appends to the item of a kind, and begins one if another grew.
func (p *response) grow(kind, text string) (frames []frame) {
	if p.kind != kind {
		frames = p.end(&answer{})
		p.kind = kind
		frames = append(frames, p.event("response.output_item.added", object{"output_index": len(p.items), "item": p.itemOf(kind, "",
			"in_progress", nil)}),
			p.event(names[kind].part+".added", p.at(kind, object{"part": p.part(kind, "", &answer{})})))
	}
	p.text.WriteString(text)
	more := object{"delta": text}
	if kind == says {
		more["logprobs"] = []object{}
	}
	return append(frames, p.event(names[kind].text+".delta", p.at(kind, more)))
}

// part is a piece of an item's content.
func (p *response) part(kind, text string, a *answer) object {
	part := object{"type": names[kind].of, "text": text}
	if kind == says {
		part["annotations"], part["logprobs"] = annotations(a, false), []object{}
	}
	return part
}

// end ends the growing item.
func (p *response) end(a *answer) []frame {
	kind, text := p.kind, p.text.String()
	if kind == "" {
		return nil
	}
	done := object{"text": text}
	if kind == says {
		done["logprobs"] = []object{}
	}
	item := p.itemOf(kind, text, "completed", a)
	frames := []frame{p.event(names[kind].text+".done", p.at(kind, done)),
		p.event(names[kind].part+".done", p.at(kind, object{"part": p.part(kind, text, a)})),
		p.event("response.output_item.done", object{"output_index": len(p.items), "item": item})}
	p.items, p.kind = append(p.items, item), ""
	p.text.Reset()
	return frames
}

// think appends to the reasoning.
func (p *response) think(text string) []frame { return p.grow(thinks, text) }

// say appends to the message.
func (p *response) say(text string) []frame { return p.grow(says, text) }

// close ends the growing item and the response.
func (p *response) close(a *answer) []frame {
	frames := p.end(a)
	return append(frames, p.event("response."+ends(a), object{"response": p.state(ends(a), a)}))
}

// fail ends the response with an error; its items stay.
func (p *response) fail(f failed) []frame {
	state := p.state("failed", nil)
	state["error"] = object{"code": f.Code, "message": f.Message}
	return []frame{p.event("response.failed", object{"response": state})}
}

// whole returns the response as one object, with the items that a stream would have.
func (p *response) whole(a *answer, thought string) any {
	if thought != "" {
		p.items = append(p.items, p.itemOf(thinks, thought, "completed", a))
	}
	p.items = append(p.items, p.itemOf(says, a.text, "completed", a))
	return p.state(ends(a), a)
}
