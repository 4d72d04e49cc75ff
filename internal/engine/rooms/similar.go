package rooms

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Likeness selects the earlier decisions that are shown for a new question.
type Likeness struct {
	Question string
	Options  []string
	Dir      string // decisions of this folder and below
	Most     int
	Except   string // room to leave out
}

// candidates is how many decisions that share words with a question are considered.
const candidates = 50

// Similar finds earlier decisions on similar questions, the most similar first. Questions are similar if they share two
// meaningful words, and half of those of the shorter one. Rehearsals are left out.
func (l *Library) Similar(ctx context.Context, of Likeness) ([]Earlier, error) {
	asked, _ := motion.Split(of.Question)
	words := telling(asked, of.Options)
	if of.Most <= 0 || len(words) == 0 {
		return nil, nil
	}
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	hits, err := l.store.Search(ctx, store.Query{Text: strings.Join(words, " "), Scope: filepath.ToSlash(of.Dir), Titles: true,
		Least: min(2, len(words)), Limit: candidates, Kinds: framed})
	if err != nil {
		return nil, err
	}
	type like struct {
		root  tree.Node
		asked string
		gone  *Supersession
		share float64
	}
	var likes []like
	for _, h := range hits {
		root, err := l.store.Node(ctx, h.Node)
		if err != nil {
			return nil, err
		}
		f, ok := table.FrameKind.Of(root)
		if !ok || f.Rehearsal || f.Room == of.Except { // no model took part: nothing can be learned from it
			continue
		}
		// Relative to the shorter question: a long one shares many words with anything.
		theirs, _ := motion.Split(f.Question)
		if share := float64(h.Words) / float64(max(1, min(len(words), len(telling(theirs, texts(f.Options)))))); share >= 0.5 {
			gone, err := l.supersededBy(ctx, f.Room)
			if err != nil {
				return nil, err
			}
			likes = append(likes, like{root, strings.ToLower(strings.Join(strings.Fields(theirs), " ")), gone, share})
		}
	}
	slices.SortStableFunc(likes, func(a, b like) int { // decisions that still apply come first, then newer ones
		return cmp.Or(cmp.Compare(b.share, a.share), bit(a.gone != nil)-bit(b.gone != nil), b.root.At.Compare(a.root.At))
	})
	type again struct {
		asked string
		gone  bool
	}
	shown := map[again]bool{} // for each question, the newest that applies and the newest that does not: that it was reversed is news
	likes = slices.DeleteFunc(likes, func(k like) bool {
		key := again{k.asked, k.gone != nil}
		repeats := shown[key]
		shown[key] = true
		return repeats
	})
	var out []Earlier
	for _, k := range likes[:min(of.Most, len(likes))] {
		res, err := l.Result(ctx, k.root.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, Earlier{res.Digest(), k.gone})
	}
	return out, nil
}

// Contradicted returns the earlier decisions that still apply and rejected the option that a debate on a similar
// question chose. Only an identical option counts: code cannot tell whether two texts mean the same.
func Contradicted(ctx context.Context, l *Library, res debate.Result, dir string) ([]Earlier, error) {
	now := res.Digest()
	if now.Winner == "" || now.Rehearsal {
		return nil, nil
	}
	all, err := l.Similar(ctx, Likeness{Question: res.Question, Options: texts(res.Options), Dir: dir, Most: 10, Except: res.Room})
	return slices.DeleteFunc(all, func(e Earlier) bool {
		return e.Superseded != nil || e.Open || e.Winner == "" || e.Room == res.Revisits || e.Date.After(now.Date) ||
			!slices.ContainsFunc(e.Rejected, func(o string) bool { return motion.Plain(o) == motion.Plain(now.Winner) })
	}), err
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func texts(options []verdict.Option) []string {
	var out []string
	for _, o := range options {
		out = append(out, o.Text)
	}
	return out
}

// telling returns the words of a question and its options that say what it is about.
func telling(question string, options []string) []string {
	return store.Telling(question + "\n" + strings.Join(options, "\n"))
}
