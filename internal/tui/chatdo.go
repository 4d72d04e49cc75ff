package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// carryOut does what a line came to.
func (p *chatPage) carryOut(line string, e slash.Effect, err error) tea.Cmd {
	var cmds []tea.Cmd
	if p.env.Tree != p.scene.Tree.Name { // it began, or another one begins
		if p.env.Tree == "" {
			p.Close()
			p.scene, p.items = scene.NewChat(p.d.Todo), nil
		} else {
			cmds = append(cmds, p.load())
		}
	} else {
		cmds = append(cmds, p.recheck())
	}
	p.remark(e.Text, false)
	if e.Text != "" && p.scene.Live.Text != "" { // what grows stands below it and would push it out of sight
		p.scroll.To(len(p.items) - 1)
	}
	if err != nil {
		message, hint := p.d.Explain(err)
		p.remark(strings.TrimSpace(message+"\n"+hint), true)
		p.d.GiveBack(p.input, line)
	}
	if e.Write != nil {
		p.d.Push(dialog.Write(p.d.Screen, p.env.Dir, *e.Write))
	}
	if e.Debate != "" {
		cmds = append(cmds, p.d.debate(e.Debate, p.env.Tree))
	}
	if e.Start != nil {
		cmds = append(cmds, p.start(line, e.Start))
	}
	if e.Leave {
		cmds = append(cmds, p.d.leave())
	}
	return tea.Batch(append(cmds, p.sendQueued())...)
}

// start begins what takes its time; the page follows it as it follows everything in its tree.
func (p *chatPage) start(line string, op engine.Op) tea.Cmd {
	if say, ok := op.(engine.Say); ok {
		op = p.d.Over(say)
	}
	p.stopped = false
	p.busy++
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := p.d.Engine.Do(ctx, op)
		return func() tea.Cmd {
			p.busy--
			if err != nil {
				message, hint := p.d.Explain(err)
				p.remark(strings.TrimSpace(message+"\n"+hint), true)
				p.d.GiveBack(p.input, line)
				return p.recheck()
			}
			return tea.Batch(p.grew(), p.recheck(), p.d.Away(func(context.Context) func() tea.Cmd { // its end
				err := p.d.Engine.Wait(root)
				return func() tea.Cmd {
					if p.d.Note.Text == ending { // it has ended
						p.d.Note = screen.Note{}
					}
					p.d.Fail(err)
					return tea.Batch(p.recheck(), p.sendQueued())
				}
			}))
		}
	})
}

// question puts what waits for the person on the page, and takes it away when it was answered elsewhere.
func (p *chatPage) question() {
	id, need, open := p.scene.Open()
	if !open || !p.running() {
		p.ask = nil
	} else if p.ask == nil || p.ask.id != id {
		p.ask = newAskDialog(p, id, need)
	}
}

// answer has somebody answer in this conversation from now on, and says so.
func (p *chatPage) answer(spec, said string) tea.Cmd {
	if p.env.Tree == "" {
		p.env.Begin["model"] = spec
		p.d.Tell(said)
		return nil
	}
	return p.d.Do(engine.Set{Tree: p.env.Tree, Key: "model", Value: spec}, func(err error) tea.Cmd {
		if err == nil {
			p.d.Tell(said)
		}
		return p.recheck()
	})
}
