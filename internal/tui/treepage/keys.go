package treepage

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Actions are the actions of a tree.
func Actions() []action.Action[*Page] {
	to := func(by func(p *Page) int) func(*Page) tea.Cmd {
		return func(p *Page) tea.Cmd { p.step(by(p)); return nil }
	}
	return []action.Action[*Page]{
		{Name: "tree-up", Doc: "Up", Keys: []string{"up", "k"}, Do: to(func(*Page) int { return -1 })},
		{Name: "tree-down", Doc: "Down", Keys: []string{"down", "j"}, Do: to(func(*Page) int { return 1 })},
		{Name: "tree-pageup", Doc: "Page up", Keys: []string{"pgup"}, Do: to(func(p *Page) int { return 2 - p.height })},
		{Name: "tree-pagedown", Doc: "Page down", Keys: []string{"pgdown"}, Do: to(func(p *Page) int { return p.height - 2 })},
		{Name: "tree-first", Doc: "Go to the top", Keys: []string{"home", "g"}, Do: to(func(p *Page) int { return -len(p.lines) })},
		{Name: "tree-last", Doc: "Go to the end", Keys: []string{"end", "G"}, Do: to(func(p *Page) int { return len(p.lines) })},
		{Name: "tree-fold", Doc: "Collapse or expand branch", Keys: []string{"space"}, Do: (*Page).fold},
		{Name: "tree-in", Doc: "Collapse branch, or go to its start", Keys: []string{"left", "h"},
			Do: (*Page).foldIn},
		{Name: "tree-out", Doc: "Expand branch", Keys: []string{"right"}, Do: (*Page).foldOut},
		{Name: "tree-foldall", Doc: "Collapse or expand all branches", Keys: []string{"z"}, Do: (*Page).foldAll},
		{Name: "tree-search", Doc: "Filter by words", Keys: []string{"/"}, Do: (*Page).beginSearch},
		{Name: "tree-switch", Doc: "Continue from here", Keys: []string{"enter"}, Also: "/switch",
			Do: func(p *Page) tea.Cmd { return p.goTo(false) }},
		{Name: "tree-files", Doc: "Continue from here and restore files", Keys: []string{"R"}, Also: "/switch --files",
			Do: func(p *Page) tea.Cmd { return p.goTo(true) }},
		{Name: "tree-fork", Doc: "Fork here", Keys: []string{"f"}, Also: "/fork", Do: (*Page).fork},
		{Name: "tree-label", Doc: "Label", Keys: []string{"l"}, Also: "/label", Do: (*Page).beginLabel},
		{Name: "tree-mark", Doc: "Mark for comparison", Keys: []string{"c"}, Also: "/diff",
			Do: (*Page).compare},
		{Name: "tree-retry", Doc: "Retry with another model", Keys: []string{"r"}, Also: "/retry MODEL", Do: (*Page).retry},
		{Name: "tree-copy", Doc: "Copy this message", Keys: []string{"y"}, Do: (*Page).copy},
		{Name: "tree-scrolldown", Doc: "Scroll the preview down", Keys: []string{"J", "shift+down"},
			Do: func(p *Page) tea.Cmd { p.scrollText(3); return nil }},
		{Name: "tree-scrollup", Doc: "Scroll the preview up", Keys: []string{"K", "shift+up"},
			Do: func(p *Page) tea.Cmd { p.scrollText(-3); return nil }},
	}
}

// step moves the selection by a number of lines.
func (p *Page) step(by int) {
	for i, at := range p.shown {
		if p.lines[at].Node == p.chosen {
			p.chosen = p.lines[p.shown[max(0, min(i+by, len(p.shown)-1))]].Node
			return
		}
	}
}

// branches reports whether other branches fork at a line.
func branches(lines []outline.Line, i int) bool {
	return i >= 0 && i+1 < len(lines) && lines[i+1].Depth > lines[i].Depth
}

// fold folds or shows the branches above the line that continues from here.
func (p *Page) fold() tea.Cmd {
	if !branches(p.lines, p.line(p.chosen)) {
		p.d.Tell("no branch starts here")
		return nil
	}
	p.folded[p.chosen] = !p.folded[p.chosen]
	p.sift()
	return nil
}

// foldIn folds the branches that fork here; without any, it goes to where this branch begins.
func (p *Page) foldIn() tea.Cmd {
	at := p.line(p.chosen)
	if branches(p.lines, at) && !p.folded[p.chosen] {
		return p.fold()
	}
	for i := at - 1; i >= 0; i-- {
		if p.lines[i].Depth < p.lines[at].Depth {
			p.chosen = p.lines[i].Node
			return nil
		}
	}
	return nil
}

// foldOut shows what is folded here.
func (p *Page) foldOut() tea.Cmd {
	if p.folded[p.chosen] {
		return p.fold()
	}
	return nil
}

// foldAll folds all branches but the last used one, or shows all.
func (p *Page) foldAll() tea.Cmd {
	any := false
	for _, f := range p.folded {
		any = any || f
	}
	clear(p.folded)
	for i := range p.lines {
		if !any && branches(p.lines, i) {
			p.folded[p.lines[i].Node] = true
		}
	}
	p.sift()
	return nil
}

func (p *Page) beginSearch() tea.Cmd {
	p.search = p.d.NewEditor()
	p.search.OneLine, p.search.Placeholder = true, "words"
	p.search.Set(p.find)
	return nil
}

func (p *Page) beginLabel() tea.Cmd {
	p.naming = p.d.NewEditor()
	p.naming.OneLine, p.naming.Placeholder = true, "a name of letters, digits and dashes"
	return nil
}

// nodeName returns the selected line's name for the engine.
func (p *Page) nodeName() string { return string(p.last(p.chosen)) }

// last returns the newest node of a line: what follows hangs from it.
func (p *Page) last(line tree.ID) tree.ID {
	if at := p.line(line); at >= 0 {
		l := p.lines[at]
		for i := len(l.Holds) - 1; i >= 0; i-- {
			if !margin.Beside(p.nodes[l.Holds[i]].Kind) {
				return l.Holds[i]
			}
		}
	}
	return line
}

// goTo moves the conversation to the selected line.
func (p *Page) goTo(files bool) tea.Cmd {
	return p.d.Do(conversation.SwitchTo{Tree: p.name, Branch: p.nodeName(), Files: files}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		if !files {
			p.d.Tell("went back; files unchanged")
			return p.leave()
		}
		return tea.Batch(p.leave(), p.d.Away(func(ctx context.Context) func() tea.Cmd { return brought(ctx, p) }))
	})
}

// brought reports what going back did to the files: nothing, unless a later node of the conversation says more.
func brought(ctx context.Context, p *Page) func() tea.Cmd {
	all := conversation.In(p.d.Engine)
	t, err := all.Open(ctx, p.name)
	var did margin.Snap
	if err == nil {
		did, err = t.Brought(ctx, all)
	}
	return func() tea.Cmd {
		if err != nil {
			p.d.Fail(err)
			return nil
		}
		first, _, _ := strings.Cut(told.Brought(did, "/redo"), "\n")
		p.d.Tell("went back; " + p.d.Clean(first))
		return nil
	}
}

func (p *Page) fork() tea.Cmd {
	return p.d.Do(conversation.Branch{Tree: p.name, At: p.nodeName()}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		p.d.Tell("created a branch here")
		return p.leave()
	})
}

// leave goes to the conversation, which was moved; its line is selected from now on.
func (p *Page) leave() tea.Cmd {
	p.chosen, p.search, p.find = p.here, nil, ""
	return tea.Batch(p.Load(), p.d.Desk.Open(screen.Kept{Page: "chat", Name: p.name}), p.d.Desk.Moved(p.name))
}

func (p *Page) copy() tea.Cmd {
	if text, ok := outline.Words(p.nodes[p.chosen]); ok {
		p.d.Tell("copied")
		return p.d.Copy(p.d.Clean(text))
	}
	return nil
}

// Update handles keys that no action took, and news.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.Recolored:
		p.recolor()
	case screen.News:
		if m.Err != nil {
			p.gone, _ = p.d.Explain(m.Err)
			p.Close()
			return nil
		}
		p.came = append(p.came, m.Batch.Nodes...)
		return p.Load()
	case tea.MouseWheelMsg:
		p.step(map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp])
	case tea.MouseClickMsg:
		if i := p.top + m.Y; m.X < p.listWidth() && i >= 0 && i < len(p.shown) { // a click may be above the page
			p.chosen = p.lines[p.shown[i]].Node
		}
	case tea.PasteMsg:
		if p.search != nil {
			p.search.Update(m)
		}
	case tea.KeyPressMsg:
		return p.key(m)
	}
	return nil
}

// typing reports whether keys go to an input.
func (p *Page) typing() bool { return p.search != nil || p.naming != nil }

func (p *Page) key(k tea.KeyPressMsg) tea.Cmd {
	s := k.String()
	switch {
	case s == "esc" && p.naming != nil:
		p.naming = nil
	case s == "esc" && (p.search != nil || p.find != ""):
		p.search, p.find = nil, ""
		p.sift()
	case s == "esc":
		back := p.d.Desk.Open(screen.Kept{Page: "chat", Name: p.name})
		p.d.Desk.Close(p)
		return back
	case p.naming != nil:
		if p.naming.Update(k) == editor.Submit {
			name := strings.ToLower(strings.Join(strings.Fields(p.naming.Text()), "-"))
			return p.d.Do(conversation.Label{Tree: p.name, At: p.nodeName(), Name: name}, func(err error) tea.Cmd {
				if err != nil {
					return nil // the typed text can be corrected
				}
				p.naming = nil
				p.d.Tell("labelled #" + name + "; go there with: /switch " + name)
				return p.Load()
			})
		}
	case p.search != nil:
		if s == "enter" || s == "up" || s == "down" {
			p.search = nil
			return nil
		}
		p.search.Update(k)
		p.find = p.search.Text()
		p.sift()
	}
	return nil
}
