// Package issues contains an engine's issue drafts: made from decisions and runs, edited, and filed at a forge by a person.
//
// A draft is one tree under the ref issue/NUMBER: the first version, each edit, and each attempt to file it. Its
// version begins at 1 and grows with each edit; to edit or file one, callers name the version they read, and are
// refused if it has changed. The start of an attempt is recorded before the forge is called, so that an interrupted one
// is not silently repeated: nobody knows whether it was filed. Once filed, a draft cannot be changed here. Models draft
// and file nothing by themselves.
package issues

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// refs is the prefix of the refs of drafts; their number follows.
const refs = "issue/"

// The maximum length of a title and a text, in bytes; forges accept no more.
const (
	longestTitle = 250
	longestBody  = 60_000
)

// Library answers queries about drafts.
type Library struct {
	core   *engine.Core
	store  *store.Store
	engine *engine.Engine
}

// With adds drafts to an engine that has debates and runs.
func With() func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, engine: e}, Shape: store.Shape{
			Firsts: map[string]store.First{refs: {Kind: string(issue.DraftKind), Filled: []string{"$.title"}}},
		}}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// Deleted is a draft in a list, with the time of its deletion if it is in the trash.
type Deleted struct {
	issue.Issue
	engine.Trashed
}

// Trash lists the deleted drafts of a project (empty: of all projects), the last deleted first.
func (l *Library) Trash(ctx context.Context, dir string) ([]Deleted, error) {
	return engine.InTrash(ctx, l.core, l.bin(), dir, 0, func(tip store.Tip) (Deleted, bool, error) {
		nodes, err := l.store.Tree(ctx, tip.Root.ID)
		if err != nil {
			return Deleted{}, false, err
		}
		i, ok := issue.Read(nodes)
		return Deleted{i, engine.NewTrashed(tip.Head)}, ok && engine.Below(dir, i.Dir), nil
	})
}

// List lists the drafts of a project, the newest first; dir empty: of all projects.
func (l *Library) List(ctx context.Context, dir string) ([]issue.Issue, error) {
	tips, err := l.store.Tips(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := []issue.Issue{}
	for _, tip := range tips {
		nodes, err := l.store.Tree(ctx, tip.Root.ID)
		if err != nil {
			return nil, err
		}
		if i, ok := issue.Read(nodes); ok && (dir == "" || i.Dir == dir) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b issue.Issue) int { return b.Number - a.Number })
	return out, nil
}

// Issue finds a draft by its number.
func (l *Library) Issue(ctx context.Context, number int) (issue.Issue, error) {
	_, i, err := l.find(ctx, number)
	return i, err
}

func (l *Library) find(ctx context.Context, number int) (tree.ID, issue.Issue, error) {
	ref, err := l.store.Ref(ctx, refs+strconv.Itoa(number))
	if err != nil {
		return "", issue.Issue{}, engine.NotFound(fmt.Sprintf("issue draft %d", number), "list drafts: socrates work issue list", err)
	}
	nodes, err := l.store.Tree(ctx, ref.Head)
	if err != nil {
		return ref.Head, issue.Issue{}, err
	}
	i, ok := issue.Read(nodes)
	if !ok {
		return ref.Head, i, l.store.Damage("the first node of an issue draft, " + string(ref.Head) + ", cannot be read")
	}
	return ref.Head, i, nil
}

// Draft makes a draft from a decision or from a run.
type Draft struct{ Debate, Run string }

// Do implements engine.Op.
func (op Draft) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	d, err := l.drafted(ctx, op)
	if err != nil {
		return "", err
	}
	taken, gap := 0, 1
	for try := 1; ; try++ {
		d.Number = 1
		for _, prefix := range []string{refs, store.TrashRefs + refs} {
			all, err := l.store.Refs(ctx, prefix, "")
			if err != nil {
				return "", err
			}
			for _, r := range all { // the number of a draft in the trash is not reused
				n, _ := strconv.Atoi(strings.TrimPrefix(r.Name, prefix))
				d.Number = max(d.Number, n+1)
			}
		}
		if d.Number <= taken { // by a draft that is hidden from this person
			d.Number, gap = taken+gap, 2*gap
		}
		taken = d.Number
		root := issue.DraftKind.New("", "person", d)
		_, err := l.store.Commit(ctx, store.Change{Nodes: []tree.Node{root},
			Moves: []store.Move{{Ref: refs + strconv.Itoa(d.Number), To: root.ID}}})
		if err == nil || !errors.Is(err, store.ErrMoved) || try == engine.NameTries {
			return root.ID, err
		}
	}
}

// drafted writes the first version.
func (l *Library) drafted(ctx context.Context, op Draft) (d issue.Drafted, err error) {
	switch {
	case (op.Run == "") == (op.Debate == ""):
		return d, &engine.Refusal{Message: "an issue is drafted from a run or from a decision", Hint: "name one of them"}
	case op.Run != "":
		r, err := runs.In(l.engine).Report(ctx, op.Run)
		if err != nil {
			return d, err
		}
		d.Run, d.Dir = r.Status.Frame.Run, r.Status.Frame.Dir
		d.Title, d.Body = issue.Run(r)
	default:
		res, err := rooms.Named(ctx, rooms.In(l.engine), op.Debate)
		switch {
		case err != nil:
			return d, err
		case !res.Ended:
			return d, rooms.Unended(ctx, rooms.In(l.engine), res.Room)
		case res.Rehearsal:
			return d, &engine.Refusal{Message: "no model took part in debate " + res.Room + ": it decided nothing",
				Hint: "connect a model: socrates login"}
		}
		d.Debate, d.Dir = res.Room, res.Dir
		d.Title, d.Body = issue.Decision(document.Of(res), res.Record)
	}
	d.Title, d.Body = cut(d.Title, longestTitle), cut(d.Body, longestBody)
	return d, nil
}

// cut shortens a text that no forge would accept; a person can still edit it. It cuts between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

// Edit writes the next version of a draft, if its version is still Version; 0: whatever it is.
type Edit struct {
	Number      int
	Title, Body string
	Version     int
}

// Do implements engine.Op.
func (op Edit) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	title := strings.Join(strings.Fields(op.Title), " ")
	switch {
	case title == "":
		return "", &engine.Refusal{Message: "an issue needs a title"}
	case len(title) > longestTitle:
		return "", &engine.Refusal{Message: fmt.Sprintf("the title is %d bytes; the limit is %d", len(title), longestTitle),
			Hint: "shorten it"}
	case len(op.Body) > longestBody:
		return "", &engine.Refusal{Message: fmt.Sprintf("the text is %d bytes; the limit is %d", len(op.Body), longestBody),
			Hint: "shorten it"}
	}
	root, i, unlock, err := l.hold(ctx, op.Number, op.Version)
	if err != nil {
		return root, err
	}
	defer unlock()
	body := strings.TrimRight(strings.ReplaceAll(op.Body, "\r\n", "\n"), "\n") + "\n"
	if i.Title == title && i.Body == body {
		return root, nil
	}
	_, err = l.store.Append(ctx, issue.EditKind.New(root, "person", issue.Edited{Title: title, Body: body}))
	return root, err
}

// hold finds a draft that was not filed, and locks it. With an error nothing is locked. unlock must be called once.
func (l *Library) hold(ctx context.Context, number, version int) (tree.ID, issue.Issue, func(), error) {
	unlock, err := l.core.Lock(ctx, "issue-"+strconv.Itoa(number), &engine.Refusal{Message: "another process is editing this draft",
		Hint: "try again"})
	if err != nil {
		return "", issue.Issue{}, nil, err
	}
	root, i, err := l.find(ctx, number)
	switch {
	case err != nil:
	case i.URL != "":
		err = &engine.Refusal{Message: fmt.Sprintf("issue draft %d was filed: %s", number, i.URL), Hint: "change it there"}
	case version != 0 && version != i.Version:
		err = &engine.Refusal{Message: fmt.Sprintf("draft %d was changed meanwhile: it is at version %d, not %d", number, i.Version,
			version),
			Hint: "load it again: socrates work issue show " + strconv.Itoa(number)}
	}
	if err != nil {
		unlock()
		return root, i, nil, err
	}
	return root, i, unlock, nil
}

// bin is the trash for drafts.
func (l *Library) bin() engine.Bin {
	return engine.Bin{Is: "issue draft", Refs: refs, Command: "socrates work issue",
		Find: func(ctx context.Context, called string) (tree.ID, string, error) {
			number, _ := strconv.Atoi(called)
			root, _, err := l.find(ctx, number)
			return root, called, err
		}}
}

// Delete moves drafts to the trash, all or none, and Restore takes one out.
type (
	Delete  struct{ Numbers []int }
	Restore struct{ Number int }
)

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var names []string
	for _, number := range op.Numbers {
		names = append(names, strconv.Itoa(number))
	}
	return l.bin().Delete(ctx, l.core, names...)
}

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	return l.bin().Restore(ctx, l.core, strconv.Itoa(op.Number))
}
