package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Record returns a whole conversation, to be moved to another store. Texts that are missing in the store are omitted: a
// record with a gap is better than none.
func (l *Library) Record(ctx context.Context, t Tree) (archive.Record, error) {
	r := archive.Record{Name: t.Name, Branch: t.Branch, Branches: map[string]tree.ID{}, Labels: map[string]tree.ID{}}
	nodes, err := l.store.Tree(ctx, t.Root)
	if err != nil {
		return r, err
	}
	for prefix, to := range map[string]map[string]tree.ID{branchRefs: r.Branches, labelRefs: r.Labels} {
		refs, err := l.store.Refs(ctx, prefix+t.Name+"/", "")
		if err != nil {
			return r, err
		}
		for _, ref := range refs {
			to[strings.TrimPrefix(ref.Name, prefix+t.Name+"/")] = ref.Head
		}
	}
	return r.Take(nodes, func(hash string) (string, bool) {
		text, err := l.store.Blob(ctx, hash)
		return text, err == nil
	}), nil
}

// Import adds a conversation from a record. It then belongs to Dir, whatever folder it was made in, and its mode allows no more than the
// default one. All of it counts as untrusted text, whatever the record says. Its ids are kept if none of them is taken here, otherwise all
// are new. A record contains no grants, since they are not nodes.
type Import struct {
	Record archive.Record
	Name   string // empty: its name in the record
	Dir    string
	// Safe reports whether an imported conversation may continue with the model of this spec; otherwise it continues with the default one.
	Safe func(spec string) bool
}

// Do implements engine.Op.
func (op Import) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	r, name := op.Record, op.Name
	if name == "" {
		name = r.Name
	}
	if !tree.GoodName(name) {
		return "", &engine.Refusal{Message: fmt.Sprintf("invalid conversation name %q", name),
			Hint: "choose one with --name: lowercase letters, digits and dashes, at most 64"}
	}
	dir, err := filepath.Abs(op.Dir)
	if err != nil {
		return "", fmt.Errorf("the project folder: %w", err)
	}
	// The name is checked here and again by the commit: the first check saves work, the commit decides.
	taken := &engine.Refusal{Message: "conversation " + name + " already exists",
		Hint: "choose another name: --name " + name[:min(len(name), 60)] + "-2"}
	if _, err := l.store.Ref(ctx, treeRefs+name); err == nil {
		return "", taken // before any of its texts is stored
	}
	if r, err = l.fresh(ctx, r); err != nil {
		return "", err
	}
	settle(r.Nodes, dir, op.Safe)
	root := r.Nodes[0].ID
	c := store.Change{Nodes: r.Nodes, Index: indexed(dir, r.Nodes...)}
	at := root
	if r.Branch != mainBranch {
		n := margin.SwitchKind.New(root, "person", margin.Switch{Branch: r.Branch})
		c.Nodes, at = append(c.Nodes, n), n.ID
	}
	c.Moves = []store.Move{{Ref: treeRefs + name, To: at}}
	for branch, head := range r.Branches {
		c.Moves = append(c.Moves, store.Move{Ref: branchRefs + name + "/" + branch, To: head})
	}
	for label, head := range r.Labels {
		c.Moves = append(c.Moves, store.Move{Ref: labelRefs + name + "/" + label, To: head})
	}
	if _, err := l.store.Commit(ctx, c); errors.Is(err, store.ErrMoved) {
		return "", taken
	} else if err != nil {
		return "", err
	}
	return root, l.use(ctx, dir, root)
}

// fresh stores the texts of a record and gives it ids that are free.
func (l *Library) fresh(ctx context.Context, r archive.Record) (archive.Record, error) {
	other := map[string]string{}
	for hash, text := range r.Texts {
		kept, err := l.store.PutBlob(ctx, text)
		if err != nil {
			return r, err
		}
		// The hash is that of the cleaned text, so nodes that name the text need the new one.
		if kept != hash { // part of it is a secret here
			other[hash] = kept
		}
	}
	ids := make([]tree.ID, len(r.Nodes))
	for i, n := range r.Nodes {
		ids[i] = n.ID
	}
	taken, err := l.store.Any(ctx, ids)
	if err != nil {
		return r, err
	}
	for _, n := range r.Nodes {
		if taken {
			other[string(n.ID)] = string(tree.NewID())
		}
	}
	return r.Replace(other), nil
}

// settle assigns the nodes of a record to a folder here. It changes nodes that nobody has seen here yet; once stored they are immutable.
func settle(nodes []tree.Node, dir string, safe func(string) bool) {
	for i, n := range nodes {
		if r, ok := talk.RootKind.Of(n); ok {
			r.Dir, r.Imported, r.Title = dir, true, clean.Line(r.Title)
			nodes[i].Body, _ = json.Marshal(r)
		}
		if s, ok := margin.SetKind.Of(n); ok && s.Value != "" {
			was := s.Value
			mode, known := permission.ParseMode(was)
			switch {
			case s.Key == "mode" && (known != nil || permission.Balanced.Stricter(mode) != mode):
				s.Value = string(permission.Balanced)
			case s.Key == "model" && safe != nil && !safe(was):
				s.Value = ""
			}
			if s.Value != was {
				nodes[i].Body, _ = json.Marshal(s)
			}
		}
		if t, ok := margin.TitleKind.Of(n); ok { // lists have one line for each
			t.Text = clean.Line(t.Text)
			nodes[i].Body, _ = json.Marshal(t)
		}
	}
}
