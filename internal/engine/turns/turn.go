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
// One goroutine makes it. Its tools, its tasks and its background jobs reach it from others by way of recorder, added,
// files and fetching, which guard themselves.
type turn struct {
	*recorder
	speaker
	op          Say
	settings    map[string]string
	newBrief    *tree.Node
	first       bool // it begins a conversation that has no title yet
	began       time.Time
	seq         int64 // of the last node in the store before it began
	files       files
	added       added
	inbox       inbox
	fetching    fetching
	steerWatch  *SteerWatch
	parent      *turn         // the turn that gave it as a task; nil: a person's
	depth       int           // of tasks above it
	tasks       *atomic.Int32 // that were given in the person's turn
	taskSession *tool.Session // of a task; nil: the conversation's
	open        []*ownCall    // of a program with tools of its own, that have not ended
	ownCalls    int           // how many calls of such a program have ended
}

// turn makes one that is at the head of its branch.
func (l *Library) turn(op Say, t conversation.Tree) *turn {
	at := &recorder{lib: l, t: t, at: t.Head, aside: op.Aside}
	return &turn{recorder: at, op: op, speaker: speaker{recorder: at, attachments: attachments{lib: l}}, files: files{recorder: at},
		added: added{recorder: at}, inbox: inbox{recorder: at},
		tasks: &atomic.Int32{}}
}

// speaker is the model of a turn, with what it is told, may use and has cost.
type speaker struct {
	*recorder
	spec           string // as set, with the phase's tier where that is left open
	model          llm.Model
	phase          phase.Phase
	mode           permission.Mode
	readsOnly      bool // the mode would allow changes, but the model makes none
	worksInProject bool // it is a program that works in the project itself, with tools of its own
	tools          []tool.Tool
	system         string
	dir            string // where it works
	budget         *budget.Budget
	calls          int
	lastUsage      cost.Usage // by the answer whose tools run
	lostUsage      cost.Usage // by calls that failed
	partial        string     // what it had said when it was broken off
	size           contextSize
	shared         int    // how many bytes of system other conversations begin with
	answerStart    string // the beginning of its answer, if that reached the limit of tokens and was continued
	attachments    attachments
}

// equip finds model, phase, tools and system prompt.
// It asks nobody and records nothing, but may start servers, hooks and a program.
func (w *turn) equip(ctx context.Context, path []tree.Node) (err error) {
	work := w.lib.wiring
	if w.settings["model"] == "" {
		return &engine.Refusal{Message: "no model given", Hint: "choose one with --model; list them: socrates seats"}
	}
	if w.phase, err = work.Phase(w.t.Dir, cmp.Or(w.settings["phase"], "chat")); err != nil {
		return err
	}
	w.spec = work.answeringSpec(w.settings["model"], w.phase)
	if w.model, err = w.lib.answeringModel(ctx, w.t.Root, w.spec); err != nil {
		return err
	}
	if err := w.model.Info().Takes(w.op.Effort); err != nil {
		return &engine.Refusal{Message: err.Error(), Hint: "choose another with --effort"}
	}
	w.mode = permission.Mode(cmp.Or(w.settings["mode"], string(permission.Balanced)))
	if w.phase.Mode != "" {
		w.mode = w.mode.Stricter(permission.Mode(w.phase.Mode))
	}
	if info := w.model.Info(); info.Acts && info.OnlyReads() == "" {
		// In plan mode such a program answers in a copy, like one that cannot be held to anything.
		w.worksInProject = w.mode != permission.Plan
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
	if err := w.offerTools(ctx, base); err != nil {
		return err
	}
	if more := view.System(path); more != "" {
		w.system += "\n\n" + more
	}
	return nil
}

// allowance is what the turn may spend.
func (w *turn) allowance() *budget.Budget {
	if w.budget == nil {
		w.budget = budget.New(w.op.Limits.USD, w.op.Limits.Tokens, w.op.Budget)
	}
	return w.budget
}

// gistOf is a call in a few words.
func gistOf(c llm.Call) string { return strings.TrimSpace(c.Name + " " + c.Gist()) }
