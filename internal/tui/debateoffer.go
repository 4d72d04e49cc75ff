package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
)

// offer finds what can be said to the debate as it stands.
func (p *debatePage) offer() tea.Cmd {
	names := map[string][]slash.Offer{}
	for _, c := range debateCommands() {
		names["/"] = append(names["/"], c.Offer())
	}
	for _, s := range p.scene.Seats {
		names["/drop "] = append(names["/drop "], slash.Offer{Word: s.Info.ID, Doc: s.Info.Model})
	}
	names["/deadline "] = append(slices.Clone(names["/drop "]), slash.Offer{Word: "all"})
	for _, o := range p.scene.Options() {
		names["/choose "] = append(names["/choose "], slash.Offer{Word: o.Key, Doc: p.d.Clean(o.Text)})
	}
	if strings.HasPrefix(p.input.FirstLine(), "/veto ") {
		for _, c := range p.scene.Result().Claims {
			names["/veto "] = append(names["/veto "], slash.Offer{Word: c.ID, Doc: p.d.Clean(c.Text)})
		}
	}
	if strings.HasPrefix(p.input.FirstLine(), "/theme ") {
		for _, n := range themeNames() {
			names["/theme "] = append(names["/theme "], slash.Offer{Word: n})
		}
	}
	return p.menu.Offer(p.d.Screen, p.input, func(_ context.Context, key string) []slash.Offer { return names[key] })
}
