package chatpage

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// finish applies the effect of a line.
func (tn *turnRunner) finish(line string, e slash.Effect, err error) tea.Cmd {
	var cmds []tea.Cmd
	if tn.p.env.Tree != tn.p.scene.Tree.Name { // a conversation began, or another one begins
		if tn.p.env.Tree == "" {
			tn.p.Close()
			tn.p.scene, tn.p.list.items = scene.NewChat(tn.p.d.Todo), nil
		} else {
			cmds = append(cmds, tn.p.reads.Load())
		}
	} else {
		cmds = append(cmds, tn.p.reads.Recheck())
	}
	tn.p.list.remark(e.Text, command(line), false)
	if e.Text != "" && !e.Last {
		tn.p.list.top()
	}
	if err != nil {
		message, hint := tn.p.d.Explain(err)
		tn.p.list.remark(strings.TrimSpace(message+"\n"+hint), command(line), true)
		tn.p.d.GiveBack(tn.p.input, line)
	}
	if e.Write != nil {
		tn.p.d.Push(dialog.Write(tn.p.d, tn.p.env.Dir, *e.Write))
	}
	if e.Debate != nil {
		cmds = append(cmds, tn.p.d.Desk.Debate(*e.Debate, tn.p.env.Tree))
	}
	switch e.Start.(type) {
	case nil:
	case runs.Execute, runs.Advance, queues.Run:
		cmds = append(cmds, tn.execute(line, e.Start))
	default:
		cmds = append(cmds, tn.start(line, e.Start))
	}
	if e.Leave {
		cmds = append(cmds, tn.p.d.Desk.Leave())
	}
	return tea.Batch(append(cmds, tn.next())...)
}

// command returns a line if it is a command: a message is in the conversation itself.
func command(line string) string {
	if _, _, ok := slash.Parse(line); ok {
		return line
	}
	return ""
}

// start starts a job; the page follows it like everything in its tree.
func (tn *turnRunner) start(line string, op engine.Op) tea.Cmd {
	if say, ok := op.(turns.Say); ok {
		op = tn.p.d.Turn.Over(say)
	}
	tn.stopped = false
	tn.busy++
	tn.queue.sending = line
	return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := tn.p.d.Engine.Do(ctx, op)
		return func() tea.Cmd {
			tn.busy--
			tn.queue.sending = ""
			if err != nil {
				message, hint := tn.p.d.Explain(slash.Ended(line, err))
				tn.p.list.remark(strings.TrimSpace(message+"\n"+hint), command(line), true)
				tn.p.d.GiveBack(tn.p.input, line)
				return tn.p.reads.Recheck()
			}
			env := tn.p.env.Copy()
			env.Tree = string(root)
			return tea.Batch(tn.p.grew(), tn.p.reads.Recheck(), tn.p.d.Away(func(context.Context) func() tea.Cmd { // its end
				err := tn.p.d.Engine.Wait(root)
				none := ""
				if say, ok := op.(turns.Say); ok && err == nil && !say.Aside {
					none = slash.Unplanned(tn.p.d.Ctx, env)
				}
				return func() tea.Cmd {
					if none != "" {
						tn.p.list.remark(none, "", false)
					}
					if tn.p.d.Note.Text == ending { // it has ended
						tn.p.d.Note = screen.Note{}
					}
					tn.p.d.Fail(err)
					return tea.Batch(tn.p.reads.Recheck(), tn.p.d.Reread(), tn.next())
				}
			}))
		}
	})
}

// question shows what waits for the person, and removes it when it was answered elsewhere.
func (p *Page) question() {
	id, need, open := p.scene.Open()
	if !open || !p.running() {
		p.ask = nil
	} else if p.ask == nil || p.ask.id != id {
		p.ask = newAskDialog(p, id, need)
	}
}

// Answer chooses the model of this conversation from now on, and says so.
func (p *Page) Answer(spec, said string) tea.Cmd {
	if p.env.Tree == "" {
		p.env.Begin["model"] = spec
		p.d.Tell(said)
		return nil
	}
	return p.d.Do(turns.Set{Tree: p.env.Tree, Key: "model", Value: spec}, func(err error) tea.Cmd {
		if err == nil {
			p.d.Tell(said)
		}
		return p.reads.Recheck()
	})
}
