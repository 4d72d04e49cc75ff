package scene

import (
	"cmp"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// add adds the next node on the path to the head.
func (c *Chat) add(n tree.Node, body any) {
	c.ids[n.ID] = true
	c.Rev++
	switch b := body.(type) {
	case margin.Set:
		if b.Value == "" {
			delete(c.Set, b.Key)
		} else {
			c.Set[b.Key] = b.Value
		}
		if b.Key == "mode" || b.Key == "phase" || b.Key == "model" {
			c.Mode = ""
		}
	case talk.Said:
		if b.Interjection == "" { // an interjection continues the turn, and its growing text belongs to the turn's first message
			c.turn, c.said = cost.Usage{}, n.ID
			c.waited, c.since = 0, time.Time{}
			clear(c.asked) // what was cut off before asks nothing any more
		}
		text := b.Shown()
		c.put(n, Entry{Sort: Said, Text: text, Aside: b.Aside, Amid: b.Interjection != "", Pictures: b.Images})
		if c.Title == "" || c.Unsaid {
			c.Title, c.Unsaid = conversation.Headline(text), false
		}
	case talk.Exchange:
		c.exchange(n, b)
	case talk.Reply:
		c.fell(n, b.Usage)
		c.spend(n, cmp.Or(b.Answers, b.Model), b.Usage)
		c.Live, c.over = feed.Snapshot{}, c.said
		clear(c.asked) // a turn that has ended asks nothing any more
		c.thought(n, cmp.Or(b.Answers, b.Model), b.Message)
		c.put(n, Entry{Sort: Answered, Who: cmp.Or(b.Answers, b.Model), Text: b.Message.Text(), State: b.State, Reason: b.Reason,
			Usage: c.turn,
			Took:  max(0, time.Duration(b.MS)*time.Millisecond-c.waited)})
	case asking.Need:
		c.since = n.At
		c.asked[n.ID] = len(c.Entries)
		c.put(n, Entry{Sort: Asked, Who: b.Tool, Need: &b})
	case asking.Answered:
		if i, open := c.asked[n.Parent]; open {
			c.Entries[i].Answer = &b
			delete(c.asked, n.Parent)
		}
	case talk.Judged:
		c.judged(b)
		if b.Answer != "" && !c.since.IsZero() { // the turn's time excludes the time spent waiting for the person
			c.waited, c.since = c.waited+n.At.Sub(c.since), time.Time{}
		}
	default:
		c.aside(n, b)
	}
}

// judged shows the person's answer to a question on this path: the answer itself is a node off the path.
func (c *Chat) judged(j talk.Judged) {
	for i := len(c.Entries) - 1; i >= 0 && j.Answer != ""; i-- {
		if e := &c.Entries[i]; e.Sort == Asked {
			if e.Answer == nil {
				e.Answer = &asking.Answered{Choice: j.Answer, Reason: j.Because}
			}
			delete(c.asked, e.Node)
			return
		}
	}
}

// aside adds a node that is not part of a turn.
func (c *Chat) aside(n tree.Node, body any) {
	switch b := body.(type) {
	case material.Handle:
		if n.By == "person" { // what they ran has ended, also while it asked
			clear(c.asked)
		}
		c.put(n, Entry{Sort: Held, Who: b.Name(), Text: b.Face, State: map[bool]talk.State{true: "held"}[b.Held]})
	case material.Merged:
		c.put(n, Entry{Sort: Merged, Who: b.Branch, Text: b.Text, State: mergedFrom(b)})
	case material.Summary:
		// The cost that Load has counted from all nodes must not be counted again.
		if n.Seq > c.counted {
			c.Spent = spending.Add(c.Spent, n.By, b.Usage)
		}
		c.put(n, Entry{Sort: Summed, Text: b.Text})
	case material.Added:
		if who := cmp.Or(b.From, b.Title); who != "" {
			c.put(n, Entry{Sort: Held, Who: who, Text: b.Text})
			return
		}
		c.put(n, Entry{Sort: map[bool]Sort{true: Said, false: Answered}[b.Role == "user"], Who: b.Role, Text: b.Text, State: talk.Done})
	case talk.Brief:
		c.Mode = b.Mode
		for _, note := range b.Notes {
			c.put(n, Entry{Sort: Noted, Text: note})
		}
	case memory.Recalled:
		c.put(n, Entry{Sort: Noted, Text: "from the memory: " + b.Show})
	case talk.Notice:
		if !b.Model {
			c.put(n, Entry{Sort: Noted, Text: b.Text})
		}
	case margin.Snap:
		switch b.Why {
		case "restoring":
			c.put(n, Entry{Sort: Noted, Text: "restoring files… (if this stays, it was interrupted: /switch " + c.Tree.Branch +
				" --files finishes it)"})
		case "restored":
			if i := len(c.Entries) - 1; i >= 0 && c.Entries[i].Sort == Noted && c.Entries[i].Node == b.Began {
				c.Entries = c.Entries[:i]
			}
			e := Entry{Sort: Noted, Text: strings.TrimSpace(told.Brought(b, "/redo"))}
			if b.By == "undo" && len(b.Files) > 0 && len(b.Edited) == 0 {
				e.Text += "\n/redo applies its changes again"
			}
			if b.By != "" {
				e.Who = "/" + b.By
			}
			c.put(n, e)
		}
	case talk.Root:
		c.Tree.Name, c.Tree.Dir = cmp.Or(c.Tree.Name, b.Name), cmp.Or(c.Tree.Dir, b.Dir)
	}
}

// mergedFrom returns the State of a Merged entry; empty: it came from another branch.
func mergedFrom(m material.Merged) talk.State {
	switch {
	case m.Debate:
		return fromDebate
	case m.Run:
		return fromRun
	}
	return ""
}

// put adds an entry at the end of the page.
func (c *Chat) put(n tree.Node, e Entry) {
	e.Node, e.At = n.ID, n.At
	c.Entries = append(c.Entries, e)
}

// fell adds a notice if a call no longer benefited from the vendor's cache.
func (c *Chat) fell(n tree.Node, u cost.Usage) {
	if why := c.cache.Fell(u); why != "" {
		c.put(n, Entry{Sort: Noted, Text: why})
	}
}

func (c *Chat) spend(n tree.Node, model string, u cost.Usage) {
	c.turn = c.turn.Add(u)
	// For a call that was cut off, the vendor did not report what it read: then the estimate says less than the call before.
	if read := u.Input + u.CacheRead + u.CacheWrite; read > 0 && (!u.Least || read+u.Output > c.Window) {
		c.Window = read + u.Output
	}
	if n.Seq > c.counted {
		c.Spent = spending.Add(c.Spent, model, u)
	}
}

// thought adds the model's reasoning before an answer.
func (c *Chat) thought(n tree.Node, who string, m llm.Message) {
	if text := m.Thought(); text != "" {
		c.put(n, Entry{Sort: Thought, Who: who, Text: text})
	}
}

// exchange adds the calls of a model and their results.
func (c *Chat) exchange(n tree.Node, x talk.Exchange) {
	c.fell(n, x.Usage)
	c.spend(n, x.Model, x.Usage)
	// The question was answered in another process, or the turn was interrupted.
	clear(c.asked) // the turn has continued
	results, pictures := map[string]llm.Result{}, map[string][]llm.Attachment{}
	for _, m := range x.Messages {
		last := "" // the result that the following attachments belong to
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Result:
				results[p.ID], last = p, p.ID
			case llm.Attachment:
				pictures[last] = append(pictures[last], p)
			}
		}
	}
	shows := map[string]talk.Show{}
	for _, s := range x.Shows {
		shows[s.Call] = s
	}
	for _, m := range x.Messages {
		c.thought(n, x.Model, m)
		if text := m.Text(); m.Role == llm.Assistant && strings.TrimSpace(text) != "" {
			c.put(n, Entry{Sort: Wrote, Who: x.Model, Text: text})
		}
		for _, call := range m.Calls() {
			show := shows[call.ID]
			text, reason := cmp.Or(show.Line, strings.TrimSpace(call.Name+" "+call.Gist())), ""
			if show.Failed {
				text, reason = strings.TrimSpace(call.Name+" "+call.Gist()), strings.TrimPrefix(show.Line, call.Name+": ")
			}
			c.put(n, Entry{Sort: Called, Who: call.Name, Text: text, Reason: reason, Show: show, Args: string(call.Args),
				Result: results[call.ID].Text, Whole: x.Whole[call.ID], Pictures: pictures[call.ID],
				Took: time.Duration(show.MS) * time.Millisecond})
			if call.Name == c.todoTool && !show.Failed {
				c.Todo = strings.Split(strings.TrimSpace(results[call.ID].Text), "\n")
			}
		}
	}
}
