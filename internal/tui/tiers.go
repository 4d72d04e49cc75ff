package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Choice is a model that a seat could answer with.
type Choice struct {
	Spec  string // names it
	Tier  string // of its vendor that means it; empty: none
	Model string
	Price string // of a million tokens; empty: nobody knows
}

// note is what there is to know of a choice.
func (c Choice) note() string {
	return strings.TrimSuffix(strings.TrimPrefix(c.Model+screen.Between+c.Price, screen.Between), screen.Between)
}

// prices says over a list what the prices in it are for; empty: there are none.
func prices(all []Choice) string {
	for _, c := range all {
		if strings.HasPrefix(c.Price, "$") {
			return " · prices per million tokens"
		}
	}
	return ""
}

// chooseTier asks which of its models a seat answers with where nobody names one.
func (d *Desk) chooseTier(s Seat, then func(c Choice) tea.Cmd) tea.Cmd {
	var items []picker.Item
	current := 0
	add := func(c Choice, title, note string, is bool) {
		i := picker.Item{Title: line.One(d.Clean(title)), Note: note, Group: s.Name + prices(s.Choices), Value: c}
		if is {
			current, i.Mark = len(items), "●"
		}
		items = append(items, i)
	}
	if s.open() && s.Tier != "" {
		add(Choice{Spec: s.Open}, line.Pad("any", 8)+"what a phase or the settings ask", "", false)
	} else if s.open() {
		add(Choice{Spec: s.Open}, line.Pad("any", 8)+d.usual(s), "", true)
	}
	for _, c := range s.Choices {
		is := c.Tier == s.Tier && s.Tier != "" || s.Tier == "" && !s.open() && c.Spec == s.Spec
		if c.Tier != "" {
			add(c, line.Pad(c.Tier, 8)+c.Model, c.Price, is)
		} else {
			add(c, c.Model, c.Price, is)
		}
	}
	p := dialog.NewPick(d.Screen, "Which model of "+s.Name+"?", items, func(i picker.Item) tea.Cmd { return then(i.Value.(Choice)) })
	p.List.Select(current)
	d.Push(p)
	return nil
}

// usual says which model answers for a seat that leaves it open.
func (d *Desk) usual(s Seat) string {
	if is := strings.TrimSuffix(d.answering(s), screen.Between); is != "" {
		return is + ", or what a phase asks"
	}
	return "as it is set itself, or what a phase asks"
}

// keepTier sets the tier of a seat's vendor wherever nobody names a model.
func (d *Desk) keepTier(s Seat, then func() tea.Cmd) tea.Cmd {
	if len(s.Choices) == 0 || s.Choices[0].Tier == "" {
		d.Tell(s.Name + " has no tiers")
		return nil
	}
	return d.chooseTier(s, func(c Choice) tea.Cmd {
		if file, ok := d.keep("tiers."+s.Name, c.Tier); ok && c.Tier == "" {
			d.Tell(s.Name + " has no tier of its own any more, says " + file)
		} else if ok {
			d.Tell(s.Name + " is " + c.Tier + " where nobody names a model; kept in " + file)
		}
		return then()
	})
}

// relook has the models that commands offer looked up anew.
func (d *Desk) relook() {
	for _, t := range d.tabs {
		if p, ok := t.Page.(*chatPage); ok {
			p.env.Models = d.Slash(p.env.Dir).Models
		}
	}
}

// keep writes a setting down. What it means for the names of models is looked up anew.
func (d *Desk) keep(key, value string) (file string, ok bool) {
	if d.Keep == nil {
		d.Tell("nothing can be kept here")
		return "", false
	}
	file, err := d.Keep(key, value)
	d.Fail(err)
	d.names = nil
	d.relook()
	return file, err == nil
}

// take has a seat answer from now on, here and in conversations that begin later, with the tier that the person chooses.
func (d *Desk) take(s Seat) tea.Cmd {
	if len(s.Choices) == 0 {
		return d.answerAlways(s, Choice{Spec: s.Spec})
	}
	return d.chooseTier(s, func(c Choice) tea.Cmd { return d.answerAlways(s, c) })
}

// answerAlways keeps who answers, and their tier.
func (d *Desk) answerAlways(s Seat, c Choice) tea.Cmd {
	spec := c.Spec
	if c.Tier != "" && s.open() { // the tier is the vendor's, in debates too; phases may ask for another
		spec = s.Open
	}
	if c.Tier != s.Tier && s.open() {
		if _, ok := d.keep("tiers."+s.Name, c.Tier); !ok {
			return nil
		}
	}
	file, ok := d.keep("chat.model", spec)
	if !ok {
		return nil
	}
	said := spec + " answers from now on"
	if c.Tier != "" && spec != c.Spec {
		said = s.Name + " answers from now on, " + c.Tier + " where no phase asks for another"
	}
	said += "; kept in " + file
	d.noModel = nil
	if p, ok := d.current().(*chatPage); ok {
		return tea.Batch(p.answer(spec, said), d.lookModel(dialog.Nothing))
	}
	d.Tell(said)
	return d.lookModel(dialog.Nothing)
}

// answer has somebody answer in this conversation from now on, and says so.
func (p *chatPage) answer(spec, said string) tea.Cmd {
	if p.env.Tree == "" {
		p.env.Begin["model"] = spec
		p.d.Tell(said)
		return nil
	}
	return p.d.Do(engine.Set{Tree: p.env.Tree, Key: "model", Value: spec}, func(err error) tea.Cmd {
		if err == nil {
			p.d.Tell(said)
		}
		return p.recheck()
	})
}
