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

// mostTitle is the maximum length, in letters, of a title made from a message.
const mostTitle = 40

// Headline makes a title from a text: its first sentence, or as many of its first words as fit. It has about 40 letters
// at most, prefers to drop the final punctuation rather than a word, ends in an ellipsis if words were left out, and is
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
			if whole := strings.TrimRight(next, ".?!"); len([]rune(whole)) <= mostTitle { // only its punctuation does not fit
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

// Title is what people read instead of a conversation's name: the title it was given last, or else the name if a person chose it, or else
// the beginning of the first message, or else how the conversation began. It may be empty.
func (l *Library) Title(ctx context.Context, t Tree) (string, error) {
	title, given, err := l.heading(ctx, t.Root)
	if !given && !madeUp(t.Name, t.Root) {
		title = t.Name
	}
	return title, err
}

// Unnamed reports whether nobody gave a conversation a title or a name. One that cannot be read counts as named, so
// that it gets no other title.
func (l *Library) Unnamed(ctx context.Context, t Tree) bool {
	_, given, err := l.heading(ctx, t.Root)
	return err == nil && !given && madeUp(t.Name, t.Root)
}

// Heading is what people read instead of its name, like Library.Title.
func (i Info) Heading() string {
	if !i.given && !madeUp(i.Name, i.Root) {
		return i.Name
	}
	return cmp.Or(i.Title, i.Name)
}

// madeUp reports whether a conversation's name was made up by the program.
func madeUp(name string, root tree.ID) bool {
	return strings.HasSuffix(name, "-"+string(root[max(0, len(root)-4):]))
}

// heading is the title that a conversation was given last, or else the beginning of the first message.
func (l *Library) heading(ctx context.Context, root tree.ID) (title string, given bool, err error) {
	n, err := l.store.LastOf(ctx, root, string(margin.TitleKind))
	if errors.Is(err, store.ErrNotFound) {
		title, err = opening(ctx, l, root)
		return title, false, err
	}
	t, _ := margin.TitleKind.Of(n)
	return t.Text, err == nil, err
}

// given returns the last given title of each conversation, by its first node, the parent of its titles.
func given(ctx context.Context, l *Library) (map[tree.ID]string, error) {
	all, err := l.store.Kind(ctx, string(margin.TitleKind), 0)
	titles := map[tree.ID]string{}
	for _, n := range all {
		t, _ := margin.TitleKind.Of(n)
		titles[n.Parent] = t.Text
	}
	return titles, err
}

// opening is the title of a conversation that was given none: the beginning of the first message, or how it began otherwise.
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

// first is the text of a first message from which a title is made.
func first(n tree.Node) string {
	if s, ok := talk.SayKind.Of(n); ok && s.Typed != "" {
		return s.Typed
	}
	text, _ := outline.Words(n)
	return text
}

// titled finds the conversation with a title, if only one has it. The error is ErrNotFound if none has it. It reads the
// title of every conversation, but is called only for an unknown name.
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

// longestTitle is the maximum length of a title in letters.
const longestTitle = 120

// Rename gives a conversation a title. A title that is a valid name also becomes its name. Otherwise, for example if it
// has spaces or capitals, the name stays.
type Rename struct{ Tree, Name string }

// After is the conversation's name after the operation.
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
	// Both names are locked: somebody could begin a conversation under the new one at the same moment.
	for _, name := range []string{min(t.Name, to), max(t.Name, to)} { // in a fixed order, so that two renames cannot block each other
		unlock, err := lockTree(ctx, l, name)
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
