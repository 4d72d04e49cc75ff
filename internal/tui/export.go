package tui

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
)

// exporting exports the debate that is shown; a conversation does so itself.
func (cl *commandLine) exporting(file string) (tea.Cmd, bool) {
	p, ok := cl.d.current().(*roompage.Page)
	switch {
	case !ok && file == "":
		return cl.exportHere(), true
	case !ok:
		return nil, cl.onlyChat()
	case p.Kept().Name == "":
		cl.d.Refuse("the debate has not started yet")
		return nil, true
	case file == "":
		file = p.Kept().Name + ".md"
	}
	return cl.export(p.Kept(), file), true
}

// exportHere exports what is shown, a tree as its conversation.
func (cl *commandLine) exportHere() tea.Cmd {
	k := cl.d.current().Kept()
	if k.Name == "" {
		cl.d.Tell("nothing to write yet")
		return nil
	}
	return cl.export(k, k.Name+".md")
}

// export shows a conversation or a debate as a file, and writes it if the person agrees.
func (cl *commandLine) export(k Kept, file string) tea.Cmd {
	return cl.d.Away(func(ctx context.Context) func() tea.Cmd {
		text, dir, err := cl.exported(ctx, k, strings.TrimPrefix(filepath.Ext(file), "."))
		return func() tea.Cmd {
			if err != nil {
				cl.d.Fail(err)
				return nil
			}
			cl.d.Push(dialog.Write(cl.d.Screen, dir, slash.File{Path: file, Text: text}))
			return nil
		}
	})
}

// exported returns a conversation or debate as the text of a file, and its folder.
func (cl *commandLine) exported(ctx context.Context, k Kept, format string) (text, dir string, err error) {
	if k.Page != "debate" {
		t, err := conversation.In(cl.d.Engine).Open(ctx, k.Name)
		if err != nil {
			return "", "", err
		}
		text, err = cl.d.Slash(t.Dir).Export(ctx, t, format)
		return text, cl.d.Dir, err
	}
	res, err := rooms.Named(ctx, rooms.In(cl.d.Engine), k.Name)
	switch {
	case err != nil:
	case format == "md" || format == "":
		text = document.Of(res).Markdown()
	case format == "html":
		text = document.Of(res).HTML()
	default:
		err = &engine.Refusal{Message: "here, a debate can be exported as .md or .html",
			Hint: "for other formats: socrates debate export " + k.Name}
	}
	return text, cl.d.Dir, err
}
