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

// turn is the work on the answer to a message. One goroutine runs it. Its tools, its tasks and its background jobs
// access it from others through recorder, added, files and fetching, which are safe for that.
type turn struct {
	*recorder
	speaker
	op          Say
	settings    map[string]string
	newBrief    *tree.Node
	first       bool // it begins a conversation that has no title yet
	began       time.Time
	seq         int64 // of the last node in the store before the turn began
	files       files
	added       added
	inbox       inbox
	fetching    fetching
	steerWatch  *SteerWatch
	parent      *turn           // the turn that gave it as a task; nil: it is a person's
	depth       int             // number of tasks above it
	tasks       *atomic.Int32   // number of tasks in the person's turn
	taskSession *tool.Session   // for a task; nil: the conversation's
	open        []*ownCall      // calls of a program with its own tools that have not ended
	ownCalls    int             // number of ended calls of such a program
	saying      strings.Builder // its text since the last of them ended
}

// turn makes a turn at the head of its branch.
func (l *Library) turn(op Say, t conversation.Tree) *turn {
	at := &recorder{lib: l, t: t, at: t.Head, aside: op.Aside}
	return &turn{recorder: at, op: op, speaker: speaker{recorder: at, attachments: attachments{lib: l}},
		files: files{recorder: at, hadJobs: len(l.Jobs(t.Root))},
		added: added{recorder: at}, inbox: inbox{recorder: at},
		tasks: &atomic.Int32{}}
}

// speaker is the model of a turn, with its prompt, its tools and its cost.
type speaker struct {
	*recorder
	spec           string // as set, with the phase's tier if it leaves that open
	model          llm.Model
	phase          phase.Phase
	mode           permission.Mode
	readsOnly      bool // the mode would allow changes, but the model makes none
	worksInProject bool // it is a program that works in the project itself, with its own tools
	tools          []tool.Tool
	system         string
	dir            string // the folder where it works
	budget         *budget.Budget
	calls          int
	lastUsage      cost.Usage // of the answer whose tools are running
	lostUsage      cost.Usage // of failed calls
	partial        string     // what it had said when it was interrupted
	size           contextSize
	shared         int    // how many of the first bytes of system it shares with other conversations
	answerStart    string // the beginning of its answer, if that reached the token limit and was continued
	attachments    attachments
}

// equip finds model, phase, tools and system prompt. It asks nobody and records nothing, but may start servers, hooks and a program.
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
		// In plan mode such a program answers in a copy, like one that cannot be restricted.
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

// allowance is the budget of the turn.
func (w *turn) allowance() *budget.Budget {
	if w.budget == nil {
		w.budget = budget.New(w.op.Limits.USD, w.op.Limits.Tokens, w.op.Budget)
	}
	return w.budget
}

// gistOf is a call in a few words.
func gistOf(c llm.Call) string { return strings.TrimSpace(c.Name + " " + c.Gist()) }
