package conversation

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
)

// mostTitle is how many letters a title made of what was said has.
const mostTitle = 40

// Headline is the title of what begins with a text: its first sentence, or as many of its first words as have room.
// It has some 40 letters at most, gives up the mark at its end before a word, ends in an ellipsis if words were left out, and is
// empty for a text without words.
func Headline(text string) string {
	for l := range strings.Lines(text) {
		if words := strings.Fields(strings.TrimLeft(l, "#>*-+ \t")); len(words) > 0 {
			return shortened(words)
		}
	}
	return ""
}

func shortened(words []string) string {
	title := ""
	for i, w := range words {
		next := strings.TrimPrefix(title+" "+w, " ")
		if r := []rune(next); len(r) > mostTitle {
			if i == 0 {
				return string(r[:mostTitle-1]) + "…"
			}
			if whole := strings.TrimRight(next, ".?!"); len([]rune(whole)) <= mostTitle { // it lacks its mark alone
				return whole
			}
			return strings.TrimRight(title, ",;:–- ") + "…"
		}
		if title = next; i > 0 && strings.HasSuffix(title, ".") { // a sentence
			break
		}
	}
	return strings.TrimRight(title, ".")
}

// Title is what people read in place of a conversation's name: the title it was given last, else the name if a person chose it, else
// the first words that were said, else what it began with. It may be empty.
func (l *Library) Title(ctx context.Context, t Tree) (string, error) {
	title, given, err := l.heading(ctx, t.Root)
	if !given && !madeUp(t.Name, t.Root) {
		title = t.Name
	}
	return title, err
}

// Unnamed says whether nobody gave a conversation a title or a name.
// What cannot be read counts as named: it is given no other title.
func (l *Library) Unnamed(ctx context.Context, t Tree) bool {
	_, given, err := l.heading(ctx, t.Root)
	return err == nil && !given && madeUp(t.Name, t.Root)
}

// Heading is what people read in place of its name, as Library.Title has it.
func (i Info) Heading() string {
	if !i.given && !madeUp(i.Name, i.Root) {
		return i.Name
	}
	return cmp.Or(i.Title, i.Name)
}

// madeUp says whether a conversation has a name that no person chose.
func madeUp(name string, root tree.ID) bool {
	return strings.HasSuffix(name, "-"+string(root[max(0, len(root)-4):]))
}

// heading is the title that a conversation was given last, or else the first words that were said.
func (l *Library) heading(ctx context.Context, root tree.ID) (title string, given bool, err error) {
	n, err := l.store.LastOf(ctx, root, string(margin.TitleKind))
	if errors.Is(err, store.ErrNotFound) {
		title, err = opening(ctx, l, root)
		return title, false, err
	}
	t, _ := margin.TitleKind.Of(n)
	return t.Text, err == nil, err
}

// given are the titles that conversations were given last, by their first node, on which titles hang.
func given(ctx context.Context, l *Library) (map[tree.ID]string, error) {
	all, err := l.store.Kind(ctx, string(margin.TitleKind), 0)
	titles := map[tree.ID]string{}
	for _, n := range all {
		t, _ := margin.TitleKind.Of(n)
		titles[n.Parent] = t.Text
	}
	return titles, err
}

// opening is the title of a conversation that was given none: the first words that were said, or what it began with.
func opening(ctx context.Context, l *Library, root tree.ID) (string, error) {
	var n tree.Node
	err := store.ErrNotFound
	for _, kind := range []string{string(talk.SayKind), string(material.AddKind)} {
		if errors.Is(err, store.ErrNotFound) {
			if n, err = l.store.First(ctx, root, kind); err == nil {
				return Headline(first(n)), nil
			}
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		n, err = l.store.Node(ctx, root)
	}
	r, _ := talk.RootKind.Of(n)
	return r.Title, err
}

// first is what a node that was said first says, of which a title is made.
func first(n tree.Node) string {
	if s, ok := talk.SayKind.Of(n); ok && s.Typed != "" {
		return s.Typed
	}
	text, _ := outline.Words(n)
	return text
}

// titled finds the conversation of a title, which one alone has. The error is ErrNotFound if none has it.
// It reads the title of every conversation, which only a name that is unknown costs.
func titled(ctx context.Context, l *Library, title string) (string, error) {
	all, err := l.trees(ctx, "")
	if err != nil {
		return "", err
	}
	titles, err := given(ctx, l)
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range all {
		is, ok := titles[t.Root]
		if !ok {
			if is, err = opening(ctx, l, t.Root); err != nil {
				return "", err
			}
		}
		if strings.EqualFold(is, strings.TrimSpace(title)) {
			names = append(names, t.Name)
		}
	}
	switch len(names) {
	case 0:
		return "", store.ErrNotFound
	case 1:
		return names[0], nil
	}
	return "", &engine.Refusal{Message: "more than one conversation is titled " + title, Hint: "use a name: " + strings.Join(names, ", ")}
}

// longestTitle is how many letters a title has at most.
const longestTitle = 120

// Rename gives a conversation a title. One that can be a name is its name from then on, too.
// A title that cannot be a name, because it has spaces or capitals, leaves the name as it is.
type Rename struct{ Tree, Name string }

// After is the name the conversation has then.
func (op Rename) After() string {
	if title := strings.TrimSpace(op.Name); tree.CleanName(title) {
		return title
	}
	return op.Tree
}

// Do implements engine.Op.
func (op Rename) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	title := strings.Join(strings.Fields(op.Name), " ")
	if title == "" || len([]rune(title)) > longestTitle {
		return "", &engine.Refusal{Message: "a title must have 1 to 120 letters", Hint: "for example: Fix the failing test"}
	}
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	if tree.CleanName(title) && title != t.Name {
		if err := rename(ctx, l, t, title); err != nil {
			return t.Root, err
		}
	}
	_, err = l.store.Append(ctx, margin.TitleKind.New(t.Root, "person", margin.Title{Text: title}))
	return t.Root, err
}

// rename gives a conversation another name.
func rename(ctx context.Context, l *Library, t Tree, to string) error {
	// Both names are locked: a conversation may be begun under the new one at the same moment.
	for _, name := range []string{min(t.Name, to), max(t.Name, to)} { // in one order, whoever else renames
		unlock, err := l.lockTree(ctx, name)
		if err != nil {
			return err
		}
		defer unlock()
	}
	refs, err := l.bin().RefsOf(ctx, l.core, "", t.Name)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range refs {
		kind, rest, _ := strings.Cut(r.Name, "/")
		names = append(names, kind+"/"+to+strings.TrimPrefix(rest, t.Name))
	}
	if err = l.store.Rename(ctx, refs, names); errors.Is(err, store.ErrMoved) {
		err = &engine.Refusal{Message: "conversation " + to + " already exists", Hint: "choose another name", Err: err}
	}
	return err
}
