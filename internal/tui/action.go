package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/runpage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/treepage"
)

// Action is something a person can do in the screen.
type Action = action.Action[*Desk]

// of adapts a page's actions: they act on the page that is shown if it is of that kind, and otherwise say where
// they are available.
func of[P screen.Page](where action.Scope, all []action.Action[P], elsewhere string) (out []Action) {
	for _, a := range all {
		out = append(out, Action{Name: a.Name, Doc: a.Doc, Keys: a.Keys, Like: a.Like, Also: a.Also, Where: where,
			Do: func(d *Desk) tea.Cmd {
				if p, ok := d.current().(P); ok {
					return a.Do(p)
				}
				d.Tell(elsewhere)
				return nil
			}, Can: func(d *Desk) bool {
				p, ok := d.current().(P)
				return !ok || a.Can == nil || a.Can(p)
			}})
	}
	return out
}

// Actions returns all actions, by scope and then in display order.
func Actions() []Action {
	return slices.Concat(deskActions(), moreActions(), of(action.InChat, chatpage.Actions(), "only available in a conversation"),
		of(action.InDebate, roompage.Actions(), "only available in a debate"),
		[]Action{{Name: "tree-open", Doc: "Show the conversation as a tree", Like: "branches map", Keys: []string{"alt+t", "f3"},
			Also: "/tree", Do: func(d *Desk) tea.Cmd { return d.pages.treeOf() }}},
		of(action.InTree, treepage.Actions(), "only available in a tree; the palette opens one"),
		[]Action{{Name: "runs", Doc: "Runs and the queue", Like: "board work plan execute", Keys: []string{"f7"}, Also: "/runs",
			Do: func(d *Desk) tea.Cmd { return d.pages.runs("") }}},
		of(action.InRun, runpage.Actions(), "only available in a run; /runs lists them"),
		of(action.InBoard, runpage.BoardActions(), "only available on the board; /runs opens it"),
		[]Action{commandsOn("run", action.InRun), commandsOn("board", action.InBoard)})
}

// commandsOn lets a page without an input take the first key of a command for the palette: what follows would act as keys.
func commandsOn(page string, where action.Scope) Action {
	return Action{Name: page + "-commands", Doc: "Type a command", Where: where, Keys: []string{"/"},
		Do: func(d *Desk) tea.Cmd { return d.palette.show() }}
}

type keymap struct {
	all []Action
	at  map[string][]int
}

func newKeymap(chosen map[string][]string) keymap {
	m := keymap{all: Actions(), at: map[string][]int{}}
	for i := range m.all {
		if keys, ok := chosen[m.all[i].Name]; ok {
			m.all[i].Keys = keys
		}
		for _, k := range m.all[i].Keys {
			m.at[k] = append(m.at[k], i)
		}
	}
	return m
}

// find returns the action of a key in a scope; nil: none.
func (m keymap) find(k tea.KeyPressMsg, at action.Scope) *Action {
	var found *Action
	for _, i := range m.at[k.String()] {
		if a := &m.all[i]; a.Where == at {
			return a
		} else if a.Where == action.Anywhere {
			found = a
		}
	}
	return found
}

// key returns the first key of an action, as shown to people; empty: none.
func (m keymap) key(name string) string {
	for _, a := range m.all {
		if a.Name == name && len(a.Keys) > 0 {
			return a.Keys[0]
		}
	}
	return ""
}

// told returns the keys as shown to people.
func (m keymap) told() screen.Keys {
	out := screen.Keys{}
	for _, a := range m.all {
		out[a.Name] = screen.Hint{Key: m.key(a.Name), Doc: a.Doc}
	}
	return out
}

// CheckKeys returns an error if keys that a person chose are invalid.
func CheckKeys(chosen map[string][]string) error {
	var names []string
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	for name := range chosen {
		if !slices.Contains(names, name) {
			hint := ""
			if near := spelling.Nearest(name, names); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return fmt.Errorf("unknown action %s%s", name, hint)
		}
	}
	m := newKeymap(chosen)
	for key, at := range m.at {
		for i, a := range at {
			for _, b := range at[i+1:] {
				if m.all[a].Where == m.all[b].Where {
					return fmt.Errorf("%s is bound to both %s and %s", key, m.all[a].Name, m.all[b].Name)
				}
			}
		}
	}
	return nil
}

// scope returns the scope that the keys belong to now.
func (d *Desk) scope() action.Scope {
	if p := d.current(); p != nil {
		return p.State().Where
	}
	return action.Anywhere
}

// deskActions returns the actions on tabs and the program.
func deskActions() []Action {
	out := []Action{
		{Name: "palette", Doc: "Command palette", Keys: []string{"ctrl+k"}, Do: func(d *Desk) tea.Cmd { return d.palette.show() }},
		{Name: "help", Doc: "Help: the main keys", Like: "shortcuts keyboard version about", Keys: []string{"f1"}, Also: "?",
			Do: func(d *Desk) tea.Cmd { return d.palette.help() }},
		{Name: "keys", Doc: "All keys", Like: "shortcuts bindings", Do: func(d *Desk) tea.Cmd { return d.palette.keys() }},
		{Name: "tab-new", Doc: "New tab", Like: "session conversation", Keys: []string{"alt+n"}, Also: "/new",
			Do: func(d *Desk) tea.Cmd { return d.pages.begin() }},
		{Name: "tab-close", Doc: "Close tab", Keys: []string{"alt+w"}, Also: "/close", Do: (*Desk).closeCurrent},
		{Name: "tab-next", Doc: "Next tab", Keys: []string{"ctrl+pgdown", "alt+]"}, Also: "/tab",
			Do: func(d *Desk) tea.Cmd { d.show((d.at + 1) % len(d.tabs)); return nil }},
		{Name: "tab-previous", Doc: "Previous tab", Keys: []string{"ctrl+pgup", "alt+["},
			Do: func(d *Desk) tea.Cmd { d.show((d.at + len(d.tabs) - 1) % len(d.tabs)); return nil }},
	}
	for i := range 9 {
		out = append(out, Action{Name: fmt.Sprintf("tab-%d", i+1), Doc: fmt.Sprintf("Go to tab %d", i+1),
			Keys: []string{fmt.Sprintf("alt+%d", i+1)}, Also: fmt.Sprintf("/tab %d", i+1), Tab: i + 1,
			Do: func(d *Desk) tea.Cmd { d.show(i); return nil }})
	}
	return append(out,
		Action{Name: "quit", Doc: "Quit (asks if work is running)", Keys: []string{"ctrl+q"}, Like: "exit leave", Also: "/quit",
			Do: (*Desk).leave},
		Action{Name: "suspend", Doc: "Suspend", Keys: []string{"ctrl+z"},
			Do: func(*Desk) tea.Cmd { return tea.Suspend }},
		Action{Name: "redraw", Doc: "Redraw", Keys: []string{"ctrl+l"}, Do: func(*Desk) tea.Cmd { return tea.ClearScreen }},
	)
}

func (d *Desk) closeCurrent() tea.Cmd {
	if d.current().State().Mark == screen.Working && !d.current().State().Theirs {
		d.Tell("something is running here; stop it first with " + strings.Join([]string{d.keys.key("chat-stop"), "or wait"}, " "))
		d.Note.Bad = true
		return nil
	}
	d.closeTab(d.at)
	return nil
}
