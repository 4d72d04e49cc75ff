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

// useRef is the ref for a project.
func useRef(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return useRefs + hex.EncodeToString(sum[:12])
}

// Use chooses the conversation that commands use in a project if none is named.
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

// use records which conversation commands use in a folder.
func (l *Library) use(ctx context.Context, dir string, root tree.ID) error {
	for {
		old, err := l.store.Ref(ctx, useRef(dir))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n := margin.UseKind.New(old.Head, "person", margin.Used{Dir: dir, Tree: root})
		if _, err = l.store.AppendTo(ctx, useRef(dir), old.Head, n.ID, n); !errors.Is(err, store.ErrMoved) {
			return err // otherwise somebody else chose at the same moment: the last choice wins
		}
	}
}

// chosen returns the conversation that was chosen in a project, and when. Both are zero if there is none.
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

// Info is a line in the list of conversations. Title may be empty. Last is when a branch was last moved; titles and labels do not count.
type Info struct {
	Name     string    `json:"name"`
	Dir      string    `json:"dir"`
	Title    string    `json:"title"` // given to it, or the beginning of the first message
	Branches int       `json:"branches"`
	Began    time.Time `json:"began"`
	Person   string    `json:"person,omitempty"` // of a hub: who began it; empty: the person who runs the program
	Last     time.Time `json:"last"`
	InUse    bool      `json:"in_use"` // commands use it in its project if none is named
	Running  bool      `json:"running"`
	Root     tree.ID   `json:"-"`
	given    bool      // the title was given to it
}

// List lists the conversations, the one that was used last first; with a dir, those of that project. For each
// conversation without a title it reads the opening with one query, since most lists are short.
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

// AtWork reports whether a process is working on a conversation.
func (l *Library) AtWork(name string) bool { return l.core.Held("tree-" + name) }

// AtWorkElsewhere reports whether another process is working on a conversation.
func (l *Library) AtWorkElsewhere(name string) bool { return l.core.Elsewhere("tree-" + name) }

// trees lists the conversations without the fields that take longer to compute.
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

// Last returns the conversation that commands use in a project if none is named: the one that was chosen there, or a
// newer one; if none was chosen, the one that was used last. It is a refusal if there is none.
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

// pick does what Last does, on a list that contains at least one of the project's conversations.
func (l *Library) pick(ctx context.Context, dir string, all []Info) (Info, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(t Info) bool { return t.Dir != dir })
	root, at, err := l.chosen(ctx, dir)
	i := slices.IndexFunc(all, func(t Info) bool { return t.Root == root })
	if err != nil || i < 0 {
		return all[0], err
	}
	// A conversation that was begun after the choice counts as chosen: whoever begins one continues with it.
	for j, t := range all {
		if t.Began.After(at) {
			i, at = j, t.Began
		}
	}
	return all[i], nil
}
