package tui

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// sections are the headings of the table, by the first word of the keys.
var sections = map[string]string{"chat": "Agent", "permission": "Permissions", "sandbox": "Sandbox", "debate": "Debate",
	"screen": "Screen", "checks": "Checks", "refine": "Strategy refine", "decisions": "Decisions", "memory": "Memory", "context": "Context",
	"output": "Output", "store": "Store", "work": "Runs"}

// settingsList is the page of settings.
type settingsList struct {
	d       *Desk
	pick    *dialog.Pick
	changed bool // only those that differ from the defaults
}

// settings shows all settings, each with the origin of its value.
func (d *Desk) settings() tea.Cmd {
	l := d.newSettings()
	if cmd := l.fill(); l.d.Note.Bad {
		return cmd
	}
	d.Push(l.pick)
	return nil
}

// newSettings returns the page, still empty.
func (d *Desk) newSettings() *settingsList {
	l := &settingsList{d: d}
	l.pick = dialog.NewPick(d.Screen, "Settings", nil, l.edit)
	l.pick.List.Preview, l.pick.List.Below = l.about, true
	l.pick.List.Keys = []picker.Key{{Name: "ctrl+d", Does: "default"}, {Name: "ctrl+t", Does: "changed only"}}
	l.pick.Keys = map[string]func(picker.Item) tea.Cmd{"ctrl+d": l.unset}
	l.pick.Always = map[string]func() tea.Cmd{"ctrl+t": func() tea.Cmd { l.changed = !l.changed; return l.fill() }}
	l.pick.Stays = true
	return l
}

// actions offers each setting by its name and its parts, to be changed.
func (l *settingsList) actions() (out []picker.Item) {
	for _, s := range setting.All() {
		if strings.Contains(s.Key, "<") {
			continue
		}
		words := s.Key + " " + strings.Join(strings.FieldsFunc(s.Key, func(r rune) bool { return r == '.' || r == '_' }), " ")
		a := &Action{Name: s.Key, Doc: s.Doc, Do: func(*Desk) tea.Cmd { return l.edit(picker.Item{Value: s}) }}
		out = append(out, picker.Item{Title: s.Key, Say: s.Doc, Words: words, Group: "settings", Value: a})
	}
	return out
}

// fill reads the settings again.
func (l *settingsList) fill() tea.Cmd {
	c, err := l.d.home.Settings.Load()
	if err != nil {
		l.d.Fail(err)
		return nil
	}
	var items []picker.Item
	for _, s := range setting.All() {
		o := settled(c, s.Key)
		if strings.Contains(s.Key, "<") || l.changed && o.Layer == config.BuiltIn {
			continue
		}
		section, _, _ := strings.Cut(s.Key, ".")
		items = append(items, picker.Item{Title: line.Pad(s.Key, 26) + " " + l.shown(o.Value), Note: string(o.Layer),
			Words: s.Key, Group: cmp.Or(sections[section], "General"), Say: s.Doc, Value: s})
	}
	slices.SortStableFunc(items, func(a, b picker.Item) int { return cmp.Compare(rank(a.Group), rank(b.Group)) })
	l.pick.List.Nothing = "All settings have their default values."
	l.pick.List.SetItems(items)
	return nil
}

// rank orders sections: often changed ones first.
func rank(section string) int {
	if i := slices.Index([]string{"General", "Agent", "Permissions", "Debate", "Screen"}, section); i >= 0 {
		return i
	}
	return 9
}

// settled returns the effective value of a key.
func settled(c *config.Config, key string) config.Origin {
	for _, o := range c.Explain(key) {
		if o.Wins {
			return o
		}
	}
	return config.Origin{Key: key, Layer: config.BuiltIn}
}

// about describes a setting, its possible values, and where each of its values comes from.
func (l *settingsList) about(i picker.Item, w, _ int) (out []string) {
	s, t := i.Value.(setting.Row), l.d.Theme
	out = append(out, line.Wrap(s.Doc, w)...)
	may := string(s.Type)
	if len(s.Choices) > 0 {
		may = strings.Join(s.Choices, ", ")
	}
	out = append(out, t.Dim.On(line.Clip(fmt.Sprintf("%s · default %s", may, cmp.Or(s.Default, "empty")), w)))
	if c, err := l.d.home.Settings.Load(); err == nil {
		for _, o := range c.Explain(s.Key) {
			ink, mark := t.Dim, "  "
			if o.Wins {
				ink, mark = theme.Ink(""), "› "
			}
			value := line.One(l.shown(o.Value))
			place := line.One(l.d.Clean(strings.TrimSpace(filepath.Base(o.Place()) + " " + o.Note)))
			out = append(out, ink.On(line.Row(mark+line.Pad(string(o.Layer), 12)+" "+value, place, w)))
		}
	}
	return out
}

// edit asks for another value: from a list if there is one.
func (l *settingsList) edit(i picker.Item) tea.Cmd {
	s := i.Value.(setting.Row)
	c, err := l.d.home.Settings.Load()
	if err != nil {
		l.d.Fail(err)
		return nil
	}
	now := settled(c, s.Key).Value
	if s.Type == setting.Choice {
		var items []picker.Item
		for _, choice := range s.Choices {
			items = append(items, picker.Item{Title: choice, Now: choice == now,
				Note: map[bool]string{true: "default"}[choice == s.Default]})
		}
		p := dialog.NewPick(l.d.Screen, s.Key, items, func(i picker.Item) tea.Cmd { return l.keep(s, i.Title) })
		p.List.Select(max(0, slices.Index(s.Choices, now)))
		l.d.Push(p)
		return nil
	}
	l.d.Push(dialog.NewPrompt(l.d.Screen, s.Key, s.Doc, now, func(text string) tea.Cmd { return l.keep(s, text) }))
	return nil
}

// keep writes a value to the person's file.
func (l *settingsList) keep(s setting.Row, value string) tea.Cmd {
	return l.settle(s, l.d.home.Settings.Set(s.Key, value), "saved")
}

// unset removes a value from the person's file.
func (l *settingsList) unset(i picker.Item) tea.Cmd {
	s := i.Value.(setting.Row)
	return l.settle(s, l.d.home.Settings.Unset(s.Key), "unset")
}

// settle reports the result of a change, and what still overrides it.
func (l *settingsList) settle(s setting.Row, err error, done string) tea.Cmd {
	if bad, ok := errors.AsType[*config.Error](err); ok {
		l.d.Refuse(bad.Message)
		return nil
	} else if err != nil {
		l.d.Fail(err)
		return nil
	}
	l.fill()
	c, err := l.d.home.Settings.Load()
	if err != nil {
		l.d.Fail(err)
		return nil
	}
	o := settled(c, s.Key)
	var cmd tea.Cmd
	when := ""
	if s.Key == "screen.theme" {
		cmd, _ = l.d.commands.theme(o.Value)
	} else if strings.HasPrefix(s.Key, "screen.") {
		when = ", after a restart"
	}
	l.d.Tell(fmt.Sprintf("%s %s; now %s (%s)%s", s.Key, done, cmp.Or(o.Value, "empty"), o.Layer, when))
	return cmd
}

// shown formats a value for the list: an empty one is a dash.
func (l *settingsList) shown(value string) string {
	if value == "" || value == "[]" {
		return line.Sign(l.d.Theme, "–", "not set")
	}
	return l.d.Clean(value)
}
