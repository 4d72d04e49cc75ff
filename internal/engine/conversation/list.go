package conversation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// useRefs point, for each project, at the node that says which conversation was chosen there.
const useRefs = "use/"

// useRef is that of a project.
func useRef(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return useRefs + hex.EncodeToString(sum[:12])
}

// Use chooses the conversation that is meant in a project when none is named.
type Use struct{ Tree, Dir string }

// Do implements engine.Op.
func (op Use) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	if t.Dir != op.Dir {
		return t.Root, &engine.Refusal{Message: "conversation " + t.Name + " belongs to " + t.Dir,
			Hint: "use it there (--cwd " + t.Dir + "), or name it in each command"}
	}
	return t.Root, l.use(ctx, op.Dir, t.Root)
}

// use records which conversation is meant in a folder.
func (l *Library) use(ctx context.Context, dir string, root tree.ID) error {
	for {
		old, err := l.store.Ref(ctx, useRef(dir))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n := margin.UseKind.New(old.Head, "person", margin.Used{Dir: dir, Tree: root})
		if _, err = l.store.AppendTo(ctx, useRef(dir), old.Head, n.ID, n); !errors.Is(err, store.ErrMoved) {
			return err // else somebody chose at the same moment: whoever comes last has chosen
		}
	}
}

// chosen is the conversation that was chosen in a project, and when. Without one both are zero.
func (l *Library) chosen(ctx context.Context, dir string) (tree.ID, time.Time, error) {
	ref, err := l.store.Ref(ctx, useRef(dir))
	if errors.Is(err, store.ErrNotFound) {
		return "", time.Time{}, nil
	} else if err != nil {
		return "", time.Time{}, err
	}
	n, err := l.store.Node(ctx, ref.Head)
	if err != nil {
		return "", time.Time{}, err
	}
	u, _ := margin.UseKind.Of(n)
	return u.Tree, n.At, nil
}

// Info is a line in the list of conversations.
// Title may be empty. Last is when a branch moved last, which titles and labels do not count for.
type Info struct {
	Name     string    `json:"name"`
	Dir      string    `json:"dir"`
	Title    string    `json:"title"` // that it was given, or the first words that were said
	Branches int       `json:"branches"`
	Began    time.Time `json:"began"`
	Person   string    `json:"person,omitempty"` // of a hub, who began it; empty: whoever runs the program
	Last     time.Time `json:"last"`
	InUse    bool      `json:"in_use"` // it is meant in its project when none is named
	Running  bool      `json:"running"`
	Root     tree.ID   `json:"-"`
	given    bool      // the title was given to it
}

// List lists the conversations, the one that was used last first; with a dir, those of that project.
// It reads the opening of each conversation without a title: one query for each, since most lists are short.
func (l *Library) List(ctx context.Context, dir string) ([]Info, error) {
	all, err := l.trees(ctx, dir)
	if err != nil {
		return nil, err
	}
	titles, err := given(ctx, l)
	if err != nil {
		return nil, err
	}
	inUse := map[string]tree.ID{}
	for i := range all {
		t := &all[i]
		// Once for each folder, not for each conversation.
		if _, ok := inUse[t.Dir]; !ok {
			at, err := l.pick(ctx, t.Dir, all)
			if err != nil {
				return nil, err
			}
			inUse[t.Dir] = at.Root
		}
		t.InUse, t.Running = inUse[t.Dir] == t.Root, l.AtWork(t.Name)
		if t.Title, t.given = titles[t.Root]; t.given {
			continue
		}
		if t.Title, err = opening(ctx, l, t.Root); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// AtWork says whether a process is moving a conversation on.
func (l *Library) AtWork(name string) bool { return l.core.Held("tree-" + name) }

// AtWorkElsewhere says whether another process is moving a conversation on.
func (l *Library) AtWorkElsewhere(name string) bool { return l.core.Elsewhere("tree-" + name) }

// trees are the conversations without what takes longer to find out.
func (l *Library) trees(ctx context.Context, dir string) ([]Info, error) {
	tips, err := l.store.Tips(ctx, treeRefs)
	if err != nil {
		return nil, err
	}
	branches, err := l.store.Refs(ctx, branchRefs, "")
	if err != nil {
		return nil, err
	}
	last, count := map[string]time.Time{}, map[string]int{}
	for _, b := range branches {
		name, _, _ := strings.Cut(strings.TrimPrefix(b.Name, branchRefs), "/")
		count[name]++
		if b.At.After(last[name]) {
			last[name] = b.At
		}
	}
	out, read := []Info{}, 0
	for _, tip := range tips {
		r, ok := beginning(tip.Root)
		if ok {
			read++
		}
		if !ok || dir != "" && r.Dir != dir {
			continue
		}
		name := strings.TrimPrefix(tip.Ref.Name, treeRefs)
		person, _ := tree.ByPerson(tip.Root.By)
		out = append(out, Info{Name: name, Dir: r.Dir, Branches: count[name], Began: tip.Root.At, Last: last[name], Root: tip.Root.ID,
			Person: person})
	}
	if read == 0 {
		return out, l.store.Lost(ctx, treeRefs, "conversations", func(t store.Tip) bool {
			_, ok := beginning(t.Root)
			return ok
		})
	}
	slices.SortStableFunc(out, func(a, b Info) int { return cmp.Or(b.Last.Compare(a.Last), b.Began.Compare(a.Began)) })
	return out, nil
}

// Last is the conversation that is meant in a project when none is named: the one that was chosen there, or begun
// since; if none was chosen, the one that was used last.
// Without any it is a refusal.
func (l *Library) Last(ctx context.Context, dir string) (string, error) {
	all, err := l.trees(ctx, dir)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", &engine.Refusal{Message: "no conversation in " + dir + " to continue",
			Hint: "start one: socrates, or in lines: socrates chat"}
	}
	t, err := l.pick(ctx, dir, all)
	return t.Name, err
}

// pick takes that one out of a list that holds one of the project at least.
func (l *Library) pick(ctx context.Context, dir string, all []Info) (Info, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(t Info) bool { return t.Dir != dir })
	root, at, err := l.chosen(ctx, dir)
	i := slices.IndexFunc(all, func(t Info) bool { return t.Root == root })
	if err != nil || i < 0 {
		return all[0], err
	}
	// A conversation that was begun after the choice is meant too: whoever begins one goes on with it.
	for j, t := range all {
		if t.Began.After(at) {
			i, at = j, t.Began
		}
	}
	return all[i], nil
}
