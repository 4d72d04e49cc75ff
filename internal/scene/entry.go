package scene

import (
	"cmp"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// add takes in the next node on the way to the head.
func (c *Chat) add(n tree.Node) {
	c.ids[n.ID] = true
	c.Rev++
	if s, ok := talk.SetKind.Of(n); ok {
		if s.Value == "" {
			delete(c.Set, s.Key)
		} else {
			c.Set[s.Key] = s.Value
		}
	} else if s, ok := talk.SayKind.Of(n); ok {
		if s.Interjection == "" { // the turn goes on, and what grows hangs from where it began
			c.turn, c.said = llm.Usage{}, n.ID
		}
		c.put(n, Entry{Sort: Said, Text: strings.TrimSpace(s.Text + "\n" + s.Data), Aside: s.Aside})
		if c.Title == "" {
			c.Title = s.Text
		}
	} else if x, ok := talk.ExchangeKind.Of(n); ok {
		c.exchange(n, x)
	} else if r, ok := talk.ReplyKind.Of(n); ok {
		c.spend(n, cmp.Or(r.Answers, r.Model), r.Usage)
		c.Live, c.over = feed.Snapshot{}, c.said
		clear(c.asked) // a turn that has ended asks nobody any more
		c.put(n, Entry{Sort: Answered, Who: cmp.Or(r.Answers, r.Model), Text: r.Message.Text(), State: r.State, Reason: r.Reason, Usage: c.turn, Took: time.Duration(r.MS) * time.Millisecond})
	} else if need, ok := talk.NeedKind.Of(n); ok {
		c.asked[n.ID] = len(c.Entries)
		c.put(n, Entry{Sort: Asked, Who: need.Tool, Need: &need})
	} else if a, ok := talk.AnswerKind.Of(n); ok {
		if i, open := c.asked[n.Parent]; open {
			c.Entries[i].Answer = &a
			delete(c.asked, n.Parent)
		}
	} else if j, ok := talk.JudgeKind.Of(n); ok {
		c.judged(j)
	} else {
		c.aside(n)
	}
}

// judged shows what a person answered to a question on the way to here: the answer itself hangs beside.
func (c *Chat) judged(j talk.Judged) {
	for i := len(c.Entries) - 1; i >= 0 && j.Answer != ""; i-- {
		if e := &c.Entries[i]; e.Sort == Asked {
			if e.Answer == nil {
				e.Answer = &talk.Answered{Choice: j.Answer, Reason: j.Because}
			}
			delete(c.asked, e.Node)
			return
		}
	}
}

// aside takes in what is no part of a turn.
func (c *Chat) aside(n tree.Node) {
	if h, ok := talk.HandleKind.Of(n); ok {
		c.put(n, Entry{Sort: Held, Who: h.Name(), Text: h.Face, State: map[bool]talk.State{true: "held"}[h.Held]})
	} else if m, ok := talk.MergeKind.Of(n); ok {
		c.put(n, Entry{Sort: Merged, Who: m.Branch, Text: m.Text, State: map[bool]talk.State{true: "debate"}[m.Debate]})
	} else if s, ok := talk.SummaryKind.Of(n); ok {
		if n.Seq > c.counted {
			c.Spent = talk.Spend(c.Spent, n)
		}
		c.put(n, Entry{Sort: Summed, Text: s.Text})
	} else if a, ok := talk.AddKind.Of(n); ok {
		c.put(n, Entry{Sort: map[bool]Sort{true: Said, false: Answered}[a.Role == "user"], Who: a.Role, Text: a.Text, State: talk.Done})
	} else if b, ok := talk.BriefKind.Of(n); ok {
		for _, note := range b.Notes {
			c.put(n, Entry{Sort: Noted, Text: note})
		}
	} else if r, ok := talk.RecallKind.Of(n); ok {
		c.put(n, Entry{Sort: Noted, Text: "from the memory: " + r.Show})
	} else if m, ok := talk.NoticeKind.Of(n); ok && !m.Model {
		c.put(n, Entry{Sort: Noted, Text: m.Text})
	} else if s, ok := talk.SnapKind.Of(n); ok && s.Why == "restored" {
		c.put(n, Entry{Sort: Noted, Text: strings.TrimSpace(told.Brought(s, "/redo"))})
	} else if r, ok := talk.RootKind.Of(n); ok {
		c.Tree.Name, c.Tree.Dir = cmp.Or(c.Tree.Name, r.Name), cmp.Or(c.Tree.Dir, r.Dir)
	}
}

func (c *Chat) put(n tree.Node, e Entry) {
	e.Node, e.At = n.ID, n.At
	c.Entries = append(c.Entries, e)
}

func (c *Chat) spend(n tree.Node, model string, u llm.Usage) {
	c.turn = c.turn.Add(u)
	if u.Input+u.CacheRead+u.CacheWrite > 0 {
		c.Window = u.Input + u.CacheRead + u.CacheWrite + u.Output
	}
	if n.Seq > c.counted {
		c.Spent = talk.SpendOn(c.Spent, model, u)
	}
}

// exchange takes in what a model called, and what came of it.
func (c *Chat) exchange(n tree.Node, x talk.Exchange) {
	c.spend(n, x.Model, x.Usage)
	clear(c.asked) // it went on
	results := map[string]llm.Result{}
	for _, m := range x.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(llm.Result); ok {
				results[r.ID] = r
			}
		}
	}
	shows := map[string]talk.Show{}
	for _, s := range x.Shows {
		shows[s.Call] = s
	}
	for _, m := range x.Messages {
		if text := m.Text(); m.Role == llm.Assistant && strings.TrimSpace(text) != "" {
			c.put(n, Entry{Sort: Wrote, Who: x.Model, Text: text})
		}
		for _, call := range m.Calls() {
			show := shows[call.ID]
			c.put(n, Entry{Sort: Called, Who: call.Name, Text: cmp.Or(show.Line, strings.TrimSpace(call.Name+" "+call.Gist())), Show: show, Args: string(call.Args),
				Result: results[call.ID].Text, Whole: x.Whole[call.ID], Took: time.Duration(show.MS) * time.Millisecond})
			if call.Name == c.todoTool && !show.Failed {
				c.Todo = strings.Split(strings.TrimSpace(results[call.ID].Text), "\n")
			}
		}
	}
}
