package api

import (
	"cmp"
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// listTrees lists conversations of a folder by their words, the last used first.
func listTrees(ctx context.Context, r Request, in Listing) (items[conversation.Info], error) {
	out := items[conversation.Info]{Items: []conversation.Info{}}
	list, err := conversation.In(r.Engine).List(ctx, "")
	for _, t := range list {
		if !Below(t.Dir, in.Folder) || !Contains(t.Name+" "+t.Title, in.Words) {
			continue
		}
		if len(out.Items) == in.most() {
			out.More = true
			break
		}
		out.Items = append(out.Items, t)
	}
	return out, err
}

// Beginning is a request to begin a conversation.
type Beginning struct {
	Name   string `json:"name,omitempty" jsonschema:"empty: generated from the title"`
	Title  string `json:"title,omitempty"`
	Folder string `json:"folder,omitempty" jsonschema:"its project; empty: where the server was started"`
}

// Begin begins a conversation.
func Begin(ctx context.Context, r Request, in Beginning) (standing, error) {
	dir := cmp.Or(in.Folder, r.Main())
	if err := r.folder(ctx, dir); err != nil {
		return standing{}, err
	}
	root, err := r.do(ctx, conversation.NewTree{Name: in.Name, Title: in.Title, Dir: dir})
	if err != nil {
		return standing{}, err
	}
	path, err := conversation.In(r.Engine).Path(ctx, root.Root)
	if err != nil {
		return standing{}, err
	}
	return openTree(ctx, r, Named{treeName(path[0])})
}

// openTree returns the state of a conversation.
func openTree(ctx context.Context, r Request, in Named) (standing, error) {
	l := conversation.In(r.Engine)
	t, err := l.Open(ctx, in.Name)
	return standing{t.Name, t.Root, t.Dir, t.Branch, t.Head, err == nil && l.AtWork(t.Name)}, err
}

// locate finds a node of a conversation; empty: its head.
func (r Request) locate(ctx context.Context, name, at string) (t conversation.Tree, id tree.ID, err error) {
	l := conversation.In(r.Engine)
	if t, err = l.Open(ctx, name); err != nil || at == "" {
		return t, t.Head, err
	}
	n, err := l.Locate(ctx, t, at)
	return t, n.ID, err
}

// With a limit it returns the end of the path, without reading all of it.
func path(ctx context.Context, r Request, in spot) (items[tree.Node], error) {
	_, at, err := r.locate(ctx, in.Name, in.At)
	if err != nil {
		return items[tree.Node]{}, err
	}
	var list []tree.Node
	if in.Most > 0 {
		list, err = conversation.In(r.Engine).PathEnd(ctx, at, in.Most)
	} else {
		list, err = conversation.In(r.Engine).Path(ctx, at)
	}
	return items[tree.Node]{Items: list}, err
}

// lastNodes returns the newest nodes of all branches, in order.
func lastNodes(ctx context.Context, r Request, in spot) (items[tree.Node], error) {
	t, err := conversation.In(r.Engine).Open(ctx, in.Name)
	if err != nil {
		return items[tree.Node]{}, err
	}
	list, all, err := conversation.In(r.Engine).LastNodes(ctx, t, Listing{Most: in.Most}.most())
	return items[tree.Node]{Items: list, More: all > len(list)}, err
}

// use makes a conversation the current one of its folder.
func use(ctx context.Context, r Request, in Named) (rooted, error) {
	t, err := conversation.In(r.Engine).Open(ctx, in.Name)
	if err != nil {
		return rooted{}, err
	}
	return r.do(ctx, conversation.Use{Tree: t.Name, Dir: t.Dir})
}

// search finds messages by their words.
func search(ctx context.Context, r Request, in Listing) (items[conversation.Hit], error) {
	list, more, err := conversation.In(r.Engine).Search(ctx, conversation.Query{Words: in.Words, Dir: in.Folder, Most: in.most()})
	return items[conversation.Hit]{Items: list, More: more}, err
}

// typed is what a person typed.
type typed struct {
	Text string `json:"text"`
	In   string `json:"in" jsonschema:"the conversation or debate"`
}

// history returns what persons typed in a folder, the newest first.
func history(ctx context.Context, r Request, in Listing) (items[typed], error) {
	list, err := conversation.In(r.Engine).History(ctx, cmp.Or(in.Folder, r.Main()), in.most())
	out := items[typed]{Items: []typed{}}
	for _, one := range list {
		out.Items = append(out.Items, typed{one.Text, one.In})
	}
	return out, err
}

// meant names the conversation and the debate that apply if none is named.
type meant struct {
	Tree   string `json:"tree,omitempty"`
	Debate string `json:"debate,omitempty"`
}

// It is no error if a folder has neither.
func last(ctx context.Context, r Request, in Listing) (meant, error) {
	dir := cmp.Or(in.Folder, r.Main())
	project, err := home.ProjectOf(dir)
	if err != nil {
		return meant{}, err
	}
	room, err := rooms.In(r.Engine).Last(ctx, project)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return meant{}, err
	}
	name, err := conversation.In(r.Engine).Last(ctx, dir)
	if err != nil {
		name = "" // there is none in this folder
	}
	return meant{name, room}, nil
}
