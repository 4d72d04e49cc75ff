package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/slash"
)

// debateWords are what can be said to a debate here beside debate.Verbs.
var debateWords = []slash.Offer{
	{Word: "/consensus", Doc: "the same as /check"},
	{Word: "/debate", Doc: "let a panel decide another question, in a tab of its own"},
	{Word: "/resume", Doc: "go on after a pause, or with a debate that rests"},
	{Word: "/execute", Doc: "take what was decided to a conversation that carries it out"},
}

// offer finds what can be said to the debate as it stands.
func (p *debatePage) offer() tea.Cmd {
	names := map[string][]slash.Offer{"/": debateCommands()}
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
	return p.menu.offer(p.d, p.input, func(_ context.Context, key string) []slash.Offer { return names[key] })
}

// debateCommands are all commands that a debate's page takes.
func debateCommands() (out []slash.Offer) {
	for _, v := range debate.Verbs {
		if word, _, _ := strings.Cut(v.Form, " "); strings.HasPrefix(word, "/") {
			out = append(out, slash.Offer{Word: word, Doc: v.Doc})
		}
	}
	out = append(out, debateWords...)
	for _, c := range commands() {
		out = append(out, slash.Offer{Word: "/" + c.Name, Doc: c.Doc})
	}
	return append(out, slash.Offer{Word: "/help", Doc: "what can be said to a debate"})
}
