package tui

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/sample"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/runpage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/treepage"
)

// pages opens pages in tabs, and finds the open ones.
type pages struct{ d *Desk }

// openTree shows a conversation's tree in a tab of its own.
func (pg *pages) openTree(name string) tea.Cmd {
	for i, t := range pg.d.tabs {
		if k := t.Kept(); k.Page == "tree" && k.Name == name {
			pg.d.show(i)
			return nil
		}
	}
	var p *treepage.Page
	pg.d.open(func(id int) screen.Page {
		p = treepage.New(pg.d.Screen, id, name)
		return p
	})
	return p.Load()
}

// openRun shows a run in a new tab, or goes to the tab that shows it.
func (pg *pages) openRun(name string) tea.Cmd {
	for i, t := range pg.d.tabs {
		if k := t.Kept(); k.Page == "run" && k.Name == name {
			pg.d.show(i)
			return nil
		}
	}
	var p *runpage.Page
	pg.d.open(func(id int) screen.Page {
		p = runpage.New(pg.d.Screen, id, name)
		return p
	})
	return p.Load()
}

// runs shows the board of runs, or a run.
func (pg *pages) runs(name string) tea.Cmd {
	if name != "" {
		return pg.openRun(name)
	}
	for i, t := range pg.d.tabs {
		if t.Kept().Page == "runs" {
			pg.d.show(i)
			return nil
		}
	}
	b := runpage.NewBoard(pg.d.Screen, pg.openRun)
	pg.d.open(func(int) screen.Page { return b })
	return b.Load()
}

// treeOf shows the tree of the conversation that is shown, or that the debate that is shown answers.
func (pg *pages) treeOf() tea.Cmd {
	name := ""
	switch p := pg.d.current().(type) {
	case *chatpage.Page:
		if name = p.Kept().Name; name == "" {
			pg.d.Tell("no tree yet: send a message first")
			return nil
		}
	case *roompage.Page:
		name = roompage.Asker(p)
	case *treepage.Page:
		return nil
	}
	if name == "" {
		pg.d.Tell("only conversations have a tree; " + pg.d.keys.key("history") + " lists them")
		return nil
	}
	return pg.openTree(name)
}

// recheck makes the page of a conversation check whether it was moved.
func (pg *pages) recheck(name string) tea.Cmd {
	for _, t := range pg.d.tabs {
		if c, ok := t.Page.(*chatpage.Page); ok && c.Kept().Name == name {
			return c.Recheck()
		}
	}
	return nil
}

// newRoom returns the page of a debate that has yet to begin or be opened.
func (pg *pages) newRoom() (p *roompage.Page) {
	pg.d.open(func(id int) screen.Page { p = roompage.New(pg.d.Screen, id); return p })
	return p
}

// debate starts a debate in a tab of its own; its decision is added to a conversation.
func (pg *pages) debate(asked rooms.Asked, back string) tea.Cmd {
	asked.Seats = pg.d.Seated
	frame := func(ctx context.Context) (rooms.Debate, error) { return rooms.Ask(ctx, pg.d.Engine, asked) }
	return pg.newRoom().Begin(asked.Question, back, "/debate "+slash.DebateLine(asked), frame)
}

// openDebate shows a debate in a new tab, or goes to the tab that shows it. If back is not empty, its decision
// is added to the conversation of that name.
func (pg *pages) openDebate(room, back string) tea.Cmd {
	for i, t := range pg.d.tabs {
		if k := t.Kept(); k.Page == "debate" && k.Name == room {
			pg.d.show(i)
			return nil
		}
	}
	return pg.newRoom().Open(room, back)
}

// planDecision begins a conversation that plans the decision of a debate. Without a usable model it begins
// none.
func (pg *pages) planDecision(room string) tea.Cmd {
	dir := pg.d.Dir
	return pg.d.Away(func(ctx context.Context) func() tea.Cmd {
		_, nobody := pg.d.people.Model(ctx)
		if nobody != nil && pg.d.people.Seats != nil {
			return func() tea.Cmd {
				pg.d.people.Nobody = nobody
				pg.d.Tell("planning the decision needs a model: connect one, then press " + pg.d.Keys.Key("debate-execute") + " again")
				return pg.d.people.Setup()
			}
		}
		name, err := runs.In(pg.d.Engine).Conversation(ctx, dir, room)
		env := pg.d.Slash(dir)
		env.Tree = name
		set := map[string]string{}
		if err == nil {
			set, err = env.Settings(ctx)
		}
		return func() tea.Cmd {
			if err != nil {
				pg.d.Fail(err)
				return nil
			}
			cmd := pg.openChat(name)
			if p, ok := pg.d.current().(*chatpage.Page); ok {
				p.State().Input.Set("Plan the decision.")
				p.Below = "Enter writes the plan; /exec then executes it\n" + env.Phased(set)
			}
			return cmd
		}
	})
}

// begins reports whether the current page offers ways to begin: nothing was sent, typed or opened there yet.
// With a screen reader a list replaces it.
func (d *Desk) begins() bool {
	return !d.Plain && d.empty()
}

// empty reports whether nothing was sent, typed or opened on the current page.
func (d *Desk) empty() bool {
	p, ok := d.current().(*chatpage.Page)
	return ok && p.Kept().Name == "" && p.State().Input.Empty()
}

// rehearsal shows a debate without a model: about this folder, or about a sample.
func (pg *pages) rehearsal(question string) tea.Cmd {
	if question != "" {
		return pg.debate(rooms.Asked{Question: question, Flags: []string{"--seat=" + scheme.Rehearsal + ":" + scheme.Slowly}}, "")
	}
	return pg.newRoom().Begin("A rehearsal", "", "", pg.sampled)
}

// sampled makes a debate about the sample project, which is written beside the store each time.
func (pg *pages) sampled(ctx context.Context) (rooms.Debate, error) {
	file, err := pg.d.home.Settings.StoreFile()
	if err != nil {
		return rooms.Debate{}, err
	}
	dir, err := filepath.Abs(filepath.Join(filepath.Dir(file), "demo"))
	if err != nil {
		return rooms.Debate{}, err
	}
	if err := sample.Write(dir); err != nil {
		return rooms.Debate{}, err
	}
	seats := []string{scheme.Rehearsal + ":" + scheme.Slowly}
	return rooms.Ask(ctx, pg.d.Engine, rooms.Asked{Question: sample.Question, Dir: dir, Seats: seats})
}

// findModel discovers the model of new conversations, and the offers of the first page. With a screen reader, a
// dialog asks at once what to do if there is no model.
func (d *Desk) findModel() tea.Cmd {
	return d.people.Look(func() tea.Cmd {
		switch alone := len(d.tabs) == 1 && len(d.Dialogs) == 0; {
		case d.begins():
			return d.people.Survey()
		case d.people.Nobody != nil && d.people.Seats != nil && d.Plain && alone && d.empty():
			return d.people.Setup()
		}
		return nil
	})
}

// renew discovers the models that commands offer again.
func (pg *pages) renew() {
	for _, t := range pg.d.tabs {
		if p, ok := t.Page.(*chatpage.Page); ok {
			p.Renew()
		}
	}
}

// here returns the conversation that is shown.
func (pg *pages) here() (c people.Conversation, ok bool) {
	p, ok := pg.d.current().(*chatpage.Page)
	if !ok {
		return c, false
	}
	in := p.State().Input
	return people.Conversation{Model: p.Setting("model"), Answer: p.Answer, Type: in.Set,
		Add: func(text string) { in.Set(strings.TrimLeft(in.Text()+"\n"+text, "\n")) }}, true
}

// table lists the seats of the debates that a conversation asked.
func (pg *pages) table(back string, tell func(text string, open func() tea.Cmd)) {
	for i, t := range pg.d.tabs {
		if p, ok := t.Page.(*roompage.Page); ok {
			for _, text := range p.Seats(back) {
				tell(text, func() tea.Cmd { pg.d.show(i); return nil })
			}
		}
	}
}

// chat returns the conversation that is shown; nil: none, or it has not begun.
func (pg *pages) chat() *chatpage.Page {
	if p, ok := pg.d.current().(*chatpage.Page); ok && p.Kept().Name != "" {
		return p
	}
	return nil
}

// changes shows the files changed since the conversation began.
func (pg *pages) changes() tea.Cmd {
	if p := pg.chat(); p != nil {
		return p.Changes("")
	}
	pg.d.Refuse("no changed files yet: send a message first")
	return nil
}

// compare lets the person choose two answers, of a conversation on any branch or of a debate, and shows them
// side by side.
func (pg *pages) compare() tea.Cmd {
	if p := pg.chat(); p != nil {
		return p.Compare()
	} else if p, ok := pg.d.current().(*roompage.Page); ok {
		return p.Compare()
	}
	pg.d.Refuse("nothing to compare yet")
	return nil
}

// newChat makes a conversation that begins with the first message.
func (pg *pages) newChat(id int) screen.Page { return chatpage.New(pg.d.Screen, pg.d.people, id) }

// begin opens a conversation that has not begun, and finds its offers unless they are known.
func (pg *pages) begin() tea.Cmd {
	if pg.d.open(pg.newChat); pg.d.people.Opening != nil {
		return nil
	}
	return pg.d.people.Survey()
}

// openChat shows a conversation in a new tab, or goes to the tab that shows it.
func (pg *pages) openChat(name string) tea.Cmd {
	for i, t := range pg.d.tabs {
		if k := t.Kept(); k.Page == "chat" && k.Name == name {
			pg.d.show(i)
			return nil
		}
	}
	return pg.d.open(pg.newChat).Page.(*chatpage.Page).Open(name)
}
