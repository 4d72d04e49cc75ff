package chatpage

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// overRun is a run that has ended, and the conversation that began it, which may have been renamed or closed by
// then.
type overRun struct{ run, talk tree.ID }

// execute executes a plan beside the conversation, which shows its progress.
func (tn *turnRunner) execute(line string, op engine.Op) tea.Cmd {
	typed := line
	refused := func(err error) tea.Cmd {
		message, hint := tn.p.d.Explain(slash.Ended(typed, err))
		tn.p.list.remark(strings.TrimSpace(message+"\n"+hint), command(line), true)
		return nil
	}
	began := func() { // the command stands once, above what comes of it
		tn.p.list.step("", command(line))
		line = ""
	}
	talk := tn.p.scene.Tree.Root
	return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := tn.p.d.Engine.Do(ctx, op)
		var all []tree.Node
		if err == nil {
			all, err = tn.p.d.Engine.Tree(ctx, root)
		}
		return func() tea.Cmd {
			if err != nil {
				return refused(err)
			}
			began()
			t := &work.Teller{}
			for _, n := range all {
				t.Hear(n)
			}
			if run := t.Status.Frame.Run; run != "" {
				tn.p.d.Tell("watch it: /runs " + run)
			}
			news := make(chan engine.News)
			tn.p.d.Aside(func() {
				defer close(news)
				for n, err := range tn.p.d.Engine.Watch(tn.p.d.Ctx, root, all[len(all)-1].Seq) {
					if err != nil {
						return
					}
					select {
					case news <- n:
					case <-tn.p.d.Ctx.Done():
						return
					}
				}
			})
			return tn.told(t, overRun{root, talk}, news, refused)
		}
	})
}

// conclude records in the conversation how the runs it began ended, while no turn runs.
func conclude(tn *turnRunner) tea.Cmd {
	over := tn.over
	tn.over = nil
	tn.busy++
	return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		var failed error
		for _, r := range over {
			_, err := tn.p.d.Engine.Do(ctx, conversation.Conclude{Tree: string(r.talk), Run: r.run})
			failed = errors.Join(failed, err)
		}
		return func() tea.Cmd {
			tn.busy--
			tn.p.d.Fail(failed)
			return tea.Batch(tn.p.reads.Recheck(), tn.next())
		}
	})
}

// told shows the next event of a run, and at its end the result.
func (tn *turnRunner) told(t *work.Teller, r overRun, news <-chan engine.News, refused func(error) tea.Cmd) tea.Cmd {
	return tn.p.d.Away(func(context.Context) func() tea.Cmd {
		n, ok := <-news
		if !ok {
			err := tn.p.d.Engine.Wait(r.run)
			return func() tea.Cmd {
				if err != nil {
					return refused(err)
				}
				if t.Queue != nil || r.talk == "" {
					tn.p.list.remark(here(t.End()), "", t.Status.State == work.Failed)
					return nil
				}
				tn.over = append(tn.over, r)
				return tn.next()
			}
		}
		return func() tea.Cmd {
			if n.Node != nil {
				tn.p.list.step(here(t.Hear(*n.Node)), "")
			}
			return tn.told(t, r, news, refused)
		}
	})
}

// onPage finds a shell command that looks at a run, for which the screen has a page.
var onPage = pattern.Of(`socrates work (?:review|show) (\S+)`)

// here is a text about what to do next, with what is typed on the screen for it.
func here(text string) string { return slash.Here(onPage().ReplaceAllString(text, "/runs $1")) }
