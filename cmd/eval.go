package cmd

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
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/puzzle"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/tree"
)

// evalFlags are what `socrates eval run` can be told.
type evalFlags struct {
	debateFlags          // seats, what checks may do, and the settings of one question
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

func newEval(a *app) *cobra.Command {
	c := &cobra.Command{Use: "eval", Short: "Find out whether a panel beats one model, on your own questions",
		Long: `Put single models, votes, debates and the council to the same questions of known truth,
and get told: use panel, use single M, or inconclusive, need N more items. Everything is
recorded as it happens; an evaluation that was stopped goes on without paying twice.`,
		Example: `  socrates eval run --make knights --n 100 --seat claude --seat codex --budget 20
  socrates eval run --suite ours.jsonl --seat claude --seat openai:big --arms sc,vote,council
  socrates eval show last --format html --out report.html`}
	c.AddCommand(newEvalRun(a), newEvalResume(a), newEvalList(a), newEvalShow(a), newEvalSuite(a), newEvalSchema(a))
	return c
}

func newEvalRun(a *app) *cobra.Command {
	v := &evalFlags{}
	var arms strings.Builder
	for _, w := range contest.Ways() {
		fmt.Fprintf(&arms, "  %-8s %s\n", w.Arm, w.Doc)
	}
	c := &cobra.Command{Use: "run", Short: "Compare arms on a suite and say whether the panel is worth it",
		Long: `Compare arms on the items of a suite, or on items that are made. The arms:
` + arms.String() + `Any other strategy of socrates debate is an arm, too.

The best single model is chosen on a share of the items and compared on the others, so that
luck in choosing does not pass for skill. sc and fuse get as many samples as the panel's cost
affords. An answer that cannot be used is wrong. ctrl-C lets begun questions end; nothing is
lost, and socrates eval resume goes on.`,
		Example: `  socrates eval run --make bugs --n 60 --seat claude --seat codex --allow-check "go test ./..."
  socrates eval run --suite ours.jsonl --seat openai:small --arms sc --match none --samples 9`,
		Args: cobra.NoArgs}
	f := c.Flags()
	f.StringVar(&v.suite, "suite", "", "the `file` with the items; socrates eval suite says how one is written")
	f.StringVar(&v.make, "make", "", "make the items: "+strings.Join(kindNames(), ", "))
	f.IntVar(&v.n, "n", 0, "how many items, drawn by the seed; 0: all of a suite, 100 that are made")
	f.StringVar(&v.name, "name", "", "call the evaluation this; empty: a name is made")
	f.StringArrayVar(&v.seats, "seat", nil, "a seat of the panel, as of socrates debate (repeat); none: those a debate would have")
	f.StringSliceVar(&v.arms, "arms", []string{"sc", "fuse", "vote", "debate", "council"}, "what to compare the single models with")
	f.StringVar(&v.match, "match", contest.ByTokens, "what sc and fuse cost as much of as the panel: tokens, usd or none")
	f.IntVar(&v.samples, "samples", 5, "samples of sc and fuse where nothing is matched")
	f.Float64Var(&v.split, "split", .5, "share of the items that choose the best single model")
	f.BoolVar(&v.swap, "swap", false, "put every choice that compares a second time, with its options the other way round")
	f.Uint64Var(&v.seed, "seed", 0, "of items, orders and draws; 0: random")
	f.IntVar(&v.parallel, "parallel", 4, "questions at once")
	f.Float64Var(&v.budget, "budget", 0, "most `dollars` the evaluation may cost; 0: no limit")
	f.IntVar(&v.tokens, "max-tokens", 0, "most tokens it may use; 0: no limit")
	f.DurationVar(&v.timeout, "timeout", 0, "after which no further question is begun; 0: no limit")
	f.BoolVar(&v.programs, "allow-programs", false, "run the programs of items that are judged by one: only if you trust the suite")
	f.StringArrayVar(&v.commands, "allow-check", nil, "a command that checks of the council may run, as in \"go test ./...\" (repeat)")
	v.set = map[string]*string{}
	v.setting(c, "rounds", "debate.rounds", "cross-examinations of the council at most")
	v.setting(c, "seat-timeout", "debate.seat_timeout", "how long one seat may take for one turn")
	v.setting(c, "tool-calls", "debate.tool_calls", "most tool calls of a seat in one turn, on items with files")
	v.setting(c, "economy", "debate.economy", "of the council: pair or lead")
	v.setting(c, "effort", "debate.effort", "how hard models think: low, medium or high")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := a.noStream(); err != nil {
			return err
		}
		v.apply(a)
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

// noStream refuses an output an evaluation does not have.
func (a *app) noStream() error {
	if a.Out.Format == "stream-json" {
		return failure.Usage("an evaluation has no stream", "take --output json; socrates eval show tells how far one is")
	}
	return nil
}

// contest reads flags and items into an op.
func (a *app) contest(ctx context.Context, v *evalFlags) (*engine.Eval, error) {
	if err := v.valid(); err != nil {
		return nil, err
	}
	arms, err := contest.ParseArms(v.arms)
	if err != nil {
		var names []string
		for _, w := range contest.Ways() {
			names = append(names, string(w.Arm))
		}
		return nil, failure.Usage(err.Error(), "the arms are "+strings.Join(names, ", ")+", and the strategies of socrates debate")
	}
	if v.seed == 0 {
		v.seed = rand.Uint64() >> 12 // exact in JSON readers that only know doubles
	}
	items, err := v.items()
	if err != nil {
		return nil, err
	}
	seats, isRehearsal, err := a.seated(ctx, v.seats, 1)
	if err != nil {
		return nil, err
	}
	if isRehearsal && strings.HasPrefix(seats[0].Spec, seat.Rehearsal) {
		return nil, failure.Usage("the rehearsal panel works by rule: no model would take part, and the figures would say nothing about models",
			"name models with --seat, or see how it works with simulated ones: --seat sim:0.8/a")
	}
	if err := allow(a, &v.debateFlags); err != nil {
		return nil, err
	}
	limits, err := a.limits()
	if err != nil {
		return nil, err
	}
	limits.USD, limits.Tokens = 0, 0 // the whole has its own
	p := contest.Plan{Name: v.name, Suite: v.called(), Items: len(items), Arms: arms, Seats: seats, Limits: limits, Match: v.match,
		Samples: v.samples, Seed: v.seed, Parallel: v.parallel, Program: call.Version()}
	for _, s := range seats {
		p.Simulated = p.Simulated || pretends(s)
	}
	if err := v.divide(&p); err != nil {
		return nil, err
	}
	if v.swap {
		if p.Swap = choices(items[p.Choose:]); p.Swap == 0 {
			return nil, failure.Usage("--swap shows options the other way round, and no item that compares has options",
				"leave it out, or take items with options")
		}
	}
	op := &engine.Eval{Plan: p, Items: items, Programs: v.programs,
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

// pretends says that no model is behind a seat.
func pretends(s debate.SeatInfo) bool {
	return strings.HasPrefix(s.Lineage, simulated.LineagePrefix) || strings.HasPrefix(s.Spec, "script:")
}

func (v *evalFlags) valid() error {
	switch {
	case v.suite == "" && v.make == "":
		return failure.Usage("there are no items",
			"name a suite with --suite FILE, or let some be made: --make "+strings.Join(kindNames(), ", --make "))
	case v.suite != "" && v.make != "":
		return failure.Usage("--suite and --make both say where the items come from", "leave one out")
	case v.n < 0 || v.n > maxMade:
		return failure.Usage(fmt.Sprintf("--n is %d; it is 1 to %d, or 0 for all of a suite", v.n, maxMade), "")
	case v.samples < 1 || v.samples > contest.MaxSamples:
		return failure.Usage(fmt.Sprintf("--samples is %d; it is 1 to %d", v.samples, contest.MaxSamples), "")
	case v.parallel < 1 || v.parallel > 256:
		return failure.Usage(fmt.Sprintf("--parallel is %d; it is 1 to 256", v.parallel), "")
	case !(v.split > 0 && v.split < 1):
		return failure.Usage(fmt.Sprintf("--split is %g; it is above 0 and below 1", v.split),
			"a model chosen on the items it is compared on would look better than it is")
	case !(v.budget >= 0) || v.tokens < 0 || v.timeout < 0:
		return failure.Usage("a limit is below zero", "0 means that there is none")
	case !slices.Contains(contest.Matches(), v.match):
		return failure.Usage("--match "+v.match+" is not known", "it is "+strings.Join(contest.Matches(), ", "))
	case v.name != "" && !tree.CleanName(v.name):
		return failure.Usage("--name "+v.name+" cannot be one", "it has small letters, digits and dashes, 64 at most")
	}
	return nil
}

// called is how a report names the items.
func (v *evalFlags) called() string {
	if v.make != "" {
		return v.make
	}
	return filepath.Base(v.suite)
}

// items reads or makes the items, in the order they are asked in.
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

// inSuite says where what is wrong with a suite was found.
func inSuite(path string, err error) error {
	if p, ok := errors.AsType[*suite.Problem](err); ok {
		return failure.Usage(path+": "+p.Error(), "socrates eval suite check "+path+" lists all there is")
	}
	if errors.Is(err, suite.ErrFew) {
		return failure.Usage(path+" "+err.Error(), "ask for fewer with --n, or leave it out for all")
	}
	return err
}

// divide sets items aside that choose the best single model.
func (v *evalFlags) divide(p *contest.Plan) error {
	if len(p.Seats) > 1 {
		p.Choose = min(p.Items-1, max(1, int(v.split*float64(p.Items)+.5)))
	}
	if p.Items-p.Choose < 1 || len(p.Seats) > 1 && p.Choose < 1 {
		return failure.Usage(fmt.Sprintf("%d items are too few: some choose the best single model, the others compare", p.Items),
			"take at least 2; 30 to compare before anything is recommended")
	}
	return nil
}

// answerable says what keeps the items from being asked and judged.
func answerable(op *engine.Eval) error {
	for _, s := range op.Plan.Seats {
		if strings.Contains(s.Spec, simulated.TruthKey) {
			return failure.Usage("seat "+s.Spec+" is told one truth, and every item has its own",
				"leave "+strings.TrimPrefix(simulated.TruthKey, ",")+"… out")
		}
	}
	for _, it := range op.Items {
		if c := it.Truth(); c.Kind == "program" && !op.Programs {
			return failure.Usage(fmt.Sprintf("item %s is judged by running a program (%s)", it.ID, strings.Join(c.Argv, " ")),
				"allow it with --allow-programs, if you trust the suite")
		}
		if it.TruthText() != "" {
			continue
		}
		for _, s := range op.Plan.Seats {
			if strings.HasPrefix(s.Lineage, simulated.LineagePrefix) {
				return failure.Usage("item "+it.ID+" has no one right answer a simulated seat could be told",
					"take items with an answer, or models")
			}
		}
	}
	return nil
}

// expect says on stderr what an evaluation may take, before anything is sent. One that may cost money and has no limit
// is an error.
func (a *app) expect(op *engine.Eval) error {
	p := op.Plan
	bytes := 0
	for _, it := range op.Items {
		bytes += len(it.Question)
		for _, text := range it.Files {
			bytes += len(text)
		}
	}
	alone, compared := float64(p.Items+p.Swap), float64(p.Items-p.Choose+p.Swap)
	one := debate.EstimateCost(debate.Frame{Seats: p.Seats, Limits: debate.Limits{Rounds: p.Limits.Rounds}}, bytes/p.Items)
	low, high, tokens := one.Low*alone, one.Low*alone, float64(one.Tokens)*alone
	for _, arm := range p.Arms {
		if arm == contest.Single || arm == contest.Vote {
			continue
		}
		low, high, tokens = low+one.Low*compared, high+one.High*compared, tokens+float64(one.Tokens)*compared
	}
	if p.Simulated {
		a.Out.Tell("No model answers for a seat that is simulated or follows a script: the figures say nothing about models.\n")
	}
	twice := ""
	if p.Swap > 0 {
		twice = fmt.Sprintf(", %d of them twice", p.Swap)
	}
	text := fmt.Sprintf("%d items%s, %s. About %s tokens", p.Items, twice, seatList(p.Seats), out.Thousands(int(tokens)))
	switch {
	case one.Known > 0 && high == 0:
		text += ", free"
	case one.Known > 0:
		text += fmt.Sprintf(", about $%.2f to $%.2f", low, high)
	}
	if len(one.Unknown) > 0 {
		text += "; no price is known for " + strings.Join(one.Unknown, ", ")
	}
	if op.Limits.USD > 0 {
		text += fmt.Sprintf("; the budget is $%g", op.Limits.USD)
	}
	a.Out.Tell(text + ".\n")
	if op.Limits.USD == 0 && op.Limits.Tokens == 0 && (high > 0 || len(one.Unknown) > 0) {
		return failure.Usage("this evaluation asks models that may cost money, many times, and has no limit",
			"give it one: --budget 5 in dollars, or --max-tokens 2000000")
	}
	return nil
}

func kindNames() []string {
	var list []string
	for _, k := range puzzle.Kinds() {
		list = append(list, k.Name)
	}
	return list
}

// maxMade bounds how many items are made or drawn at once.
const maxMade = 100_000

// made are n items of a kind.
func made(kind string, n int, seed uint64) (iter.Seq2[suite.Item, error], error) {
	k, ok := puzzle.Named(kind)
	if !ok {
		return nil, failure.Usage("there is no kind of item named "+kind, failure.Nearest(kind, kindNames()))
	}
	return k.Items(n, seed), nil
}
