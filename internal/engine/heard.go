package engine

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// mostHeard is how much of one node can be found by its words.
const mostHeard = 100_000

// heard makes findable what nodes say. The root is known and never found: it says that its tree is.
func heard(dir string, nodes ...tree.Node) (out []store.Entry) {
	for _, n := range nodes {
		text, ok := talk.Words(n)
		if h, is := talk.HandleKind.Of(n); !ok && n.Parent != "" || is && h.Held { // nobody said what a file of the context holds
			continue
		}
		if len(text) > mostHeard {
			text = strings.ToValidUTF8(text[:mostHeard], "")
		}
		out = append(out, store.Entry{Node: n.ID, Scope: filepath.ToSlash(dir), Body: text})
	}
	return out
}

// Heard is something that was said in a conversation and is looked for.
type Heard struct {
	Tree    string    `json:"tree"`
	Node    tree.ID   `json:"node"`
	Kind    string    `json:"kind"`
	Role    string    `json:"role"`
	At      time.Time `json:"at"`
	Excerpt string    `json:"excerpt"`
}

// Listen says what is looked for.
type Listen struct {
	Words string // all must stand in what was said, in any order and ending
	Dir   string // trees of this folder and those below it; empty: all
	Tree  string // only this one; empty: all
	Most  int    // hits
}

// Hear finds what was said in conversations by its words, best first. more says that there are more hits.
func (e *Engine) Hear(ctx context.Context, l Listen) (out []Heard, more bool, err error) {
	if err := e.hearAll(ctx); err != nil {
		return nil, false, err
	}
	q := store.Query{Text: l.Words, Scope: filepath.ToSlash(l.Dir), Limit: l.Most + 1, Kinds: talk.Spoken}
	if l.Tree != "" {
		t, err := e.OpenTree(ctx, l.Tree)
		if err != nil {
			return nil, false, err
		}
		q.Root = t.Root
	}
	hits, err := e.store.Search(ctx, q)
	if err != nil {
		return nil, false, err
	}
	out = []Heard{}
	names := map[tree.ID]string{}
	for _, h := range hits[:min(l.Most, len(hits))] {
		n, err := e.store.Node(ctx, h.Node)
		if err != nil {
			return nil, false, err
		}
		root, err := e.store.Root(ctx, h.Node)
		if err != nil {
			return nil, false, err
		}
		if _, ok := names[root.ID]; !ok {
			refs, err := e.store.Refs(ctx, treeRefs, root.ID)
			if err != nil {
				return nil, false, err
			}
			for _, r := range refs {
				names[root.ID] = strings.TrimPrefix(r.Name, treeRefs)
			}
		}
		text, _ := talk.Words(n)
		one := Heard{Tree: names[root.ID], Node: n.ID, Kind: n.Kind, At: n.At, Excerpt: excerpt(text, store.Words(l.Words))}
		for _, l := range talk.Outline([]tree.Node{n}) {
			one.Role = l.Role
		}
		out = append(out, one)
	}
	return out, len(hits) > l.Most, nil
}

// hearAll makes conversations findable that are not: those of an older program, those taken out of the trash, and all of
// them in a store that may only be read.
func (e *Engine) hearAll(ctx context.Context) error {
	e.unindexed.Store(false)
	return e.index(ctx, branchRefs, false, func(nodes []tree.Node) []store.Entry {
		r, _ := talk.RootKind.Of(nodes[0])
		return heard(r.Dir, nodes...)
	})
}

// excerpt is the part of a text around the first of some words that stands in it.
func excerpt(text string, words []string) string {
	const before, most = 40, 160
	r := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), ""))
	low := make([]rune, len(r))
	for i, c := range r {
		low[i] = unicode.ToLower(c)
	}
	at := -1
	for _, w := range words {
		if i := strings.Index(string(low), w); i >= 0 {
			if i = len([]rune(string(low)[:i])); at < 0 || i < at {
				at = i
			}
		}
	}
	from := max(0, at-before)
	for from > 0 && r[from-1] != ' ' {
		from--
	}
	out := string(r[from:min(len(r), from+most)])
	if from > 0 {
		out = "…" + out
	}
	if from+most < len(r) {
		out += "…"
	}
	return out
}

// Words are what is looked for of a text that somebody typed.
func Words(text string) []string { return store.Words(text) }
