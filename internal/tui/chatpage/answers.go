package chatpage

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// Compare lets the person choose two answers, on any branch, and shows them side by side.
func (st *standing) Compare() tea.Cmd {
	root := st.scene.Tree.Root
	return st.d.Away(func(ctx context.Context) func() tea.Cmd {
		nodes, err := st.d.Engine.Tree(ctx, root)
		return func() tea.Cmd {
			if err != nil {
				st.d.Fail(err)
				return nil
			}
			items, twins := st.answers(nodes)
			dialog.Compare(st.d, items, twins)
			return nil
		}
	})
}

// answers returns the answers of a conversation, the newest first, under their questions; twins are the newest
// two to the same question.
func (st *standing) answers(nodes []tree.Node) (items []picker.Item, twins []int) {
	type question struct {
		id   tree.ID
		text string
	}
	asked := map[tree.ID]question{} // the question of each node
	first := map[tree.ID]int{}
	var all []dialog.Answer
	var to []question
	for _, n := range nodes {
		asked[n.ID] = asked[n.Parent]
		switch b := scene.ChatBody(n).(type) {
		case talk.Said:
			asked[n.ID] = question{n.ID, b.Text}
		case talk.Reply:
			if b.Answer() != "" {
				all, to = append(all, dialog.Answer{Who: cmp.Or(b.Answers, b.Model), Text: b.Answer()}), append(to, asked[n.ID])
			}
		}
	}
	slices.Reverse(all)
	slices.Reverse(to)
	for i, a := range all {
		items = append(items, picker.Item{Title: line.One(st.d.Clean(a.Who + ": " + a.Text)),
			Group: line.Clip(line.One(st.d.Clean("❯ "+to[i].text)), 80), Value: a})
		if at, again := first[to[i].id]; again && twins == nil {
			twins = []int{at, i}
		} else if !again {
			first[to[i].id] = i
		}
	}
	return items, twins
}
