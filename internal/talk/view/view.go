// Package view builds the context that a model sees for a path.
//
// [Messages] is the only way from nodes to a request: for turns, for summaries and to show what a model would see. It
// guarantees two things a vendor depends on: the beginning of a request stays the same from turn to turn, and user and
// assistant alternate. A summary replaces the nodes it sums up, where those began; the person's messages are shown word
// for word even if they were summed up. What a stranger may have written is fenced as data. Nothing is cut here: to
// shorten a context, make a summary.
package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Messages returns what a model is shown of a path, root first. It only grows while nodes are added, so that a vendor's
// cache of its beginning stays valid, and so does reasoning that is bound to that beginning; a summary changes it once.
// Nodes are not changed: messages that are extended are copies.
func Messages(path []tree.Node) []llm.Message {
	first, undone := system(path), margin.Settings(path)
	path = fold(Own(path))
	var out []llm.Message
	files := contextFiles{settings: undone}
	for _, n := range path {
		if b, ok := talk.BriefKind.Of(n); ok && b.Told != "" {
			out = say(out, b.Told)
		} else if s, ok := margin.SetKind.Of(n); ok {
			if note := files.set(s); note != "" {
				out = say(out, note)
			}
		} else if s, ok := talk.SayKind.Of(n); ok {
			out = attach(say(out, prompt(s)), s.Images)
		} else if r, ok := memory.RecallKind.Of(n); ok {
			out = say(out, r.Text)
		} else if x, ok := talk.ExchangeKind.Of(n); ok {
			out = append(out, x.Messages...)
			// The next node may extend the last message.
			own(out)
		} else if r, ok := talk.ReplyKind.Of(n); ok {
			out = answer(out, r)
		} else if s, ok := material.SummaryKind.Of(n); ok && files.settings[margin.UndoSummary(n.ID).Key] == "" {
			out = say(out, "[What happened before, in short]\n"+s.Text)
		} else if notice, ok := talk.NoticeKind.Of(n); ok && notice.Model {
			out = say(out, "[A hook of the person's says]\n"+notice.Text)
		} else if m, ok := material.MergeKind.Of(n); ok {
			out = say(out, concluded(m))
		} else if h, ok := material.HandleKind.Of(n); ok {
			files.show(h)
			out = say(out, "["+h.Name()+"]\n"+fence.Block("data", h.Face))
		} else if a, ok := material.AddKind.Of(n); ok && !slices.ContainsFunc(first, func(f tree.Node) bool { return f.ID == n.ID }) {
			out = put(out, a)
		}
	}
	return out
}

// concluded is how a model is shown a conclusion that was added to a conversation. That of a run contains words of agents and of checks.
func concluded(m material.Merged) string {
	switch {
	case m.Debate:
		return fmt.Sprintf("[What the debate %q decided]\n%s", m.Branch, m.Text)
	case m.Run:
		return fmt.Sprintf("[How the run %q of a plan ended]\n%s", m.Branch, fence.Block("data", m.Text))
	}
	return fmt.Sprintf("[What the branch %q came to]\n%s", m.Branch, m.Text)
}

// Own is the part of a path that its agent sees: an agent that was given a task sees the task and what follows.
func Own(path []tree.Node) []tree.Node {
	for i, n := range slices.Backward(path) {
		if s, ok := talk.SayKind.Of(n); ok && s.Task != "" {
			return path[i:]
		}
	}
	return path
}

// fold puts each summary where the nodes it sums up begin, and removes those nodes, except for the person's messages.
// Of overlapping summaries the later one wins.
func fold(path []tree.Node) []tree.Node {
	undone := margin.Settings(path)
	for i := len(path) - 1; i >= 0; i-- {
		s, ok := material.SummaryKind.Of(path[i])
		if !ok || undone[margin.UndoSummary(path[i].ID).Key] != "" {
			continue
		}
		from, to := at(path[:i], s.From), at(path[:i], s.To)
		// This happens in an import, or in a branch that begins within the range.
		if from < 0 || to < from {
			continue // its nodes are not on this path: it stays where it is
		}
		out := append([]tree.Node(nil), path[:from]...)
		out = append(out, path[i])
		out = append(out, kept(path[from:to+1])...)
		rest := append(append([]tree.Node(nil), path[to+1:i]...), path[i+1:]...)
		return append(dropSummaries(out, path[i].ID), rest...)
	}
	return path
}

// kept are the nodes that no summary replaces: the person's messages, with the names of attachments, and the last phase
// and mode that the model was told.
func kept(path []tree.Node) (out []tree.Node) {
	var told *tree.Node
	for i, n := range path {
		if b, ok := talk.BriefKind.Of(n); ok && b.Told != "" {
			told = &path[i]
		}
		if s, _ := talk.SayKind.Of(n); person(n) && len(s.Images) > 0 {
			for i, a := range s.Images {
				s.Images[i].Size, s.Images[i].Data, s.Images[i].Blob = a.Bytes(), nil, ""
			}
			n.Body = talk.SayKind.New("", "", s).Body
		}
		a, _ := material.AddKind.Of(n)
		if person(n) || a.Role == "system" && a.From == "" {
			out = append(out, n)
		}
	}
	if told != nil {
		out = append(out, *told)
	}
	return out
}

// dropSummaries removes the summaries other than keep that are in the range it sums up.
func dropSummaries(nodes []tree.Node, keep tree.ID) []tree.Node {
	out := nodes[:0:0]
	for _, n := range nodes {
		if n.Kind != string(material.SummaryKind) || n.ID == keep {
			out = append(out, n)
		}
	}
	return out
}

// at is the index of a node on a path; -1: it is not on it.
func at(path []tree.Node, id tree.ID) int {
	for i, n := range path {
		if n.ID == id {
			return i
		}
	}
	return -1
}

// say adds text of the user. Two user messages in a row are merged: some vendors refuse them.
func say(out []llm.Message, text string) []llm.Message {
	if n := len(out); n > 0 && out[n-1].Role == llm.User {
		out[n-1].Parts = append(out[n-1].Parts, llm.Text{Text: text})
		return out
	}
	return append(out, llm.UserText(text))
}

// attach adds attachments to the last message, which is the user's. One without bytes is only named.
func attach(out []llm.Message, all []llm.Attachment) []llm.Message {
	last := &out[len(out)-1]
	for _, a := range all {
		if a.Data != nil || a.Blob != "" {
			last.Parts = append(last.Parts, a)
		}
	}
	return out
}

// own makes it safe to extend the last message's parts: what was decoded from a node is not written to.
func own(out []llm.Message) {
	if n := len(out); n > 0 {
		out[n-1].Parts = slices.Clip(out[n-1].Parts)
	}
}

// answer adds a reply. An interrupted one is shown as far as it got, with a note; one that never began is replaced by a
// note, because the next message is the user's.
func answer(out []llm.Message, r talk.Reply) []llm.Message {
	m := r.Message
	if r.State != talk.Done {
		note := "[" + string(r.State) + ": " + r.Reason + "]"
		m = llm.AssistantText(strings.TrimSpace(m.Text() + "\n" + note))
	}
	if len(m.Parts) == 0 {
		m = llm.AssistantText("[no answer]")
	}
	out = append(out, m)
	own(out)
	return out
}

// prompt is how a model is shown a message of the person; data is fenced so that it cannot pass for an instruction.
func prompt(s talk.Said) string {
	if len(s.Images) > 0 {
		s.Text = strings.TrimSpace(s.Text + "\n" + s.Attached())
	}
	if s.Data == "" {
		return s.Text
	}
	fence := "```"
	for strings.Contains(s.Data, fence) {
		fence += "`"
	}
	return strings.TrimSpace(s.Text) + "\n\n" + fence + "data\n" + strings.TrimRight(s.Data, "\n") + "\n" + fence
}

// Strangers reports whether the path may contain text written by strangers.
func Strangers(path []tree.Node) bool {
	if len(path) > 0 {
		if r, _ := talk.RootKind.Of(path[0]); r.Imported {
			return true
		}
	}
	return slices.ContainsFunc(talk.JudgeKind.All(path), func(j talk.Judged) bool { return j.Brings })
}

// Turns are the indices of path at which the person began a turn, oldest first. Nodes before the first belong to none.
func Turns(path []tree.Node) []int {
	var out []int
	for i, n := range path {
		if s, _ := talk.SayKind.Of(n); person(n) && s.Interjection == "" {
			out = append(out, i)
		}
	}
	return out
}
