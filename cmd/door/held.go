package door

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/tree"
)

// hold runs a debate that a client asked for on a person's behalf. The person's settings limit what it may cost and
// do; the client can only narrow them. Key makes retries harmless: the same request in the same folder is the debate
// that already runs. Via says who asked.
func (a *commands) hold(ctx context.Context, ask door.Ask) error {
	begun := a.onBegun()
	d, op, err := a.asked(ctx, ask)
	if err != nil {
		return err
	}
	op.Frame.Key, op.Frame.Via = ask.Key(op.Frame.Dir), ask.Client
	return a.run(ctx, begun, op, d)
}

// typed runs a debate that a person typed into an editor, so all its flags are allowed.
func (a *commands) typed(ctx context.Context, flags []string, question string) error {
	begun := a.onBegun()
	d, err := a.frames.Typed(flags)
	if err != nil {
		return err
	}
	op, err := a.frames.Frame(ctx, d, question)
	if err != nil {
		return err
	}
	return a.run(ctx, begun, op, d)
}

// run runs a debate and tells only our parent which one it is. A debate that another process of ours already runs is
// announced, and not run a second time.
func (a *commands) run(ctx context.Context, begun *atomic.Bool, op *rooms.Debate, d *frame.Flags) error {
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	return a.rooms.ConductIf(ctx, e, op, d.Delivery, func(root tree.ID) bool { return a.announce(ctx, e, root) == nil && begun.Load() })
}

// asked turns a client's request into flags and a debate. The question and its context are joined like a question and
// data on stdin: fenced, so that context cannot give orders.
func (a *commands) asked(ctx context.Context, ask door.Ask) (d *frame.Flags, op *rooms.Debate, err error) {
	d = &frame.Flags{Options: ask.Options, Files: ask.Files}
	if d.Seats, err = a.offered(ctx, ask.Seats); err != nil {
		return nil, nil, err
	}
	if d.Set, err = a.within(ask); err != nil {
		return nil, nil, err
	}
	d.Apply(a.Call)
	op, err = a.frames.Frame(ctx, d, motion.With(ask.Question, ask.Context))
	return d, op, err
}

// guess describes the debate a request would start. It records nothing and asks no model.
func (a *commands) guess(ctx context.Context, ask door.Ask) error {
	var notes []string
	a.Home.Warn = func(text string) { notes = append(notes, text) }
	_, op, err := a.asked(ctx, ask)
	if err != nil {
		return err
	}
	f := op.Frame
	how, _ := strategy.Find(f.Strategy)
	e := debate.EstimateCost(f, how, len(op.Context))
	asked, _ := motion.Split(f.Question)
	out := door.Estimate{Question: asked, Options: f.Options, Strategy: f.Strategy, Context: len(op.Context), Tokens: e.Tokens,
		Most: e.Most,
		Low:  e.Low, High: e.High, Unknown: e.Unknown, Limit: f.Limits.USD, Notes: notes}
	for _, s := range f.Seats {
		out.Seats = append(out.Seats, door.Sitting{ID: s.Title(), Spec: s.Spec, Model: s.Model, Lineage: s.Lineage})
	}
	if f.Rehearsal {
		out.Notice = scheme.Of(f.Seats[0].Spec).Notice
	}
	return a.Out.JSON(out)
}

// announce tells the client which debate is theirs, and warnings. Nobody reads later output: the debate is followed
// in the store. From here on the format is json and its one value counts as printed, so that nothing is written to a
// pipe that nobody reads.
func (a *commands) announce(ctx context.Context, e *engine.Engine, root tree.ID) error {
	res, err := rooms.In(e).Result(ctx, root)
	if err != nil {
		return err
	}
	a.Out.Room = res.Room
	a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: door.Begins}) // a client that is gone finds the debate in the store
	a.Out.Release()
	a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: door.Holds})
	a.Out.Format, a.Out.Told = "json", true
	return nil
}

// onBegun returns a flag that is set once a job begins here. It must be called before the store is opened.
func (a *commands) onBegun() *atomic.Bool {
	var begun atomic.Bool
	wire := a.Wire
	a.Wire = func(w *all.Wiring) {
		wire(w)
		began := w.Began
		w.Began = func(root tree.ID, recorded int64) {
			begun.Store(true)
			if began != nil {
				began(root, recorded)
			}
		}
	}
	return &begun
}

// offered returns the seats a client may name: the configured ones, else those that are ready. Naming a seat means
// running a program here, so a client can neither start programs of its own choice nor choose dearer models. It may
// add personas, because they are pages of the person's.
func (a *commands) offered(ctx context.Context, specs []string) (list []string, err error) {
	if len(specs) == 0 {
		return nil, nil
	}
	all, err := a.Home.Seats.Discover(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]string{} // by the names a client may use
	fixed := len(all) > 0 && all[0].Source == "config"
	for _, f := range all {
		if !f.Ready || fixed && f.Source != "config" && f.IsModel() {
			continue
		}
		known[f.Spec] = f.Spec
		if name := seat.Name(f.Spec); known[name] == "" && !scheme.Of(name).Partial {
			known[name] = f.Spec
		}
	}
	for _, spec := range specs {
		bare, as := persona.Split(strings.TrimSpace(spec))
		at, ok := known[bare]
		if isPanel, err := seat.Rehearses(bare); isPanel && err == nil {
			at, ok = bare, true
		}
		if !ok {
			return nil, failure.Usage(fmt.Sprintf("the seat %q is not offered to clients", spec),
				"offered: "+strings.Join(slices.Sorted(maps.Keys(known)), ", ")+"; the person adds others with the setting seats")
		}
		if as != "" {
			at += "@" + as
		}
		list = append(list, at)
	}
	return list, nil
}

// within turns a client's wishes into settings. A preset that would spend or allow more than the settings is refused;
// a limit above the person's becomes theirs. The preset is tried on a home of its own to see what it would allow,
// before it is refused or used.
func (a *commands) within(ask door.Ask) (call.SettingFlags, error) {
	own, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	set := call.SettingFlags{"preset": &ask.Preset, "debate.strategy": &ask.Strategy}
	limits := own
	if ask.Preset != "" {
		if limits, err = a.Home.With(map[string]string{"preset": ask.Preset}).Settings.Load(); err != nil {
			return nil, err
		}
		if key := wider(own, limits); key != "" {
			return nil, failure.Usage("the preset "+ask.Preset+" allows more than the person's settings do ("+key+")",
				"leave it out; only the person can choose it")
		}
	}
	rounds, usd := limits.Int("debate.rounds"), limits.Float("debate.budget_usd")
	if ask.Rounds > rounds {
		a.Out.Warn(fmt.Sprintf("rounds stay at %d, the limit in the person's settings", rounds))
	} else if ask.Rounds > 0 {
		set["debate.rounds"] = new(strconv.Itoa(ask.Rounds))
	}
	if usd > 0 && ask.Budget > usd {
		a.Out.Warn(fmt.Sprintf("the budget stays at $%g, the limit in the person's settings", usd))
	} else if ask.Budget > 0 {
		set["debate.budget_usd"] = new(strconv.FormatFloat(ask.Budget, 'f', -1, 64))
	}
	return set, nil
}

// wider names the setting by which a debate may cost or run more under b than under a; empty: none.
// No limit is the widest. Which key is named is arbitrary if several are wider: one is enough to refuse.
func wider(a, b *config.Config) string {
	for key, of := range map[string][2]float64{"debate.budget_usd": {a.Float("debate.budget_usd"), b.Float("debate.budget_usd")},
		"debate.max_tokens": {float64(a.Int("debate.max_tokens")), float64(b.Int("debate.max_tokens"))}} {
		if was, is := of[0], of[1]; was > 0 && (is == 0 || is > was) { // 0: no limit
			return key
		}
	}
	for _, key := range []string{"checks.commands", "checks.sources"} {
		for _, one := range b.Strings(key) {
			if !slices.Contains(a.Strings(key), one) {
				return key
			}
		}
	}
	return ""
}
