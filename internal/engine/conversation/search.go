package conversation

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
)

// longestIndexed is how much of one node is indexed. Of a long output, people remember the beginning.
const longestIndexed = 100_000

// indexed returns the entries of nodes. The root's entry has no text and is never found: it marks the tree as indexed.
func indexed(dir string, nodes ...tree.Node) (out []store.Indexed) {
	for _, n := range nodes {
		text, ok := outline.Words(n)
		if h, is := material.HandleKind.Of(n); !ok && n.Parent != "" || is && h.Held { // nobody said what a file in the context contains
			continue
		}
		if len(text) > longestIndexed {
			text = strings.ToValidUTF8(text[:longestIndexed], "")
		}
		out = append(out, store.Indexed{Node: n.ID, Scope: filepath.ToSlash(dir), Body: text})
	}
	return out
}

// Hit is a search result in a conversation.
type Hit struct {
	Tree    string    `json:"tree"`
	Node    tree.ID   `json:"node"`
	Kind    string    `json:"kind"`
	Role    string    `json:"role"`
	At      time.Time `json:"at"`
	Excerpt string    `json:"excerpt"`
}

// Query is a search in conversations.
type Query struct {
	Words string // all must occur, in any order and with any ending
	Dir   string // trees of this folder and below; empty: all
	Tree  string // only this one; empty: all
	Most  int    // hits
}

// Search finds messages by their words, the best first. more reports whether there are more hits.
//
// Words are stemmed, so an excerpt may begin at the start of the text because it contains none of them as typed.
func (l *Library) Search(ctx context.Context, q Query) (out []Hit, more bool, err error) {
	if err := l.catchUp(ctx); err != nil {
		return nil, false, err
	}
	look := store.Query{Text: q.Words, Scope: filepath.ToSlash(q.Dir), Limit: q.Most + 1, Kinds: outline.Spoken}
	if q.Tree != "" {
		t, err := l.Open(ctx, q.Tree)
		if err != nil {
			return nil, false, err
		}
		look.Root = t.Root
	}
	hits, err := l.store.Search(ctx, look)
	if err != nil {
		return nil, false, err
	}
	out = []Hit{}
	names := map[tree.ID]string{}
	for _, h := range hits[:min(q.Most, len(hits))] {
		n, err := l.store.Node(ctx, h.Node)
		if err != nil {
			return nil, false, err
		}
		root, err := l.store.Root(ctx, h.Node)
		if err != nil {
			return nil, false, err
		}
		if _, ok := names[root.ID]; !ok {
			refs, err := l.store.Refs(ctx, treeRefs, root.ID)
			if err != nil {
				return nil, false, err
			}
			for _, r := range refs {
				names[root.ID] = strings.TrimPrefix(r.Name, treeRefs)
			}
		}
		text, _ := outline.Words(n)
		one := Hit{Tree: names[root.ID], Node: n.ID, Kind: n.Kind, At: n.At, Excerpt: excerpt(text, q.Terms())}
		for _, l := range outline.Of([]tree.Node{n}) {
			one.Role = l.Role
		}
		out = append(out, one)
	}
	return out, len(hits) > q.Most, nil
}

// catchUp indexes conversations that are not: those of an older program, those restored from the trash, and all of them
// in a read-only store.
func (l *Library) catchUp(ctx context.Context) error {
	return l.core.Index(ctx, branchRefs, false, func(nodes []tree.Node) []store.Indexed {
		r, _ := talk.RootKind.Of(nodes[0])
		return indexed(r.Dir, nodes...)
	})
}

// excerpt is the part of a text around the first of the words that occurs in it.
func excerpt(text string, words []string) string {
	const before, most = 40, 160
	r := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), ""))
	// Rune by rune: strings.ToLower may change the number of runes, and with it every index.
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

// Terms are the words that are searched for.
func (q Query) Terms() []string { return store.Words(q.Words) }
