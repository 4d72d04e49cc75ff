package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
)

// typable returns the commands of the current page as actions, without those that have an action in known.
func (pl *palette) typable(known []*Action) (out []*Action) {
	var all []slash.Command
	var submit func(text string) tea.Cmd
	input, here := pl.d.input(), pl.d.scope()
	switch p := pl.d.current().(type) {
	case *chatpage.Page:
		all, submit = slash.Table(), p.Submit
		for _, c := range pl.d.Slash(pl.d.Dir).Pages() {
			all = append(all, slash.Command{Name: c.Name, Args: c.Args, Doc: c.Doc})
		}
	case *roompage.Page:
		all, submit = p.Commands(), p.Submit
	}
	for _, c := range all {
		stands := func(a *Action) bool {
			return slices.Contains(strings.FieldsFunc(a.Also, func(r rune) bool { return r == ' ' || r == ',' }), "/"+c.Name)
		}
		if here == action.Anywhere || slices.ContainsFunc(known, stands) {
			continue
		}
		begin := func(*Desk) tea.Cmd {
			if c.Args == "" {
				return submit("/" + c.Name)
			}
			input.Begin("/" + c.Name + " ") // the text in the input becomes its arguments
			return nil
		}
		out = append(out, &Action{Name: c.Name, Doc: c.Doc, Also: c.Form(), Like: strings.Join(c.Like, " "), Typed: true, Where: here,
			Do: begin})
	}
	return out
}
