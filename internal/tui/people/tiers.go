package people

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Choice is a model that a seat could answer with.
type Choice struct {
	Spec  string // identifies it
	Tier  string // its tier at its vendor; empty: none
	Model string
	Price string // of a million tokens; empty: unknown
}

// note describes a choice.
func (c Choice) note() string {
	return strings.TrimSuffix(strings.TrimPrefix(c.Model+screen.Between+c.Price, screen.Between), screen.Between)
}

// prices explains the prices in a list; empty: it has none.
func prices(all []Choice) string {
	for _, c := range all {
		if strings.HasPrefix(c.Price, "$") {
			return " · prices per million tokens"
		}
	}
	return ""
}

// chooseTier asks which of its models a seat uses by default.
func (ps *People) chooseTier(s Candidate, then func(c Choice) tea.Cmd) tea.Cmd {
	var items []picker.Item
	current := 0
	add := func(c Choice, title, note string, is bool) {
		i := picker.Item{Title: line.One(ps.Clean(title)), Note: note, Group: s.Name + prices(s.Choices), Value: c}
		if is {
			current, i.Now = len(items), true
		}
		items = append(items, i)
	}
	if s.open() && s.Tier != "" {
		add(Choice{Spec: s.Open}, line.Pad("any", 8)+"from the settings; some phases use another (/phase)", "", false)
	} else if s.open() {
		add(Choice{Spec: s.Open}, line.Pad("any", 8)+ps.usual(s), "", true)
	}
	for _, c := range s.Choices {
		is := c.Tier == s.Tier && s.Tier != "" || s.Tier == "" && !s.open() && c.Spec == s.Spec
		if c.Tier != "" {
			add(c, line.Pad(c.Tier, 8)+c.Model, c.Price, is)
		} else {
			add(c, c.Model, c.Price, is)
		}
	}
	p := dialog.NewPick(ps.Screen, "Choose a model from "+s.Name, items, func(i picker.Item) tea.Cmd { return then(i.Value.(Choice)) })
	p.List.Select(current)
	ps.Push(p)
	return nil
}

// usual names the model of a seat that leaves it open.
func (ps *People) usual(s Candidate) string {
	if is := strings.TrimSuffix(ps.answering(s), screen.Between); is != "" {
		return is + "; some phases use another (/phase)"
	}
	return "the configured one; some phases use another (/phase)"
}

// keepTier sets the default tier of a seat's vendor.
func (ps *People) keepTier(s Candidate, then func() tea.Cmd) tea.Cmd {
	if len(s.Choices) == 0 || s.Choices[0].Tier == "" {
		ps.Tell(s.Name + " has no tiers")
		return nil
	}
	return ps.chooseTier(s, func(c Choice) tea.Cmd {
		if file, ok := ps.keep("tiers."+s.Name, c.Tier); ok && c.Tier == "" {
			ps.Tell("removed the tier for " + s.Name + " from " + file)
		} else if ok {
			ps.Tell(s.Name + " uses " + c.Tier + " by default; saved in " + file)
		}
		return then()
	})
}

// keep writes a setting and looks up the names of models again.
func (ps *People) keep(key, value string) (file string, ok bool) {
	if ps.Keep == nil {
		ps.Tell("settings cannot be saved here")
		return "", false
	}
	file, err := ps.Keep(key, value)
	ps.Fail(err)
	ps.names = nil
	ps.desk.Renew()
	return file, err == nil
}

// take makes a seat answer from now on, here and in later conversations, with the tier that the person chooses.
func (ps *People) take(s Candidate) tea.Cmd {
	if len(s.Choices) == 0 {
		return ps.answerAlways(s, Choice{Spec: s.Spec})
	}
	return ps.chooseTier(s, func(c Choice) tea.Cmd { return ps.answerAlways(s, c) })
}

// answerAlways stores the default model and its tier.
func (ps *People) answerAlways(s Candidate, c Choice) tea.Cmd {
	spec := c.Spec
	if c.Tier != "" && s.open() { // the tier applies to the vendor, in debates too; phases may ask for another
		spec = s.Open
	}
	if c.Tier != s.Tier && s.open() {
		if _, ok := ps.keep("tiers."+s.Name, c.Tier); !ok {
			return nil
		}
	}
	file, ok := ps.keep("chat.model", spec)
	if !ok {
		return nil
	}
	said := spec + " is now the model"
	if c.Tier != "" && spec != c.Spec {
		said = s.Name + " is now the model, tier " + c.Tier + "; some phases use another (/phase)"
	}
	said += "; saved in " + file
	ps.Nobody = nil
	if c, ok := ps.desk.Here(); ok {
		return tea.Batch(c.Answer(spec, said), ps.Look(ps.Survey))
	}
	ps.Tell(said)
	return ps.Look(ps.Survey)
}

// known is the display data of a model.
type known struct {
	name, tier string
	window     int
}

// Called returns the display name and tier of the model for a setting. It is looked up once.
func (ps *People) Called(spec, phase string) (name, tier string) {
	k := ps.known(spec, phase)
	return k.name, k.tier
}

// Window returns the window in tokens of the model for a setting; 0: unknown.
func (ps *People) Window(spec, phase string) int { return ps.known(spec, phase).window }

func (ps *People) known(spec, phase string) known {
	if ps.Named == nil || spec == "" {
		return known{name: spec}
	}
	key := [2]string{spec, phase}
	is, ok := ps.names[key]
	if !ok {
		if ps.names == nil {
			ps.names = map[[2]string]known{}
		}
		name, tier, window := ps.Named(spec, phase)
		is = known{line.One(ps.Clean(name)), line.One(ps.Clean(tier)), window}
		ps.names[key] = is
	}
	return is
}

// Mode returns the permission mode for a setting (empty: the default) in a phase, which may allow less. A phase
// is looked up once.
func (ps *People) Mode(set, phase string) string {
	mode := permission.Mode(cmp.Or(set, string(permission.Balanced)))
	if ps.Limit == nil || phase == "" {
		return string(mode)
	}
	limit, ok := ps.limits[phase]
	if !ok {
		if ps.limits == nil {
			ps.limits = map[string]string{}
		}
		limit = ps.Limit(phase)
		ps.limits[phase] = limit
	}
	if limit == "" {
		return string(mode)
	}
	return string(mode.Stricter(permission.Mode(limit)))
}
