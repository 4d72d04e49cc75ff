package turns

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Limits bound a turn, including its tasks. Zero values are no limits.
type Limits struct {
	Turns   int // model calls
	USD     float64
	Tokens  int
	Timeout time.Duration
}

// Say adds a message to a conversation and starts the turn that answers it.
type Say struct {
	Tree   string
	Text   string
	Data   string
	Images []llm.Attachment
	// Attach are attached files: pictures, PDFs, notebooks and texts, of the project or by absolute paths that a person chose.
	Attach []string
	Typed  string          // the command that Text was made from, if it comes from a page
	Aside  bool            // a side question: the branch does not move
	From   tree.ID         // answer below this node instead of the branch's head; the branch moves there
	Model  string          // a seat's spec; empty: as set in the conversation
	Phase  string          // empty: as set
	Mode   permission.Mode // empty: as set
	Only   []string        // names of tools, or globs; empty: those of the phase
	Schema []byte          // of the answer; nil: free text
	Effort string
	Limits Limits
	Bare   bool           // without memory, conventions, skills, hooks and servers
	Budget *budget.Budget // an outer budget in which spending is reserved, too; nil: none
	Env    []string       // variables for the programs that tools start
	// Last means that no turn follows: background jobs are ended before the check of what programs changed.
	Last bool
	// Again answers the last message once more, instead of adding one. An existing answer stays on its branch, and the
	// new one is made on a branch of its own. With Files, the project's files are restored to their state before that
	// answer.
	Again, Files bool
}

// Do implements engine.Op. When it returns, the message is on disk, and the turn has begun.
func (op Say) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.talks.Lock(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	w, err := l.prepare(ctx, op, t)
	if err != nil {
		unlock()
		return t.Root, err
	}
	l.mu.Lock()
	// Before the job starts: whoever learns that it runs may ask for its conditions.
	l.state(t.Root).turn = Conditions{Tree: t.Name, Dir: t.Dir, Model: w.spec, Phase: w.phase.Name, Mode: w.mode}
	l.mu.Unlock()
	l.core.Start(ctx, t.Root, w.seq, func(ctx context.Context, j *engine.Job) error {
		defer l.closeIdle(context.WithoutCancel(ctx))
		defer unlock()
		return w.run(ctx, j)
	})
	return t.Root, nil
}

// Conditions are the settings of a conversation's last turn in this process; if that was a command of the person, there is no model.
type Conditions struct {
	Tree, Dir    string
	Model, Phase string
	Mode         permission.Mode
}

// Turn returns the conditions of the last turn that was begun here.
func (l *Library) Turn(root tree.ID) Conditions {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state(root).turn
}

// prepare records the message, with the settings it changes, and makes the turn. Nothing is recorded until all of it is
// known to work, except for the end of an interrupted turn, and the branch for a repeated answer.
func (l *Library) prepare(ctx context.Context, op Say, t conversation.Tree) (*turn, error) {
	w := l.turn(op, t)
	path, answered, err := w.start(ctx)
	if err != nil {
		return nil, err
	}
	if len(path) > 0 && told.Interrupted(path[len(path)-1], t.Name, t.Branch) != "" { // no model should work on such files
		return nil, &engine.Refusal{Message: "restoring files was interrupted: some are restored, others are as before",
			Hint: "finish it first: " + told.Finish(t.Name, t.Branch)}
	}
	var nodes []tree.Node
	if !op.Aside {
		nodes = changedSettings(path, w.settings)
	}
	if !op.Aside && !op.Again && op.From == "" {
		ends, err := w.lib.talks.Missed(ctx, t.Root, path)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, ends...)
	}
	if view.Strangers(path) {
		w.taint()
	}
	if err := w.equip(ctx, path); err != nil {
		return nil, err
	}
	prompt, err := w.added.tell(ctx, &op, phaseOf(path), w.phase.Name)
	if err != nil {
		return nil, err
	}
	if answered && !op.Aside {
		if err := w.branchForRetry(ctx); err != nil {
			return nil, err
		}
	}
	nodes = append(append(nodes, prompt...), w.added.notices()...)
	if w.newBrief != nil {
		nodes = append(nodes, *w.newBrief)
	}
	files, err := w.changedContextFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	recalled, err := w.recall(ctx, path)
	if err != nil {
		return nil, err
	}
	nodes = append(append(nodes, files...), recalled...)
	if !op.Again {
		images, data, err := w.attachments.collect(ctx, op, t.Dir, w.model.Info(), path)
		if err != nil {
			return nil, err
		}
		data = strings.TrimLeft(op.Data+"\n\n"+data, "\n")
		said := talk.SayKind.New("", "person", talk.Said{Text: op.Text, Data: data, Images: images, Typed: op.Typed, Aside: op.Aside})
		w.said = said.ID
		nodes = append(nodes, said)
	}
	// One commit: settings, brief, files, memory and message. After a crash either all of it is there or none.
	if err := w.add(ctx, append(w.begin(), nodes...)...); err != nil {
		w.leave()
		return nil, err
	}
	return w, nil
}

// start finds the node that the turn begins at, the path to it, and the current settings. answered: a repeated message had an answer.
func (w *turn) start(ctx context.Context) (path []tree.Node, answered bool, err error) {
	w.steerWatch = w.lib.steerWatchOf(w.t.Root)
	w.at = cmp.Or(w.op.From, w.at)
	if path, err = w.lib.store.Path(ctx, w.at); err != nil {
		return nil, false, err
	}
	if w.seq, err = w.lib.store.Version(ctx); err != nil { // other branches have newer nodes than this one, which are no news
		return nil, false, err
	}
	w.inbox.taken = w.seq
	w.first = needsTitle(ctx, w, path)
	w.settings = margin.Settings(path)
	for key, value := range map[string]string{"model": w.op.Model, "phase": w.op.Phase, "mode": string(w.op.Mode)} {
		w.settings[key] = cmp.Or(value, w.settings[key])
	}
	if !w.op.Again {
		return path, false, w.endCrashedTurn(ctx, path)
	}
	if path, answered, err = lastSaid(path); err == nil {
		w.at = path[len(path)-1].ID
		w.said = w.at
	}
	return path, answered, err
}

// changedSettings are those that differ from the path's, sorted, so that the same ones make the same nodes.
func changedSettings(path []tree.Node, settings map[string]string) (nodes []tree.Node) {
	was := margin.Settings(path)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if was[key] != settings[key] {
			nodes = append(nodes, margin.SetKind.New("", "person", margin.Set{Key: key, Value: settings[key]}))
		}
	}
	return nodes
}

// phaseOf is the phase of the last turn on a path, whatever was set since; empty: there was none.
func phaseOf(path []tree.Node) string {
	for i, n := range slices.Backward(path) {
		if s, ok := talk.SayKind.Of(n); ok && !s.Aside {
			return cmp.Or(margin.Settings(path[:i])["phase"], "chat")
		}
	}
	return ""
}

// lastSaid returns the path to the last message, and whether it was answered.
func lastSaid(path []tree.Node) (to []tree.Node, answered bool, err error) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Kind == string(talk.SayKind) { // including messages to the running turn
			return path[:i+1], answered, nil
		}
		answered = answered || isShown(path[i])
	}
	return nil, false, &engine.Refusal{Message: "nothing to retry"}
}

// branchForRetry puts the turn on a new branch that begins at its current node and, if wanted, restores the files to their state there.
func (w *turn) branchForRetry(ctx context.Context) error {
	from := w.t.Head
	if _, err := w.lib.engine.Do(ctx, conversation.Branch{Tree: w.t.Name, At: string(w.at)}); err != nil {
		return err
	}
	t, err := w.lib.talks.Open(ctx, w.t.Name)
	if w.t = t; err == nil && w.op.Files {
		err = w.lib.talks.RestoreFiles(ctx, &w.t, from, store.Change{})
		w.at = w.t.Head
	}
	return err
}
