package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// place is where an action can be done.
type place int

// The places. An action of Anywhere can be done in each of them.
const (
	anywhere place = iota
	inChat
	inDebate
	inTree
)

// places are what the places are called.
var places = map[place]string{anywhere: "everywhere", inChat: "in a conversation", inDebate: "in a debate", inTree: "in a tree"}

// Action is something a person can do: by a key, or by its name in the palette.
type Action struct {
	Name  string // how settings call it
	Doc   string // what it does, in a few words
	Keys  []string
	Also  string // another way, where terminals send no such key: a slash command, for example
	Where place
	Tab   int // it goes to the tab of this number; 0: it does something else
	Do    func(d *Desk) tea.Cmd
}

// names are what an action is called: in settings, and as commands that do the same.
func (a *Action) names() string {
	names := a.Name
	for word := range strings.FieldsFuncSeq(a.Also, func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.HasPrefix(word, "/") && a.Tab == 0 { // nine of them would come first
			names += " " + word
		}
	}
	return names
}

// Actions are all actions, by place and then as they are shown.
func Actions() []Action {
	return slices.Concat(deskActions(), moreActions(), chatActions(), debateActions(), treeActions())
}

// keymap finds actions by keys.
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

// find is the action of a key at a place; nil: there is none.
func (m keymap) find(k tea.KeyPressMsg, at place) *Action {
	var found *Action
	for _, i := range m.at[k.String()] {
		if a := &m.all[i]; a.Where == at {
			return a
		} else if a.Where == anywhere {
			found = a
		}
	}
	return found
}

// key is the first key of an action, as people are told; empty: it has none.
func (m keymap) key(name string) string {
	for _, a := range m.all {
		if a.Name == name && len(a.Keys) > 0 {
			return a.Keys[0]
		}
	}
	return ""
}

// told is what people are told of the actions.
func (m keymap) told() screen.Keys {
	out := screen.Keys{}
	for _, a := range m.all {
		out[a.Name] = screen.Hint{Key: m.key(a.Name), Doc: a.Doc}
	}
	return out
}

// CheckKeys says what is wrong with keys that a person chose: nil if nothing is.
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
			return fmt.Errorf("there is no action %s%s", name, hint)
		}
	}
	m := newKeymap(chosen)
	for key, at := range m.at {
		for i, a := range at {
			for _, b := range at[i+1:] {
				if m.all[a].Where == m.all[b].Where {
					return fmt.Errorf("%s is the key of both %s and %s", key, m.all[a].Name, m.all[b].Name)
				}
			}
		}
	}
	return nil
}

// place is where the keys go now.
func (d *Desk) place() place {
	switch p := d.current().(type) {
	case *chatPage:
		if p.ask == nil && p.find == nil {
			return inChat
		}
	case *debatePage:
		if p.find == nil {
			return inDebate
		}
	case *treePage:
		if !p.typing() {
			return inTree
		}
	}
	return anywhere
}

// deskActions are those of tabs and of the program.
func deskActions() []Action {
	out := []Action{
		{Name: "palette", Doc: "do anything by its name", Keys: []string{"ctrl+k"}, Do: (*Desk).palette},
		{Name: "help", Doc: "show all keys", Keys: []string{"f1"}, Also: "?", Do: (*Desk).help},
		{Name: "tab-new", Doc: "begin a conversation in a new tab", Keys: []string{"alt+n"}, Also: "/new", Do: func(d *Desk) tea.Cmd { d.open(d.newChat); return nil }},
		{Name: "tab-close", Doc: "close the tab; what is said is kept", Keys: []string{"alt+w"}, Also: "/close", Do: (*Desk).closeCurrent},
		{Name: "tab-next", Doc: "go to the next tab", Keys: []string{"ctrl+pgdown", "alt+]"}, Also: "/tab", Do: func(d *Desk) tea.Cmd { d.turnTo((d.at + 1) % len(d.tabs)); return nil }},
		{Name: "tab-previous", Doc: "go to the tab before", Keys: []string{"ctrl+pgup", "alt+["}, Do: func(d *Desk) tea.Cmd { d.turnTo((d.at + len(d.tabs) - 1) % len(d.tabs)); return nil }},
	}
	for i := range 9 {
		out = append(out, Action{Name: fmt.Sprintf("tab-%d", i+1), Doc: fmt.Sprintf("go to tab %d", i+1), Keys: []string{fmt.Sprintf("alt+%d", i+1)}, Also: fmt.Sprintf("/tab %d", i+1), Tab: i + 1, Do: func(d *Desk) tea.Cmd { d.turnTo(i); return nil }})
	}
	return append(out,
		Action{Name: "quit", Doc: "leave; what runs is asked about first", Keys: []string{"ctrl+q"}, Also: "/quit", Do: (*Desk).leave},
		Action{Name: "suspend", Doc: "put the program into the background of the shell", Keys: []string{"ctrl+z"}, Do: func(*Desk) tea.Cmd { return tea.Suspend }},
		Action{Name: "redraw", Doc: "draw the screen anew", Keys: []string{"ctrl+l"}, Do: func(*Desk) tea.Cmd { return tea.ClearScreen }},
	)
}

func (d *Desk) closeCurrent() tea.Cmd {
	if d.current().State().Mark == screen.Working && !d.current().State().Theirs {
		d.Tell("something is at work here; end it first with " + strings.Join([]string{d.keys.key("chat-stop"), "or wait"}, " "))
		d.Note.Bad = true
		return nil
	}
	d.closeTab(d.at)
	return nil
}
