// Package eval holds the commands that measure whether a panel beats one model, or simulate it.
//
// run asks arms (ways to get an answer: a single model, votes, debates) the same items with known answers and
// computes which one to use; resume continues a stopped one, show reports, suite makes and checks files of items.
// simulate, below debate, plays panels with assumed figures instead and calls no model. Arms are defined in
// internal/eval/contest, their results in internal/eval/report.
//
// All answers are recorded under their item, arm and seat, so nothing is paid for twice. The best single model is
// chosen on items that are then left out of the comparison.
//
// Exit codes: 0 a recommendation, 10 inconclusive, 7 money, tokens or time ran out, 4 or 5 a seat cannot be used,
// 130, 143 or 129 stopped by a signal, 2 wrong flags, items or suite. An evaluation that ends with 4, 5, 7 or 130 can
// be resumed.
//
// run.go turns flags and items into an op, show.go executes it and shows its result, tally.go shows its progress;
// suite.go is about files of items, simulate.go, expectation.go and learned.go about simulations.
//
// Before anything is asked, the items, the seats and the division into a choosing and a comparing part are settled,
// the possible cost is printed, and an evaluation that may cost money without a limit is refused. From then on
// everything is in the record: report computes all figures from it, so a report of a stopped or running evaluation
// covers what it contains. Figures of simulated or scripted seats are labelled as such in every format.
package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/evals"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/puzzle"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/tree"
)

// evalFlags are the options of `socrates eval run`. n is the number of items, samples that of answers per item to sc
// and fuse, split a share above 0 and below 1, budget USD for the whole evaluation, timeout the time after which no
// new question starts.
type evalFlags struct {
	seats, commands      []string
	seed                 uint64
	set                  call.SettingFlags // of one question
	suite, make, name    string
	arms                 []string
	match                string
	n, samples, parallel int
	split                float64
	budget               float64
	tokens               int
	timeout              time.Duration
	programs, swap       bool
}

// commands is made once for the program and shared by all evaluation commands, and by debate simulate.
type commands struct {
	*call.Call
	frames *frame.Framer
}

// Evals are the evaluation commands of a call.
type Evals struct{ commands }

// New returns the evaluation commands of a call.
func New(shared *call.Call, frames *frame.Framer) *Evals { return &Evals{commands{shared, frames}} }

// Commands returns the command eval with its subcommands.
func (v *Evals) Commands() []*cobra.Command {
	a := &v.commands
	c := &cobra.Command{Use: "eval", Short: "Measure whether a panel beats one model",
		Long: `Ask single models, majority votes, debates and the council the same questions with known
answers. The result is one of: use panel, use single M, or inconclusive, need N more items.
Every answer is recorded as it arrives; a stopped evaluation resumes without paying twice.`,
		Example: `  socrates eval run --make knights --n 100 --seat claude --seat codex --budget 20
  socrates eval run --suite ours.jsonl --seat claude --seat openai:big --arms sc,vote,council
  socrates eval show last --format html --out report.html`}
	c.AddCommand(newRun(a), newResume(a), a.listed().List("List evaluations, newest first"), newShow(a), newSuite(a), newSchema(a))
	return []*cobra.Command{c}
}

func newRun(a *commands) *cobra.Command {
	v := &evalFlags{}
	var arms strings.Builder
	for _, w := range contest.Ways() {
		fmt.Fprintf(&arms, "  %-8s %s\n", w.Arm, w.Doc)
	}
	c := &cobra.Command{Use: "run", Short: "Compare arms on a suite and recommend one",
		Long: `Compare arms on the items of a suite or on generated items. The arms:
` + arms.String() + `Every other strategy of socrates debate is also an arm.

The best single model is chosen on one share of the items and compared on the rest, so that a
lucky choice does not look like skill. sc and fuse get as many samples as the panel's cost buys.
An unusable answer counts as wrong. Ctrl-C finishes the questions in progress and stops; resume
with socrates eval resume.`,
		Example: `  socrates eval run --make bugs --n 60 --seat claude --seat codex --allow-check "go test ./..."
  socrates eval run --suite ours.jsonl --seat openai:small --arms sc --match none --samples 9`,
		Args: cobra.NoArgs}
	f := c.Flags()
	f.StringVar(&v.suite, "suite", "", "the suite, a `file` (format: socrates eval suite --help)")
	f.StringVar(&v.make, "make", "", "generate the items: "+strings.Join(kindNames(), ", "))
	f.IntVar(&v.n, "n", 0, "number of items (0: the whole suite, or 100 generated)")
	f.StringVar(&v.name, "name", "", "name of the evaluation (default: generated)")
	f.StringArrayVar(&v.seats, "seat", nil, "a panel `seat` (repeatable; default: a debate's seats)")
	f.StringSliceVar(&v.arms, "arms", usualArms(), "what to compare with the single models")
	f.StringVar(&v.match, "match", contest.ByTokens, "match sc and fuse to the panel's tokens, usd, or none")
	f.IntVar(&v.samples, "samples", 5, "samples for sc and fuse with --match none")
	f.Float64Var(&v.split, "split", .5, "share of items used to pick the best model")
	f.BoolVar(&v.swap, "swap", false, "ask comparing choices again with the options swapped")
	f.Uint64Var(&v.seed, "seed", 0, "random seed for items and orders (0: random)")
	f.IntVar(&v.parallel, "parallel", 4, "questions to run in parallel")
	f.Var((*budget.USD)(&v.budget), "budget", "spending limit (0: none)")
	f.IntVar(&v.tokens, "max-tokens", 0, "token limit (0: none)")
	f.DurationVar(&v.timeout, "timeout", 0, "start no new question after this time (0: none)")
	f.BoolVar(&v.programs, "allow-programs", false, "run the suite's checking programs (only if trusted)")
	f.StringArrayVar(&v.commands, "allow-check", nil, "allow the council's checks to run this `command` (repeatable)")
	v.set = call.SettingFlags{}
	v.set.Add(c, "rounds", "debate.rounds", "maximum rounds of cross-examination (council)")
	v.set.Add(c, "seat-timeout", "debate.seat_timeout", "time limit per seat and turn")
	v.set.Add(c, "tool-calls", "debate.tool_calls", "tool-call limit per seat and turn (items with files)")
	v.set.Add(c, "economy", "debate.economy", "ask fewer seats (council): pair or lead")
	v.set.Add(c, "effort", "debate.effort", "reasoning effort: minimal, low, medium, high, xhigh, max")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := a.noStream(); err != nil {
			return err
		}
		a.Set(v.set.All())
		op, err := a.contest(c.Context(), v)
		if err != nil {
			return err
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if err := a.expect(op); err != nil {
			return err
		}
		return a.compete(c.Context(), e, *op)
	}
	return c
}

// noStream refuses stream-json, which evaluations do not have.
func (a *commands) noStream() error {
	if a.Out.Format == "stream-json" {
		return failure.Usage("an evaluation cannot be streamed", "use --output json; for progress: socrates eval show")
	}
	return nil
}

// contest turns flags and items into an op. It finds every mistake before anything is asked. Limits of one debate are
// removed: they would end dearer arms early and so compare something else.
func (a *commands) contest(ctx context.Context, v *evalFlags) (*evals.Eval, error) {
	if err := v.valid(); err != nil {
		return nil, err
	}
	arms, err := contest.ParseArms(v.arms)
	if err != nil {
		var names []string
		for _, w := range contest.Ways() {
			names = append(names, string(w.Arm))
		}
		return nil, failure.Usage(err.Error(), "valid arms: "+strings.Join(names, ", ")+", and every strategy of socrates debate")
	}
	if v.seed == 0 {
		v.seed = rand.Uint64() >> 12 // exact in JSON readers that only know doubles
	}
	items, err := v.items()
	if err != nil {
		return nil, err
	}
	// One seat is enough: arms that need a panel are compared only where there is one.
	seats, isRehearsal, err := a.frames.Seated(ctx, v.seats, 1)
	if err != nil {
		return nil, err
	}
	if isRehearsal && scheme.Of(seats[0].Spec).Rules {
		return nil, failure.Usage("the rehearsal panel is rule-based: without models, the figures would be meaningless",
			"use models with --seat, or try simulated seats: --seat sim:0.8/a")
	}
	if err := a.frames.Allow(v.commands, nil); err != nil {
		return nil, err
	}
	limits, err := a.frames.Limits()
	if err != nil {
		return nil, err
	}
	limits.USD, limits.Tokens = 0, 0 // the evaluation as a whole has its own
	p := contest.Plan{Name: v.name, Suite: v.called(), Items: len(items), Arms: arms, Seats: seats, Limits: limits, Match: v.match,
		Samples: v.samples, Seed: v.seed, Parallel: v.parallel, Program: build.Version()}
	for _, s := range seats {
		// One simulated seat is enough: figures of a mixed panel say nothing about the models in it.
		p.Simulated = p.Simulated || pretends(s)
	}
	if err := v.divide(&p); err != nil {
		return nil, err
	}
	if v.swap {
		// Only items of the comparing part are asked twice.
		if p.Swap = choices(items[p.Choose:]); p.Swap == 0 {
			return nil, failure.Usage("--swap needs items with options",
				"leave it out, or use items with options")
		}
	}
	op := &evals.Eval{Plan: p, Items: items, Programs: v.programs,
		Limits: contest.Limits{USD: v.budget, Tokens: v.tokens, Timeout: v.timeout}}
	return op, answerable(op)
}

// choices counts the items with options.
func choices(items []suite.Item) (n int) {
	for _, it := range items {
		if len(it.Options) > 0 {
			n++
		}
	}
	return n
}

// pretends reports that no model is behind a seat. Its figures are always labelled as simulated.
func pretends(s table.Seat) bool {
	return strings.HasPrefix(s.Lineage, simulated.LineagePrefix) || scheme.Of(s.Spec).Written
}

// The comparisons are written so that NaN fails them.
func (v *evalFlags) valid() error {
	switch {
	case v.suite == "" && v.make == "":
		return failure.Usage("no items given",
			"use a suite with --suite FILE, or generate items: --make "+strings.Join(kindNames(), ", --make "))
	case v.suite != "" && v.make != "":
		return failure.Usage("--suite and --make cannot be combined", "use one of them")
	case v.n < 0 || v.n > maxMade:
		return failure.Usage(fmt.Sprintf("--n is %d; it must be 1 to %d, or 0 for the whole suite", v.n, maxMade), "")
	case v.samples < 1 || v.samples > contest.MaxSamples:
		return failure.Usage(fmt.Sprintf("--samples is %d; it must be 1 to %d", v.samples, contest.MaxSamples), "")
	case v.parallel < 1 || v.parallel > 256:
		return failure.Usage(fmt.Sprintf("--parallel is %d; it must be 1 to 256", v.parallel), "")
	case !(v.split > 0 && v.split < 1):
		return failure.Usage(fmt.Sprintf("--split is %g; it must be above 0 and below 1", v.split),
			"choosing a model on the items it is compared on would flatter it")
	case v.tokens < 0 || v.timeout < 0:
		return failure.Usage("a limit must not be negative", "0 means no limit")
	case !slices.Contains(contest.Matches(), v.match):
		return failure.Usage("--match "+v.match+" is not valid", "use one of: "+strings.Join(contest.Matches(), ", "))
	case v.name != "" && !tree.CleanName(v.name):
		return failure.Usage("--name "+v.name+" is not a valid name", "use lower-case letters, digits and dashes (at most 64)")
	}
	return nil
}

// called describes the items for a report.
func (v *evalFlags) called() string {
	if v.make != "" {
		return v.make
	}
	return filepath.Base(v.suite)
}

// items reads or makes the items, in the order they are asked. The seed draws them, also from a suite with more items
// than wanted.
func (v *evalFlags) items() ([]suite.Item, error) {
	if v.make != "" {
		n := v.n
		if n == 0 {
			n = 100
		}
		items, err := made(v.make, n, v.seed)
		if err != nil {
			return nil, err
		}
		return suite.Pick(items, n, v.seed)
	}
	f, err := os.Open(v.suite)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	items, err := suite.Pick(suite.Read(f), v.n, v.seed)
	return items, inSuite(v.suite, err)
}

// inSuite adds the path of a suite to an error.
func inSuite(path string, err error) error {
	if p, ok := errors.AsType[*suite.Problem](err); ok {
		return failure.Usage(path+": "+p.Error(), "socrates eval suite check "+path+" lists all problems")
	}
	if errors.Is(err, suite.ErrFew) {
		return failure.Usage(path+" "+err.Error(), "use a smaller --n, or leave it out for all")
	}
	return err
}

// divide sets aside the items that choose the best single model. With one seat there is no choice and all items
// compare.
func (v *evalFlags) divide(p *contest.Plan) error {
	if len(p.Seats) > 1 {
		p.Choose = min(p.Items-1, max(1, int(v.split*float64(p.Items)+.5)))
	}
	if p.Items-p.Choose < 1 || len(p.Seats) > 1 && p.Choose < 1 {
		return failure.Usage(fmt.Sprintf("%d items are too few: some select the best single model, the rest compare", p.Items),
			"use at least 2; a recommendation needs 30 to compare")
	}
	return nil
}

// answerable returns an error if the items cannot be asked or judged. A program of a suite is somebody else's code:
// it runs only if the person allows it.
func answerable(op *evals.Eval) error {
	for _, s := range op.Plan.Seats {
		if strings.Contains(s.Spec, simulated.TruthKey) {
			return failure.Usage("seat "+s.Spec+" is told one fixed answer, but every item has its own",
				"leave "+strings.TrimPrefix(simulated.TruthKey, ",")+"… out")
		}
	}
	for _, it := range op.Items {
		if c := it.Truth(); c.Kind == "program" && !op.Programs {
			return failure.Usage(fmt.Sprintf("item %s is checked by running a program (%s)", it.ID, strings.Join(c.Argv, " ")),
				"if you trust the suite, add --allow-programs")
		}
		// An item that is judged by a pattern or a program has no single answer that a simulated seat could give.
		if it.TruthText() != "" {
			continue
		}
		for _, s := range op.Plan.Seats {
			if strings.HasPrefix(s.Lineage, simulated.LineagePrefix) {
				return failure.Usage("item "+it.ID+" has no single right answer for a simulated seat",
					"use items with an answer, or use models")
			}
		}
	}
	return nil
}

// expect prints on stderr what an evaluation may cost, before anything is sent. One that may cost money and has no
// limit is an error. Single models answer every item; votes reuse their answers; each further arm is counted once for
// every item compared.
func (a *commands) expect(op *evals.Eval) error {
	p := op.Plan
	bytes := 0
	for _, it := range op.Items {
		bytes += len(it.Question)
		for _, text := range it.Files {
			bytes += len(text)
		}
	}
	alone, compared := float64(p.Items+p.Swap), float64(p.Items-p.Choose+p.Swap)
	one := debate.EstimateCost(table.Frame{Seats: p.Seats, Limits: table.Limits{Rounds: p.Limits.Rounds}}, debate.Strategy{}, bytes/p.Items)
	low, high, tokens := one.Low*alone, one.Low*alone, float64(one.Tokens)*alone
	for _, arm := range p.Arms {
		if arm == contest.Single || arm == contest.Vote {
			continue
		}
		low, high, tokens = low+one.Low*compared, high+one.High*compared, tokens+float64(one.Tokens)*compared
	}
	if p.Simulated {
		a.Out.Tell("Simulated and scripted seats are not models: the figures say nothing about models.\n")
	}
	twice := ""
	if p.Swap > 0 {
		twice = fmt.Sprintf(", %d of them twice", p.Swap)
	}
	text := fmt.Sprintf("%d items%s, %s. About %s tokens", p.Items, twice, frame.SeatList(p.Seats), out.Thousands(int(tokens)))
	switch {
	case one.Known > 0 && high == 0:
		text += ", free"
	case one.Known > 0:
		text += fmt.Sprintf(", about $%.2f to $%.2f", low, high)
	}
	if len(one.Unknown) > 0 {
		text += "; unknown price: " + strings.Join(one.Unknown, ", ")
	}
	if op.Limits.USD > 0 {
		text += fmt.Sprintf("; the budget is $%g", op.Limits.USD)
	}
	a.Out.Tell(text + ".\n")
	if op.Limits.USD == 0 && op.Limits.Tokens == 0 && (high > 0 || len(one.Unknown) > 0) {
		return failure.Usage("this evaluation makes many paid model calls and has no limit",
			"set one: --budget 5 (USD) or --max-tokens 2000000")
	}
	return nil
}

// kindNames are the kinds of items that can be made.
func kindNames() []string {
	var list []string
	for _, k := range puzzle.Generators() {
		list = append(list, k.Name)
	}
	return list
}

// maxMade limits how many items are made or drawn at once. More would be a mistake: an interval at 100,000 items is a
// fraction of a point.
const maxMade = 100_000

// usualArms returns the arms compared by default.
func usualArms() (names []string) {
	for _, arm := range []contest.Arm{contest.Sc, contest.Fuse, contest.Vote, contest.Debate, contest.Council} {
		names = append(names, string(arm))
	}
	return names
}

// made generates n items of a kind.
func made(kind string, n int, seed uint64) (iter.Seq2[suite.Item, error], error) {
	k, ok := puzzle.Named(kind)
	if !ok {
		return nil, failure.Usage("unknown kind of item: "+kind, failure.Nearest(kind, kindNames()))
	}
	return k.Items(n, seed), nil
}
