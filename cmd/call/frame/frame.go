package frame

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Frame makes a question's frame from flags and the project. It is nil without error when only the context was asked
// for. Inside a seat it is an error (exit code 2): a seat that starts debates would start them without end.
func (a *Framer) Frame(ctx context.Context, d *Flags, question string) (*rooms.Debate, error) {
	if seat.Inside() {
		return nil, failure.Usage("a seat of a debate cannot start a debate", "answer the question yourself")
	}
	if question == "" && !d.showContext {
		return nil, failure.Usage("no question given", `ask one: socrates debate "Should we …?"`)
	}
	if len(question) > motion.MaxLength {
		return nil, failure.Usage(fmt.Sprintf("the question is %d kB; the limit is %d kB", len(question)>>10, motion.MaxLength>>10),
			"move the details into files and pass them with --files")
	}
	if d.typed {
		a = a.withFlags(d)
	}
	strategy, err := a.strategy()
	if err != nil {
		return nil, err
	}
	if err := a.Ready(d); err != nil {
		return nil, err
	}
	follows, err := a.follow(ctx, d)
	if err != nil {
		return nil, err
	}
	earlier, err := a.history(ctx, d, question)
	if err != nil {
		return nil, err
	}
	block, files, edited, err := a.contextBlock(ctx, d, project.History(earlier))
	if err == nil && d.showContext {
		err = a.showPersonas(d.Seats)
	}
	if err != nil || d.showContext {
		return nil, err
	}
	seats, isRehearsal, err := a.Seated(ctx, d.Seats, strategy.Least) // it may ask programs
	if err != nil {
		return nil, err
	}
	if err := permits(d.Commands, d.Sources); err != nil {
		return nil, err
	}
	limits, err := a.Limits()
	if err != nil {
		return nil, err
	}
	dir, err := d.folder(a)
	if err != nil {
		return nil, err
	}
	if strategy.Most > 0 {
		seats = seats[:min(len(seats), strategy.Most)]
	}
	if err := a.suits(strategy, d, seats, &limits); err != nil {
		return nil, err
	}
	remind(seats, follows)
	typed := question
	question = a.Out.Clean(question) // the question names the room
	f := table.Frame{Question: question, Strategy: strategy.Name, Options: motion.Letters(d.Options), Origin: "given", Seats: seats,
		Limits: limits, Seed: d.seed, Dir: dir, Rehearsal: isRehearsal, Program: build.Version(), Follows: d.Follows}
	if err := answers(&f, d, strategy); err != nil {
		return nil, err
	}
	if f.Judge, err = a.judge(ctx, d, seats, isRehearsal); err != nil {
		return nil, err
	}
	if f.Moderator, err = a.moderator(d, strategy, seats); err != nil {
		return nil, err
	}
	if f.Rules.Refine, err = a.refineRules(); err != nil {
		return nil, err
	}
	f.Rules.Confirm = a.deep()
	if err := seat.TellTruth(&f, d.truth); err != nil {
		return nil, err
	}
	if err := Enough(f, len(block)); err != nil {
		return nil, err
	}
	a.lint(typed, true, "question")
	a.Home.Seats.WarnPersonas(seats)
	if f.Seed != 0 {
		f.SealBySeed() // who repeats a debate wants the same judges
	} else {
		f.Seed = rand.Uint64() >> 12 // exact in JSON readers that only know doubles
	}
	a.checks.Store(askedOf(f), checkFlags{d.Commands, d.Sources})
	return &rooms.Debate{Frame: f, Context: block, Edited: edited, Files: files,
		History: a.tellHistory(block, earlier), Learn: a.learning()}, nil
}

// answers sets the options of a frame: those that flags name or the question contains. If there are none, the panel
// proposes them or estimates a number; rule-based seats are refused: their options would say nothing about the question.
// Origin says where options come from: given, question, panel or estimates. The record
// keeps it, because options that the panel proposed are weaker ground than those a person named.
func answers(f *table.Frame, d *Flags, s debate.Strategy) error {
	switch {
	case len(d.Options) == 0:
		f.Options, f.Origin = motion.FindOptions(f.Question), "question"
	case len(f.Options) < 2:
		return failure.Usage("a debate needs at least two different options", "add another --option, or leave it out")
	case len(d.Options) > motion.MaxOptions:
		return failure.Usage(fmt.Sprintf("%d options are too many; the limit is %d", len(d.Options), motion.MaxOptions), "")
	}
	switch {
	case s.Estimates && len(d.Options) > 0:
		return failure.Usage("--option has no effect in an estimate", "leave it out, or use another --strategy")
	case s.Estimates && len(f.Options) > 0:
		return failure.Usage(s.Name+" estimates a number, but this question has options",
			"ask how much, how long or how many, or use another --strategy")
	case s.Estimates:
		f.Options, f.Origin = nil, "estimates"
	case len(f.Options) == 0 && slices.ContainsFunc(f.Seats, func(s table.Seat) bool { return scheme.Of(s.Spec).Rules }):
		return failure.Usage("the question offers no choice, and a rehearsal is rule-based: it cannot propose options",
			"ask a question that offers one, such as \"Should we keep it or replace it?\", or add --option")
	case len(f.Options) == 0:
		f.Origin = "panel"
	}
	return nil
}

// Ready returns an error, before anybody is asked, if the debate cannot be delivered as the flags say or a file
// cannot be written.
func (a *Framer) Ready(d *Flags) error {
	if err := d.Sound(); err != nil {
		return err
	}
	if d.Out != "" && d.Record != "" && filepath.Clean(d.Out) == filepath.Clean(d.Record) {
		return failure.Usage("--out and --record name the same file", "use two different files")
	}
	if call.Format("", d.Out, "", map[string]string{".jsonl": "record"}) != "" {
		return failure.Usage("--out writes Markdown, not "+filepath.Ext(d.Out),
			"name a .md file; afterwards: socrates debate export last --out "+d.Out)
	}
	return cmp.Or(a.Writable(d.Out), a.Writable(d.Record), a.adrWritable())
}

// Seated finds the seats: the named ones, or those available. It may start programs and takes as long as the slowest.
// The bool reports that rules play the seats.
func (a *Framer) Seated(ctx context.Context, specs []string, least int) ([]table.Seat, bool, error) {
	if len(specs) == 0 {
		var err error
		if specs, err = a.found(ctx, least); err != nil {
			return nil, false, err
		}
	}
	seats, isRehearsal, err := a.Home.Seats.Panel(ctx, specs)
	if err != nil {
		return nil, false, err
	}
	for _, s := range seats {
		a.Home.Seats.WarnUnlisted(s.Spec)
		a.Home.Programs.WarnOpen(s.Spec, s.Open)
	}
	switch len(seats) {
	case 0:
		return nil, false, failure.Usage("none of the configured seats is available", "see why with: socrates seats")
	case 1:
		if least == 1 {
			break
		}
		return nil, false, failure.Usage("only one seat is available ("+seats[0].Spec+"); a debate needs two",
			"add one with --seat (on the screen: /seats; socrates seats lists them), or try the offline panel: --seat rehearsal")
	}
	return seats, isRehearsal, nil
}

// found returns the available seats. If only one is available, another model of its vendor joins it. One model family
// makes the same mistakes, so its decision always waits for a person; the warning says so before money is spent.
func (a *Framer) found(ctx context.Context, least int) (specs []string, err error) {
	all, err := a.Home.Seats.Discover(ctx)
	if err != nil {
		return nil, err
	}
	var only home.Found
	for _, f := range all {
		if f.Used {
			specs, only = append(specs, f.Spec), f
		} else if f.Source == "config" {
			a.Out.Warn("the configured seat " + f.Spec + " is unavailable: " + f.Why)
		}
	}
	if second := a.Home.Seats.Second(only); second != "" && len(specs) == 1 && least > 1 {
		a.Out.Warn("only one model family is connected: " + only.Spec + " and " + second + " debate, and the decision waits for you; " +
			"add a family with: socrates login")
		specs = append(specs, second)
	}
	return specs, nil
}

// Limits returns the limits of a debate from the settings.
func (a *Framer) Limits() (table.Limits, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return table.Limits{}, err
	}
	return table.Limits{SeatTimeout: c.Duration("debate.seat_timeout"), Timeout: c.Duration("debate.timeout"),
		Grace: c.Duration("debate.grace"), Rounds: c.Int("debate.rounds"), USD: c.Float("debate.budget_usd"),
		Tokens: c.Int("debate.max_tokens"), Claims: c.Int("debate.max_claims"), ToolCalls: c.Int("debate.tool_calls"),
		Economy: c.String("debate.economy")}, nil
}
