package turns

import (
	"cmp"
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// turn is the answer to what was said, while it is made.
// One goroutine makes it. Its tools, its tasks and its background jobs reach it from others by way of trail, added,
// files and fetching, which guard themselves.
type turn struct {
	*trail
	speaker
	op       Say
	set      map[string]string
	newBrief *tree.Node
	first    bool // it begins a conversation that has no title yet
	began    time.Time
	seq      int64
	files    files
	added    added
	inbox    inbox
	fetching fetching
	lookout  *SteerWatch
	above    *turn                 // that gave it as a task; nil: a person's
	depth    int                   // of tasks above it
	tasks    *atomic.Int32         // that were given in the person's turn
	own      *tool.Session         // of a task; nil: the conversation's
	deeds    map[string][]tool.Act // that a program with tools of its own was let do, by the calls
	did      int                   // how many of them have ended
}

// turn makes one that is at the head of its branch.
func (l *Library) turn(op Say, t conversation.Tree) *turn {
	at := &trail{lib: l, t: t, at: t.Head, aside: op.Aside}
	return &turn{trail: at, op: op, speaker: speaker{trail: at, carries: attachments{lib: l}}, files: files{trail: at},
		added: added{trail: at}, inbox: inbox{trail: at},
		deeds: map[string][]tool.Act{}, tasks: &atomic.Int32{}}
}

// speaker is the model of a turn, with what it is told, may use and has cost.
type speaker struct {
	*trail
	spec      string // as set, with the phase's tier where that is left open
	model     llm.Model
	phase     phase.Phase
	mode      permission.Mode
	readsOnly bool // the mode would allow changes, but the model makes none
	works     bool // it is a program that works in the project itself, with tools of its own
	tools     []tool.Tool
	system    string
	dir       string // where it works
	budget    *budget.Budget
	calls     int
	used      cost.Usage // by the answer whose tools run
	lost      cost.Usage // by calls that failed
	cut       string     // what it had said when it was broken off
	span      span
	shared    int    // how many bytes of system other conversations begin with
	before    string // the beginning of its answer, if that reached the limit of tokens and was continued
	carries   attachments
}

// equip finds model, phase, tools and system prompt.
// It asks nobody and records nothing, but may start servers, hooks and a program.
func (w *turn) equip(ctx context.Context, path []tree.Node) (err error) {
	work := w.lib.wiring
	if w.set["model"] == "" {
		return &engine.Refusal{Message: "no model given", Hint: "choose one with --model; list them: socrates seats"}
	}
	if w.phase, err = work.Phase(w.t.Dir, cmp.Or(w.set["phase"], "chat")); err != nil {
		return err
	}
	w.spec = work.answers(w.set["model"], w.phase)
	if w.model, err = w.lib.answering(ctx, w.t.Root, w.spec); err != nil {
		return err
	}
	if err := w.model.Info().Takes(w.op.Effort); err != nil {
		return &engine.Refusal{Message: err.Error(), Hint: "choose another with --effort"}
	}
	w.mode = permission.Mode(cmp.Or(w.set["mode"], string(permission.Balanced)))
	if w.phase.Mode != "" {
		w.mode = w.mode.Stricter(permission.Mode(w.phase.Mode))
	}
	if info := w.model.Info(); info.Acts && info.OnlyReads() == "" {
		// In plan mode such a program answers in a copy, like one that cannot be held to anything.
		w.works = w.mode != permission.Plan
	} else if info.Acts {
		w.readsOnly, w.mode = w.mode != permission.Plan, permission.Plan
	}
	if err := w.added.extend(ctx, w.op.Bare); err != nil {
		return err
	}
	base := baseOf(path, w.op.Bare)
	if base != nil && !base.offers(w) {
		base = nil
	}
	if err := w.offer(ctx, base); err != nil {
		return err
	}
	if more := view.System(path); more != "" {
		w.system += "\n\n" + more
	}
	return nil
}

// gistOf is a call in a few words.
func gistOf(c llm.Call) string { return strings.TrimSpace(c.Name + " " + c.Gist()) }
