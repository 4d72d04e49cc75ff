package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// copying is a store and its copy.
type copying struct {
	*testing.T
	from, to *store.Store
	after    int64
	moved    time.Time
	pages    int
}

func newCopying(t *testing.T) *copying {
	c := &copying{T: t}
	for name, to := range map[string]**store.Store{"from": &c.from, "to": &c.to} {
		s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), name+".db"), clean.Text)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		*to = s
	}
	return c
}

// sync takes pages until there is no other, and all refs if those that moved are not enough.
func (c *copying) sync() {
	c.Helper()
	for whole := false; ; {
		p, err := store.CopiesOf(c.from).Page(c.Context(), store.PageQuery{After: c.after, Moved: c.moved})
		if err != nil {
			c.Fatal(err)
		}
		c.pages++
		if whole = !p.More && c.moved.IsZero(); store.CopiesOf(c.to).Take(c.Context(), p, whole) != nil {
			c.Fatal(store.CopiesOf(c.to).Take(c.Context(), p, whole))
		}
		if c.after = p.Last; p.More {
			continue
		}
		for _, m := range p.Refs {
			if m.At.After(c.moved) {
				c.moved = m.At
			}
		}
		have, err := store.CopiesOf(c.to).Digest(c.Context())
		if err != nil {
			c.Fatal(err)
		}
		if have == p.Digest {
			return
		}
		if whole {
			c.Fatal("all refs were taken, and they are not the same")
		}
		c.moved = time.Time{}
	}
}

// same compares all nodes and refs, with what lists find them by.
func (c *copying) same() {
	c.Helper()
	read := func(s *store.Store) string {
		var all []any
		for n, err := range s.Since(c.Context(), 0, "") {
			if err != nil {
				c.Fatal(err)
			}
			all = append(all, n)
		}
		refs, err := s.Refs(c.Context(), "", "")
		if err != nil {
			c.Fatal(err)
		}
		digest, err := store.CopiesOf(s).Digest(c.Context())
		if err != nil {
			c.Fatal(err)
		}
		raw, err := json.MarshalIndent(append(all, refs, digest), "", " ")
		if err != nil {
			c.Fatal(err)
		}
		return string(raw)
	}
	if is, want := read(c.to), read(c.from); is != want {
		c.Errorf("the copy is\n%s\nthe store\n%s", is, want)
	}
}

func (c *copying) say(parent tree.ID, ref string, from tree.ID, text string) tree.Node {
	c.Helper()
	hash, err := c.from.PutBlob(c.Context(), text)
	if err != nil {
		c.Fatal(err)
	}
	n := tree.Kind[map[string]string]("said").New(parent, "person", map[string]string{"text": hash, "dir": "/a/project"})
	all, err := c.from.Commit(c.Context(), store.Change{Nodes: []tree.Node{n}, Moves: []store.Move{{Ref: ref, From: from, To: n.ID, Scope: "/a/project"}}})
	if err != nil {
		c.Fatal(err)
	}
	return all[0]
}

func TestCopyFollowsEveryChange(t *testing.T) {
	c := newCopying(t)
	a := c.say("", "room/a", "", "first")
	c.say(a.ID, "room/a", a.ID, "second")
	b := c.say("", "tree/b", "", "first") // a text that was sent before
	c.sync()
	c.same()
	if text, err := c.to.Blob(t.Context(), hashOf("second")); err != nil || text != "second" {
		t.Errorf("%q, %v", text, err)
	}
	before := c.pages
	c.sync() // nothing is new
	if c.pages != before+1 {
		t.Errorf("%d requests for nothing", c.pages-before)
	}
	// Renamed, moved to the trash and out of it, and gone for good.
	if err := c.from.Rename(t.Context(), []tree.Ref{{Name: "tree/b", Head: b.ID}}, []string{"tree/c"}); err != nil {
		t.Fatal(err)
	}
	c.sync()
	c.same()
	for _, do := range []func() error{
		func() error { return c.from.Discard(t.Context(), "person", tree.Ref{Name: "tree/c", Head: b.ID}) },
		func() error { return c.from.Restore(t.Context(), "tree/c") },
		func() error { return c.from.Discard(t.Context(), "person", tree.Ref{Name: "tree/c", Head: b.ID}) },
		func() error { _, err := c.from.Purge(t.Context(), time.Now().Add(time.Hour), 0); return err },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		c.sync()
		c.same()
	}
	if _, err := c.to.Node(t.Context(), b.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a purged node is still in the copy: %v", err)
	}
}

// A large store comes in pages, and what was copied does not come again.
func TestCopyOfALargeStore(t *testing.T) {
	c := newCopying(t)
	kind := tree.Kind[map[string]int]("count")
	root := kind.New("", "code", map[string]int{"n": 0})
	nodes := []tree.Node{root}
	for i := range 9_999 {
		nodes = append(nodes, kind.New(root.ID, "code", map[string]int{"n": i + 1}))
	}
	if _, err := c.from.Commit(t.Context(), store.Change{Nodes: nodes, Moves: []store.Move{{Ref: "tree/large", To: root.ID}}}); err != nil {
		t.Fatal(err)
	}
	c.sync()
	if c.pages != 20 {
		t.Errorf("%d pages of 500 nodes", c.pages)
	}
	c.say("", "room/one", "", "more")
	c.pages = 0
	p, err := store.CopiesOf(c.from).Page(t.Context(), store.PageQuery{After: c.after, Moved: c.moved})
	if err != nil || len(p.Nodes) != 1 || len(p.Texts) != 1 || len(p.Refs) > 2 {
		t.Errorf("%d nodes, %d texts and %d refs are new, %v", len(p.Nodes), len(p.Texts), len(p.Refs), err)
	}
	c.sync()
	c.same()
	if c.pages != 1 {
		t.Errorf("%d requests for one node", c.pages)
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// What a page says and cannot be is refused, and nothing of it is kept.
func TestHostilePage(t *testing.T) {
	good := tree.Kind[map[string]string]("said").New("", "person", map[string]string{"text": "x"})
	good.Seq = 1
	page := func(change func(*store.Page)) store.Page {
		p := store.Page{Last: 1, Nodes: []tree.Node{good}, Refs: []store.Mark{{Ref: tree.Ref{Name: "room/a", Head: good.ID, At: time.Now()}}}}
		change(&p)
		return p
	}
	cases := map[string]store.Page{
		"text":     page(func(p *store.Page) { p.Texts = map[string]string{hashOf("a"): "b"} }),
		"escape":   page(func(p *store.Page) { p.Texts = map[string]string{hashOf("\x1b[2J"): "\x1b[2J"} }),
		"id":       page(func(p *store.Page) { p.Nodes[0].ID = "../../etc/passwd" }),
		"kind":     page(func(p *store.Page) { p.Nodes[0].Kind = "\x1b[2J" }),
		"parent":   page(func(p *store.Page) { p.Nodes[0].Parent = tree.NewID() }),
		"self":     page(func(p *store.Page) { p.Nodes[0].Parent = p.Nodes[0].ID }),
		"number":   page(func(p *store.Page) { p.Nodes[0].Seq = -1 }),
		"body":     page(func(p *store.Page) { p.Nodes[0].Body = []byte("{") }),
		"date":     page(func(p *store.Page) { p.Nodes[0].At = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC) }),
		"head":     page(func(p *store.Page) { p.Refs[0].Head = tree.NewID() }),
		"long":     page(func(p *store.Page) { p.Refs[0].Name = "room/" + strings.Repeat("a", 1000) }),
		"two":      page(func(p *store.Page) { n := p.Nodes[0]; n.ID = tree.NewID(); p.Nodes = append(p.Nodes, n) }),
		"numbered": page(func(p *store.Page) { n := p.Nodes[0]; n.Seq = 2; p.Nodes = append(p.Nodes, n) }),
	}
	for i, name := range []string{"room/../../x", "../room/a", "/room/a", "room//a", "room/a/", "room\\a/b", "room/\x1b[2J", "room/\x00", "room",
		"", "room/\u202eevil", "room/\xff"} {
		cases[fmt.Sprintf("name %d", i)] = page(func(p *store.Page) { p.Refs[0].Name = name })
	}
	for name, p := range cases {
		c := newCopying(t)
		if err := store.CopiesOf(c.to).Take(t.Context(), p, true); err == nil {
			t.Errorf("%s was taken", name)
		}
		c.same() // both are empty
	}
	c := newCopying(t)
	p := page(func(p *store.Page) {
		p.Nodes[0].By, p.Nodes[0].Body = "per\x1b[2Json", []byte(`{"text":"a\u001b[2Jb"}`)
	})
	if err := store.CopiesOf(c.to).Take(t.Context(), p, true); err != nil {
		t.Fatal(err)
	}
	if n, err := c.to.Node(t.Context(), good.ID); err != nil || n.By != "person" || strings.Contains(string(n.Body), "u001b") {
		t.Errorf("%+v, %v", n, err)
	}
}
