package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// debateFlags are what `socrates debate` and `debate fork` can be told.
type debateFlags struct {
	seats, options, files, commands, sources []string
	contextFile                              string
	showContext, editContext, stdin, explain bool
	noHistory, adr                           bool
	out, record, replay, truth, gate         string
	seed                                     uint64
	dir                                      string             // the folder it is about; empty: where we are
	revisits                                 string             // the earlier debate whose question is asked again
	set                                      map[string]*string // settings by flag name
}

func (d *debateFlags) folder(a *app) (string, error) {
	if d.dir != "" {
		return d.dir, nil
	}
	return a.Home.Settings.Dir()
}

// settingFlags are the flags that are another way to give a setting.
var settingFlags = []struct{ flag, key, doc string }{
	{"seat-timeout", "debate.seat_timeout", "time limit per seat and turn"},
	{"timeout", "debate.timeout", "time limit for the debate"},
	{"grace", "debate.grace", "wait this long for the last seat"},
	{"rounds", "debate.rounds", "maximum rounds of cross-examination"},
	{"budget", "debate.budget_usd", "spending limit in USD"},
	{"max-tokens", "debate.max_tokens", "token limit"},
	{"tool-calls", "debate.tool_calls", "tool-call limit per seat and turn"},
}

// flagOf is the flag that gives a setting.
func flagOf(key string) string {
	for _, s := range settingFlags {
		if s.key == key {
			return "--" + s.flag
		}
	}
	return map[string]string{"output.color": "--color", "store.path": "--store", "preset": "--preset", "debate.strategy": "--strategy",
		"debate.economy": "--economy", "debate.effort": "--effort", "debate.judge": "--judge"}[key]
}

// byFlag names the flag in what is said of a setting that a flag gave.
func byFlag(err error) error {
	e, ok := errors.AsType[*config.Error](err)
	if !ok {
		return err
	}
	key, ok := strings.CutPrefix(e.File, "flag ")
	if !ok {
		return err
	}
	return failure.Usage(flagOf(key)+" "+strings.TrimPrefix(e.Message, key+": "), e.Hint)
}

func newDebate(a *app) *cobra.Command {
	d := &debateFlags{}
	c := &cobra.Command{
		Use:   "debate [QUESTION | -]",
		Short: "Debate a question and record the decision",
		Long: `Each seat answers without seeing the others' answers. Code checks their claims: it compares
quotes with the files, runs allowed commands in a throw-away copy and fetches allowed sources.
If the seats disagree, they cross-examine each other's claims once, anonymously. Code then
decides from the votes and the checks, and records who dissented and why.

The options come from the question ("A or B?", or a list), from --option, or from two of the
seats. The question may also come from stdin; if both are given, the argument is the question
and stdin is data.`,
		Example: `  socrates debate "Should the store keep one writer connection or use a pool?"
  socrates debate --seat claude --seat codex --files 'store/*.go' "Is Append safe?"
  git diff main | socrates debate --stdin "Should this be merged?" --out docs/decision.md --force
  socrates debate --allow-check "go test ./..." "Does the cache need a lock?"`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := misspelt(c, args); err != nil {
				return err
			}
			if d.replay != "" {
				if err := onlyReplay(c, args); err != nil {
					return err
				}
			}
			return a.debate(c.Context(), d, args)
		},
	}
	f := c.Flags()
	f.BoolVar(&d.stdin, "stdin", false, "read stdin even if data arrives late")
	f.StringVar(&d.replay, "replay", "", "replay a recorded debate `file` offline")
	d.flags(a, c)
	c.Args = cobra.ArbitraryArgs
	c.AddCommand(newDebateList(a), newDebateShow(a), newDebateResume(a), newDebateExport(a), newDebateFork(a), newDebateScore(a), newDebateTell(a), newDebateSchema(a), newDebateSimulate(a),
		newDebateDelete(a), newDebateRestore(a), newDebatePrune(a))
	return c
}

// flags adds what a debate on a question can be told.
func (d *debateFlags) flags(a *app, c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&d.seats, "seat", nil, "a `seat`, such as claude, anthropic:big@security, ollama:qwen3 (repeatable)")
	f.StringArrayVar(&d.options, "option", nil, "an answer `option` (repeatable)")
	f.StringArrayVar(&d.files, "files", nil, "show every seat these `files`: path, folder, glob, path:from-to (repeatable)")
	f.StringVar(&d.contextFile, "context", "", "use this `file` as the context block")
	f.BoolVar(&d.showContext, "show-context", false, "print the context block and its warnings, then exit")
	f.BoolVar(&d.editContext, "edit-context", false, "edit the context block in $EDITOR first")
	f.BoolVar(&d.noHistory, "no-history", false, "do not show seats earlier, similar decisions")
	d.gateFlag(c)
	f.StringVar(&d.out, "out", "", "also write the decision to this `file`")
	a.ForceFlag(c)
	d.adrFlag(c)
	f.BoolVar(&d.explain, "explain", false, "explain every number")
	f.StringVar(&d.record, "record", "", "record all seat traffic to this `file`")
	f.StringArrayVar(&d.commands, "allow-check", nil, "let checks run this `command` (repeatable)")
	f.StringArrayVar(&d.sources, "allow-source", nil, "let checks fetch from this `host` (repeatable)")
	f.Uint64Var(&d.seed, "seed", 0, "seed for the order of options and peers, and for who judges (0: random)")
	f.StringVar(&d.truth, "sim-truth", "", "correct option told to simulated seats (default: the first)")
	d.settings(c)
	d.setting(c, "preset", "preset", "use this preset, such as deep or quick")
	d.setting(c, "strategy", "debate.strategy", "debate strategy (default council); --strategy help lists them")
	d.setting(c, "economy", "debate.economy", "ask fewer seats: pair (two first) or lead (until the lead is safe)")
	d.setting(c, "effort", "debate.effort", "reasoning effort: low, medium, high")
	d.setting(c, "judge", "debate.judge", "model that judges evidence without a seat")
}

func (d *debateFlags) adrFlag(c *cobra.Command) {
	c.Flags().BoolVar(&d.adr, "adr", false, "also write the decision as an ADR file")
}

// onlyReplay refuses what a replay would have to ignore: it takes everything from its record.
func onlyReplay(c *cobra.Command, args []string) (err error) {
	if len(args) > 0 {
		return failure.Usage("--replay takes its question from the record", "leave out the question")
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "replay", "gate", "out", "force", "explain", "output", "color", "cwd", "config", "store":
		default:
			err = failure.Usage("--"+f.Name+" has no effect with --replay, which takes everything from its record",
				"leave it out, or start a new debate with: socrates debate fork")
		}
	})
	return err
}

// settings adds the flags that stand for settings.
func (d *debateFlags) settings(c *cobra.Command) {
	d.set = map[string]*string{}
	for _, s := range settingFlags {
		d.setting(c, s.flag, s.key, s.doc)
	}
}

// setting adds a flag that is another way to give a setting.
func (d *debateFlags) setting(c *cobra.Command, flag, key, doc string) {
	d.set[key] = c.Flags().String(flag, "", doc)
}

// misspelt says whether what stands for the question is rather a command of c with a slip in it, or one it does not
// have: a single word, or a word before the name of a debate.
func misspelt(c *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) > 2 || strings.ContainsAny(strings.Join(args, ""), " \n?") {
		return nil
	}
	var names []string
	for _, s := range c.Commands() {
		names = append(names, s.Name())
		if d := spelling.Distance(strings.ToLower(args[0]), s.Name()); d > 0 && d <= min(2, len(s.Name())-1) {
			return failure.Usage(fmt.Sprintf("unknown command %q for %q (to ask it as a question, write a full sentence)", strings.Join(args, " "), c.CommandPath()),
				"did you mean "+s.Name()+"?")
		}
	}
	if len(args) == 1 && args[0] != "-" && args[0] != "" || len(args) == 2 && (args[1] == "last" || roomLike().MatchString(args[1])) {
		return failure.Usage(fmt.Sprintf("unknown command %q for %q (to ask it as a question, write a full sentence)", strings.Join(args, " "), c.CommandPath()),
			"commands: "+strings.Join(names, ", "))
	}
	return nil
}

// roomLike is what the name of a debate looks like.
var roomLike = pattern.Of(`^[a-z0-9]+(-[a-z0-9]+)*-[a-z0-9]{4}$`)

// apply hands the flags that stand for settings to the configuration.
func (d *debateFlags) apply(a *app) {
	for key, value := range d.set {
		if *value != "" {
			a.Home.Settings.Flags[key] = *value
		}
	}
	if d.noHistory {
		a.Home.Settings.Flags["debate.history"] = "0"
	}
	if d.adr {
		a.Home.Settings.Flags["decisions.adr"] = "on"
	}
}

func (a *app) debate(ctx context.Context, d *debateFlags, args []string) error {
	d.apply(a)
	if *d.set["debate.strategy"] == "help" {
		return a.helpStrategies()
	}
	if d.replay != "" {
		return a.replay(ctx, d)
	}
	question, err := a.Question(args, d.stdin)
	if err != nil {
		return err
	}
	op, err := a.frameUp(ctx, d, question)
	if err != nil || op == nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	a.estimate(op.Frame, len(op.Context))
	return a.conduct(ctx, e, op, d)
}

// frameUp reads flags and the project into a question's frame. It is nil without error when only the context was asked
// for.
func (a *app) frameUp(ctx context.Context, d *debateFlags, question string) (*engine.Debate, error) {
	if d.gate != "" && d.gate != "person" && d.gate != "any" {
		return nil, failure.Usage("--gate "+d.gate+" is not valid", "use person or any")
	}
	if question == "" && !d.showContext {
		return nil, failure.Usage("no question given", `ask one: socrates debate "Should we …?"`)
	}
	if len(question) > debate.MaxQuestion {
		return nil, failure.Usage(fmt.Sprintf("the question has %d kB; the limit is %d kB", len(question)>>10, debate.MaxQuestion>>10),
			"move the details into files and pass them with --files")
	}
	strategy, err := a.strategy()
	if err != nil {
		return nil, err
	}
	if err := a.ready(d); err != nil {
		return nil, err
	}
	seats, isRehearsal, seatErr := []debate.SeatInfo(nil), false, error(nil)
	seated := sync.OnceFunc(func() { seats, isRehearsal, seatErr = a.seated(ctx, d.seats, strategy.Least) }) // it may ask programs
	earlier, err := a.history(ctx, d, question, func() bool { seated(); return isRehearsal })
	if err != nil {
		return nil, err
	}
	block, edited, err := a.contextBlock(ctx, d, project.History(earlier))
	if err == nil && d.showContext {
		err = setup.ShowPersonas(a.Call, d.seats)
	}
	if err != nil || d.showContext {
		return nil, err
	}
	if seated(); seatErr != nil {
		return nil, seatErr
	}
	if err := allow(a, d); err != nil {
		return nil, err
	}
	limits, err := a.limits()
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
	typed := question
	question = a.Out.Clean(question) // a room is named after it
	f := debate.Frame{Question: question, Strategy: strategy.Name, Options: debate.Letters(d.options), Origin: "given", Seats: seats,
		Limits: limits, Seed: d.seed, Dir: dir, Rehearsal: isRehearsal, Program: call.Version()}
	if len(d.options) == 0 {
		f.Options, f.Origin = debate.FindOptions(question), "question"
	} else if len(f.Options) < 2 {
		return nil, failure.Usage("a debate needs at least two different options", "add another --option, or leave it out")
	} else if len(d.options) > debate.MaxOptions {
		return nil, failure.Usage(fmt.Sprintf("%d options are too many; the limit is %d", len(d.options), debate.MaxOptions), "")
	}
	if f.Judge, err = judge(ctx, a, d, seats, isRehearsal); err != nil {
		return nil, err
	}
	if f.Rules.Refine, err = a.refineRules(); err != nil {
		return nil, err
	}
	f.Rules.Confirm = a.deep()
	if strategy.Estimates { // an estimate makes its options itself
		if len(d.options) > 0 {
			return nil, failure.Usage("--option has no effect in an estimate", "leave it out, or use another --strategy")
		}
		if len(f.Options) > 0 {
			return nil, failure.Usage(strategy.Name+" estimates a number, but this question has options",
				"ask how much, how long or how many, or use another --strategy")
		}
		f.Options, f.Origin = nil, "estimates"
	}
	if err := seat.TellTruth(&f, d.truth); err != nil {
		return nil, err
	}
	if err := enough(f, len(block)); err != nil {
		return nil, err
	}
	a.lint(typed, true, "question")
	a.Home.Seats.WarnPersonas(seats)
	if len(f.Options) == 0 && f.Origin != "estimates" {
		f.Origin = "panel"
	}
	if f.Seed != 0 {
		f.SealBySeed() // who asks for the same debate again wants the same judges
	} else {
		f.Seed = rand.Uint64() >> 12 // exact in JSON readers that only know doubles
	}
	return &engine.Debate{Frame: f, Context: block, Edited: edited, History: a.tellHistory(block, earlier)}, nil
}

// ready says whether the files a debate is to be written to can be, before anybody is asked.
func (a *app) ready(d *debateFlags) error {
	if d.out != "" && d.record != "" && filepath.Clean(d.out) == filepath.Clean(d.record) {
		return failure.Usage("--out and --record name the same file", "use two different files")
	}
	return cmp.Or(a.Writable(d.out), a.Writable(d.record), a.adrWritable())
}

// seated finds the seats: the named ones, or what is there.
func (a *app) seated(ctx context.Context, specs []string, least int) ([]debate.SeatInfo, bool, error) {
	if len(specs) == 0 {
		all, err := a.Home.Seats.Discover(ctx)
		if err != nil {
			return nil, false, err
		}
		for _, f := range all {
			if f.Used {
				specs = append(specs, f.Spec)
			} else if f.Source == "config" {
				a.Out.Warn("the configured seat " + f.Spec + " is unavailable: " + f.Why)
			}
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

// allow lets the checks of this call run and fetch what flags allow, beside what the settings do.
func allow(a *app, d *debateFlags) error {
	if err := permits(d.commands, d.sources); err != nil {
		return err
	}
	a.checks.Store(&checkFlags{d.commands, d.sources})
	return nil
}

// limits are those of a debate that the settings give.
func (a *app) limits() (debate.Limits, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return debate.Limits{}, err
	}
	return debate.Limits{SeatTimeout: c.Duration("debate.seat_timeout"), Timeout: c.Duration("debate.timeout"), Grace: c.Duration("debate.grace"),
		Rounds: c.Int("debate.rounds"), USD: c.Float("debate.budget_usd"), Tokens: c.Int("debate.max_tokens"),
		Claims: c.Int("debate.max_claims"), ToolCalls: c.Int("debate.tool_calls"), Economy: c.String("debate.economy")}, nil
}

// permits refuses what would allow nothing, or something else than it seems to.
func permits(commands, hosts []string) error {
	for _, c := range commands {
		if strings.TrimSpace(c) == "" {
			return failure.Usage("--allow-check is empty", `name a command, for example --allow-check "go test ./..."`)
		}
	}
	for _, h := range hosts {
		if u, err := url.Parse("https://" + h); err != nil || u.Host != h || u.Hostname() == "" || strings.ContainsAny(h, " *") {
			return failure.Usage(fmt.Sprintf("--allow-source %q is not a host", h),
				"write only the host, for example --allow-source go.dev or --allow-source go.dev:8443")
		}
	}
	return nil
}

func splitAll(lines []string) [][]string {
	var list [][]string
	for _, l := range lines {
		if words := strings.Fields(l); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// estimate says on stderr what the debate may take, before anything is sent.
func (a *app) estimate(f debate.Frame, contextBytes int) {
	if f.Rehearsal {
		a.Out.Tell(debate.Notice(f.Seats[0].Spec) + "\n")
		return
	}
	s, _ := strategy.Find(f.Strategy)
	e := debate.EstimateCost(f, s, contextBytes)
	text := fmt.Sprintf("%d seats: %s. About %s to %s tokens", len(f.Seats), sitting(f), out.Thousands(e.Tokens),
		out.Thousands(e.Most))
	switch {
	case e.Known > 0 && e.High == 0:
		text += ", free"
	case e.Known > 0:
		text += fmt.Sprintf(", $%.3f to $%.3f", e.Low, e.High)
	}
	if e.Known > 0 && len(e.Unknown) > 0 {
		text += fmt.Sprintf(" for %d of them", e.Known)
	}
	if len(e.Unknown) > 0 {
		text += "; unknown price: " + strings.Join(e.Unknown, ", ")
	}
	if f.Limits.USD > 0 {
		text += "; the budget is $" + strconv.FormatFloat(f.Limits.USD, 'f', -1, 64)
		if len(e.Unknown) > 0 {
			text += ", which does not cover seats with an unknown price"
		}
	}
	a.Out.Tell(text + ".\n")
}

// enough says whether the limits leave a panel to ask.
func enough(f debate.Frame, contextBytes int) error {
	s, _ := strategy.Find(f.Strategy)
	if debate.Affordable(f, contextBytes) >= min(2, s.Least) {
		return nil
	}
	return failure.New(failure.ExitLimit, "budget", "the budget of "+budget(f.Limits)+" is too small for a panel",
		"raise it, or use cheaper seats (socrates models); no model was called")
}

// budget says in words what limits a debate.
func budget(l debate.Limits) string {
	var parts []string
	if l.USD > 0 {
		parts = append(parts, "$"+strconv.FormatFloat(l.USD, 'f', -1, 64))
	}
	if l.Tokens > 0 {
		parts = append(parts, out.Thousands(l.Tokens)+" tokens")
	}
	return strings.Join(parts, " and ")
}
