package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// matters are the twelve most important keys: a key, or its action, and what it does.
var matters = [12]struct{ key, action, doc string }{
	{key: "enter", doc: "send"}, {key: "shift+enter", doc: "new line (also ctrl+j)"}, {key: "esc", doc: "stop the turn or close"},
	{key: "↑", action: "typed", doc: "earlier input; search"}, {key: "@  /  !", doc: "file, command, shell"},
	{key: "tab", doc: "next pane or view"}, {action: "palette", doc: "every command, by name"},
	{action: "models", doc: "choose the model"}, {action: "chat-mode", doc: "change the mode"},
	{action: "history", doc: "history"}, {action: "tree-open", doc: "conversation as a tree"}, {action: "quit", doc: "quit"},
}

// words are the terms a person needs to know.
var words = [][2]string{
	{"seat", "one model on the panel"},
	{"family", "models of one vendor, which tend to make the same mistakes"},
	{"claim", "a reason, with evidence that code can check"},
	{"dissent", "the strongest reason against the answer"},
	{"mode", "what runs without asking: plan < paranoid < balanced < yolo"},
	{"permission", "y once, n deny; s conversation, p project, then enter"},
}

// asked are the keys of a question about a permission, while the input is empty.
var asked = [][2]string{{"y", "Allow once"}, {"n", "Deny, and say why"}, {"s  enter", "Allow for this conversation"},
	{"p  enter", "Allow for this project"}, {"enter  esc", "Deny"}}

// help shows the most important keys and our terms, on one screen; another key shows all keys.
func (pl *palette) help() tea.Cmd {
	title := "Help"
	if pl.d.version != "" {
		title += " · Socrates " + pl.d.version
	}
	c := dialog.New(pl.d.Screen, title, pl.helpText)
	c.Offer("k", "all keys", pl.keys)
	c.Offer("c", "all commands", pl.show)
	if menu, input := pl.d.menu(); menu != nil && pl.d.scope() != 0 {
		c.Offer("/", "type a command", func() tea.Cmd { input.Begin("/"); return nil })
	}
	c.Offer("esc", "close", dialog.Nothing)
	pl.d.Push(c)
	return nil
}

// own are the keys of a page without an input, where none of those that matter types anything.
func (pl *palette) own(w int) (out []string) {
	for _, at := range []action.Scope{pl.d.scope(), action.Anywhere} {
		for _, a := range pl.d.keys.all {
			if key := pl.d.keys.key(a.Name); a.Where == at && key != "" &&
				(at != action.Anywhere || slices.Contains([]string{"palette", "history", "quit"}, a.Name)) {
				out = append(out, line.Clip(theme.Bold.On(line.Pad(key, 13))+a.Doc, w))
			}
		}
	}
	return out
}

func (pl *palette) helpText(w int) (out []string) {
	at := pl.d.scope()
	if at != action.Anywhere && pl.d.input() == nil {
		return pl.own(w)
	}
	var cells []string
	for _, m := range matters {
		switch {
		case at == action.InDebate && m.action == "chat-mode": // the same key goes through the views there
			m.action, m.doc = "debate-previous", "previous view"
		case at == action.InDebate && m.doc == "file, command, shell":
			m.key, m.doc = "@  /", "file, command"
		}
		key := strings.TrimSpace(m.key + "  " + pl.d.keys.key(m.action))
		cells = append(cells, theme.Bold.On(line.Pad(key, 13))+m.doc)
	}
	half, columns := (w-2)/2, len(cells)/2
	if w < 64 || pl.d.Plain {
		columns = len(cells)
	}
	for i := range columns {
		row := cells[i]
		if columns < len(cells) {
			row = line.Pad(line.Clip(row, half), half) + "  " + cells[columns+i]
		}
		out = append(out, line.Clip(row, w))
	}
	out = append(out, "", theme.Bold.On("Words"))
	for _, word := range words {
		out = append(out, line.Clip(theme.Bold.On(line.Pad(word[0], 13))+pl.d.Theme.Dim.On(word[1]), w))
	}
	return out
}
