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

// Seat is an agent at the table.
// Model may be nil in a replay. Seats that act must have a Dir of their own, or be Refused.
type Seat struct {
	Info  table.Seat
	Model llm.Model
	Dir   string // where it reads; empty: nowhere
	// Wrote names what the seat changed in Dir since the room began. Nil: it cannot write.
	Wrote func(ctx context.Context) ([]string, error)
	// Refused says why the seat must not be asked; empty: it may be.
	Refused string
}

// Progress is what a seat is doing right now, for whoever watches.
// Each holds the whole text, so that one that is lost or late does no harm.
type Progress struct {
	Ask    tree.ID
	State  string // thinking, reading, writing, waiting
	Note   string
	Text   string // the whole answer so far
	Tokens int    // output so far, estimated
}

// Observation is what a look at the world showed.
// A look that was not possible is Skipped and says why in Detail.
type Observation struct {
	Result  string // Pass, Fail or Skipped
	Grade   verdict.Grade
	Detail  string // one line
	Control string // what the control run showed; empty: none was run
	Same    bool   // of a command: its control came out the same, so it shows nothing
	Lines   string // what a judge reads: the lines around a quote or in a source, or what a command printed
	Proof   verdict.Proof
	Trials  []verdict.Trial
	MS      int64
}

// Room is one debate while it runs. Its exported fields are set by whoever opens it and not changed after.
type Room struct {
	Frame   table.Frame
	Seats   []Seat
	Judge   *Seat // the judge without a seat; nil: there is none
	Context string
	Tools   []tool.Tool
	// DrawKey draws claims and judges, once all have voted; empty: the seed does. A replay takes the recorded one.
	DrawKey string
	// Look checks evidence against the world: never asks anybody, never writes to the project.
	Look func(ctx context.Context, c verdict.Claim) Observation
	// Watch hears what seats are doing; may be nil, must not block.
	Watch func(seat string, p Progress)
	// Budget is a wider budget that whatever the room spends comes out of, too; nil: there is none.
	Budget *budget.Budget
	// Halt says at which replies the room ends, with Halted, once the round is in. They are recorded, and asked again
	// when the room is resumed. Nil: at none.
	Halt func(exchange.Reply) bool
	// Messages brings what people say; nil: nobody can say anything. Sit makes the seat for a spec that joins, beside the
	// named ones; nil: nobody can join. Attended says that somebody is there to be asked.
	Messages <-chan Told
	Sit      func(ctx context.Context, spec string, names []string) (Seat, error)
	Attended bool
	// Prepare gets the seats ready, once the room's time runs: it may set their Dir, Wrote and Refused. Nil: they are
	// ready. An error ends the room, unless a person or the clock has ended the round.
	Prepare func(ctx context.Context, seats []Seat) error
	// Interrupt, when it is closed, ends the round: the room decides from what is there.
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

// errInterrupted and errTimeUp are the causes a round ends for before its answers are in.
var (
	errInterrupted = errors.New(Interrupted)
	errTimeUp      = errors.New("debate time limit reached")
)

// Run conducts the debate over its journal, up to the ledger the verdict is computed from. It records every step. An
// error means that the record could not be written or read, that Prepare failed, that a reply was one Halt names (*Halted),
// or that ctx was cancelled. Unless writing failed, the journal then holds all that happened.
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

// open makes the parts of a room that begins, or begins again, over these nodes.
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
	// A resumed room begins with what it has spent, and with what it may have.
	r.budget.Spend(paid.USD+lost, paid.Total())
}

// Note records something a reader must know, once under its key.
func (r *Room) Note(ctx context.Context, key, text string) error {
	return r.journal.note(ctx, key, text)
}

// Draw is the random order that belongs to the room's seed and a purpose: a replay draws the same.
func (r *Room) Draw(purpose string) *rand.Rand { return shuffler(r.Frame.Seed, purpose) }

// Ledger is what the verdict is computed from, as it is by now. It must not be changed.
func (r *Room) Ledger() verdict.Ledger { return r.ledger.Ledger }

// Record adds nodes of the room's closing to the journal.
func (r *Room) Record(ctx context.Context, nodes ...tree.Node) error {
	return r.journal.Add(ctx, nodes...)
}

// Head is the node that closing nodes hang from.
func (r *Room) Head() tree.ID { return r.journal.parent() }

// Nodes are all nodes of the room, once Run has returned.
func (r *Room) Nodes() []tree.Node { return r.journal.Recorded() }

// seat finds one by its id; nil: nobody sits there under it.
func (r *Room) seat(id string) *Seat {
	i := slices.IndexFunc(r.Seats, func(s Seat) bool { return s.Info.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Seats[i]
}
