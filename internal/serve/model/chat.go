package model

import (
	"net/http"
	"strings"
	"time"
)

// object is an object of JSON.
type object = map[string]any

// chat is the protocol of Chat Completions.
type chat struct {
	id, model string
	created   int64
	usage     bool // reported at the end
	inline    bool // reasoning is part of the answer, for clients that do not show it
	thinking  bool
}

// ?reasoning=think in the address includes reasoning in the answer.
func newChat(r *http.Request, id, model string, usage bool) form {
	return &chat{id: "chatcmpl-" + id, model: model, created: time.Now().Unix(), usage: usage,
		inline: r.URL.Query().Get("reasoning") == "think"}
}

// chunk is one event of a stream.
func (c *chat) chunk(delta object, finish any) object {
	return object{"id": c.id, "object": "chat.completion.chunk", "created": c.created, "model": c.model,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
}

// open announces the assistant's turn.
func (c *chat) open() []frame {
	return []frame{{data: c.chunk(object{"role": "assistant", "content": ""}, nil)}}
}

// One text under two names: clients read one or the other.
func (c *chat) think(text string) []frame {
	if c.inline {
		if !c.thinking {
			text = "<think>\n" + text
		}
		c.thinking = true
		return []frame{{data: c.chunk(object{"content": text}, nil)}}
	}
	return []frame{{data: c.chunk(object{"reasoning_content": text, "reasoning": text}, nil)}}
}

// The first text ends the reasoning, if that is part of the answer.
func (c *chat) say(text string) []frame {
	if c.thinking {
		text = "\n</think>\n\n" + text
		c.thinking = false
	}
	return []frame{{data: c.chunk(object{"content": text}, nil)}}
}

// finish returns why the answer ended.
func finish(a *answer) string {
	if a.short {
		return "length"
	}
	return "stop"
}

// Clients wait for the last line, [DONE].
func (c *chat) close(a *answer) []frame {
	delta := object{}
	if len(a.sources) > 0 {
		delta["annotations"] = annotations(a, true)
	}
	last := c.chunk(delta, finish(a))
	last["socrates"] = a.socrates
	frames := []frame{{data: last}}
	if c.usage {
		counted := c.chunk(nil, nil)
		counted["choices"], counted["usage"], counted["socrates"] = []object{}, chatUsage(a), a.socrates
		frames = append(frames, frame{data: counted})
	}
	return append(frames, frame{data: "[DONE]"})
}

// fail reports an error within a stream.
func (c *chat) fail(f failed) []frame {
	return []frame{{data: object{"error": f}}, {data: "[DONE]"}}
}

// whole returns the answer as one object.
func (c *chat) whole(a *answer, thought string) any {
	message := object{"role": "assistant", "content": a.text, "refusal": nil, "annotations": annotations(a, true)}
	if thought = strings.TrimSpace(thought); c.inline && thought != "" {
		message["content"] = "<think>\n" + thought + "\n</think>\n\n" + a.text
	} else if thought != "" {
		message["reasoning_content"], message["reasoning"] = thought, thought
	}
	return object{"id": c.id, "object": "chat.completion", "created": c.created, "model": c.model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish(a), "logprobs": nil}},
		"usage":   chatUsage(a), "socrates": a.socrates}
}

// chatUsage returns the usage, with the cost, which the protocol does not have.
func chatUsage(a *answer) object {
	in, cached, out, thought := a.counts()
	return object{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
		"prompt_tokens_details": object{"cached_tokens": cached}, "completion_tokens_details": object{"reasoning_tokens": thought},
		"cost": a.cost(), "cost_known": a.priced}
}

// annotations returns the pages that a text cites. In chats each is an object of its own below its type.
func annotations(a *answer, nested bool) []object {
	list := []object{}
	for _, s := range a.sources {
		cited := object{"url": s.url, "title": s.title, "start_index": s.from, "end_index": s.to}
		if nested {
			cited = object{"url_citation": cited}
		}
		cited["type"] = "url_citation"
		list = append(list, cited)
	}
	return list
}
