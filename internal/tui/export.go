package tui

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
)

// exportCommand writes the debate that is shown; a conversation does so itself.
func (d *Desk) exportCommand(file string) (tea.Cmd, bool) {
	p, ok := d.current().(*roompage.Page)
	switch {
	case !ok:
		return nil, d.onlyChat()
	case p.Kept().Name == "":
		d.Refuse("the debate has not begun yet")
		return nil, true
	case file == "":
		file = p.Kept().Name + ".md"
	}
	return d.export(p.Kept(), file), true
}

// exportHere writes what is shown, a tree as its conversation.
func (d *Desk) exportHere() tea.Cmd {
	k := d.current().Kept()
	if k.Name == "" {
		d.Tell("there is nothing to write yet")
		return nil
	}
	return d.export(k, k.Name+".md")
}

// export shows a conversation or a debate as a file, and writes it once the person agrees.
func (d *Desk) export(k Kept, file string) tea.Cmd {
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		text, dir, err := d.exported(ctx, k, strings.TrimPrefix(filepath.Ext(file), "."))
		return func() tea.Cmd {
			if err != nil {
				d.Fail(err)
				return nil
			}
			d.Push(dialog.Write(d.Screen, dir, slash.File{Path: file, Text: text}))
			return nil
		}
	})
}

// exported is a conversation or debate as the text of a file, and the folder it belongs to.
func (d *Desk) exported(ctx context.Context, k Kept, format string) (text, dir string, err error) {
	if k.Page != "debate" {
		t, err := d.Engine.OpenTree(ctx, k.Name)
		if err != nil {
			return "", "", err
		}
		text, err = d.Slash(t.Dir).Export(ctx, t, format)
		return text, d.Dir, err
	}
	root, err := d.Engine.Room(ctx, k.Name)
	if err != nil {
		return "", "", err
	}
	res, err := d.Engine.Result(ctx, root)
	switch {
	case err != nil:
	case format == "md" || format == "":
		text = res.Decision
	case format == "html":
		text = debate.HTML(res)
	default:
		err = &engine.Refusal{Message: "a debate is written from here as .md or .html", Hint: "socrates debate export " + k.Name + " knows more"}
	}
	return text, d.Dir, err
}
