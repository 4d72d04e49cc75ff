package debate

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Seat is an agent at the table. Model may be nil in a replay. Seats that act must have their own Dir, or be Refused.
type Seat struct {
	Info  table.Seat
	Model llm.Model
	Dir   string // the folder it reads; empty: none
	// Wrote names what the seat changed in Dir since the room began. Nil: it cannot write.
	Wrote func(ctx context.Context) ([]string, error)
	// Refused says why the seat must not be asked; empty: it may be.
	Refused string
}

// Progress is what a seat is doing now, for watchers. Each has the whole text, so that a lost or late one does no harm.
type Progress struct {
	Ask    tree.ID
	State  string // thinking, reading, writing, waiting
	Note   string
	Text   string // the whole answer so far
	Tokens int    // output so far, estimated
}

// Observation is what code found when it checked evidence. If it could not check, Result is Skipped and Detail says why.
type Observation struct {
	Result  string // Pass, Fail or Skipped
	Grade   verdict.Grade
	Detail  string // one line
	Control string // what the control run showed; empty: none was run
	Same    bool   // of a command: its control has the same result, so it shows nothing
	Lines   string // what a judge reads: the lines around a quote or in a source, or what a command printed
	Proof   verdict.Proof
	Trials  []verdict.Trial
	MS      int64
}

// Room is one debate while it runs. Its exported fields are set by whoever opens it and not changed afterwards.
type Room struct {
	Frame   table.Frame
	Seats   []Seat
	Judge   *Seat // the judge without a seat; nil: there is none
	Context string
	Tools   []tool.Tool
	// DrawKey draws claims and judges, once all have voted; empty: the seed does. A replay uses the recorded key.
	DrawKey string
	// Look checks evidence against the world. It never asks anybody and never writes to the project.
	Look func(ctx context.Context, c verdict.Claim) Observation
	// Watch is told what seats are doing. It may be nil and must not block.
	Watch func(seat string, p Progress)
	// Budget is a wider budget that the room's spending also counts against; nil: none.
	Budget *budget.Budget
	// Halt reports whether a reply ends the room, with a Halted error, once the round is in. Such replies are recorded, and asked for
	// again when the room is resumed. Nil: none does.
	Halt func(exchange.Reply) bool
	// Messages delivers people's messages; nil: none can arrive. Sit makes the seat for a spec that joins; names are the ids in use;
	// nil: none can join. Attended means that a person can be asked.
	Messages <-chan Told
	Sit      func(ctx context.Context, spec string, names []string) (Seat, error)
	Attended bool
	// Prepare prepares the seats once the room's time runs: it may set their Dir, Wrote and Refused. Nil: they are ready. An error
	// ends the room, unless a person or the clock has ended the round.
	Prepare func(ctx context.Context, seats []Seat) error
	// Interrupt ends the round when it is closed: the room decides from the answers so far.
	Interrupt <-chan struct{}

	journal *roomJournal
	budget  *budget.Budget
	time    roomTime
	ledger  tally
	asks    asker
	checker checker
	talks   talks
	people  peopleInput
	running running
}

// Interrupted is the reason of a seat that was cut off because a person ended the round.
const Interrupted = "a person ended the round"

// errInterrupted and errTimeUp are the cancellation causes of a round that ends before its answers are in.
var (
	errInterrupted = errors.New(Interrupted)
	errTimeUp      = errors.New("debate time limit reached")
)

// Run conducts the debate over its journal, up to the ledger that the verdict is computed from. It records every step. An error means
// that the record could not be written or read, that Prepare failed, that Halt ended the room (*Halted), or that ctx was cancelled.
// Unless writing failed, the journal then has everything that happened.
func (r *Room) Run(ctx context.Context, j journal.Journal, strategy Strategy) (err error) {
	r.journal = newRoomJournal(j)
	defer func() { err = cmp.Or(err, r.journal.Flush()) }()
	r.open(j.Nodes)
	ctx, cancel := context.WithCancel(ctx)
	defer r.running.wait.Wait()
	defer cancel()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := strategy.Run(ctx, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.Snapshot(ctx); err != nil {
		return err
	}
	return r.adjourn(ctx)
}

// open makes the parts of a room that starts or resumes over these nodes.
func (r *Room) open(nodes []tree.Node) {
	r.time = roomTime{began: time.Now(), limit: r.Frame.Limits.Timeout, interrupt: r.Interrupt, journal: r.journal}
	r.ledger = tally{frame: &r.Frame, journal: r.journal, seat: r.seat, Ledger: verdict.Ledger{Options: r.Frame.Options,
		Claims: []verdict.Claim{}, Checks: []verdict.Check{}, Switches: []verdict.Switch{}}}
	if r.Judge != nil && r.Frame.Rules.Cases {
		r.ledger.Judge = &verdict.Judge{Seat: r.Judge.Info.ID, Lineage: r.Judge.Info.Lineage}
	}
	r.asks = asker{room: r, memory: map[string][]llm.Message{}}
	r.checker = checker{room: r, ledger: &r.ledger, lines: map[string]string{}, failedJudges: map[string]bool{}}
	r.talks = talks{room: r, ledger: &r.ledger, shown: map[string]int{}, absent: map[string]Turn{}, opened: map[string]bool{},
		leans: map[string]string{}, sides: map[string]string{}}
	r.people = peopleInput{room: r, ledger: &r.ledger, told: map[string]int{}, dropped: map[string]bool{}}
	r.running.limits, r.running.clocks, r.running.applied = map[string]time.Duration{}, map[string]*clock{}, map[tree.ID]bool{}
	paid, lost := paid(nodes)
	r.budget = budget.New(r.Frame.Limits.USD, r.Frame.Limits.Tokens, r.Budget)
	// A resumed room starts with what it has spent, or may have spent.
	r.budget.Spend(paid.USD+lost, paid.Total())
}

// Note records something a reader must know, once per key.
func (r *Room) Note(ctx context.Context, key, text string) error {
	return r.journal.note(ctx, key, text)
}

// Draw returns a random source for the room's seed and a purpose: a replay draws the same.
func (r *Room) Draw(purpose string) *rand.Rand { return shuffler(r.Frame.Seed, purpose) }

// Ledger returns the current ledger, from which the verdict is computed. It must not be changed.
func (r *Room) Ledger() verdict.Ledger { return r.ledger.Ledger }

// Record adds nodes of the room's closing to the journal.
func (r *Room) Record(ctx context.Context, nodes ...tree.Node) error {
	return r.journal.Add(ctx, nodes...)
}

// Head returns the parent of closing nodes.
func (r *Room) Head() tree.ID { return r.journal.parent() }

// Nodes returns all nodes of the room, once Run has returned.
func (r *Room) Nodes() []tree.Node { return r.journal.Recorded() }

// seat finds a seat by its id; nil: there is none.
func (r *Room) seat(id string) *Seat {
	i := slices.IndexFunc(r.Seats, func(s Seat) bool { return s.Info.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Seats[i]
}
