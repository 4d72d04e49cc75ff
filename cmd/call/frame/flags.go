// Package frame makes the frame of a debate: from flags, settings and the project it reads what is asked, who sits at the table, what they
// are shown, what checks may run, and what the debate may cost.
//
// Framer.Frame is the one way from "what a person asked" to rooms.Debate, which the engine takes: the terminal, the
// screen, an editor, an MCP client and a run that needs an analysis all come through it. It reads and asks programs
// what they are, but nothing is recorded and no model is called. So whatever is refused here costs nothing; most
// refusals end with 2, a budget that is too small with 7, a seat without a key with 4.
//
// The order matters: flags first, then files that must be writable, then what is shown, then seats (which may take
// seconds to find), then what the strategy makes of all this. A question is cleaned of secrets before it becomes part
// of a room's name.
//
// What checks may run is not part of the frame, because a record must not be able to allow anything. Look reads it when
// a room is furnished, from the settings of that room's project and the flags of this call, whichever way the room was
// entered.
package frame

import (
	"context"
	"maps"
	"sync"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
)

// Framer makes the frames of a call.
// A Framer is safe for concurrent use as far as its Call is.
type Framer struct {
	*call.Call
	checks *sync.Map // of checkFlags by asked; its zero value: of every room of this call
}

// New makes frames for a call.
func New(shared *call.Call) *Framer { return &Framer{Call: shared, checks: &sync.Map{}} }

// For makes frames for another call, whose rooms check what flags allowed here.
func (a *Framer) For(c *call.Call) *Framer { return &Framer{Call: c, checks: a.checks} }

// Flags are what `socrates debate` and `debate fork` can be told.
// Frame fills in what it finds out (Seats, Files, Follows), so a value serves one debate; a caller that makes several
// copies it.
type Flags struct {
	Seats, Options, Files, Commands, Sources []string
	contextFile                              string
	showContext, editContext, Stdin          bool
	noHistory                                bool
	Replay, truth                            string
	room.Delivery
	seed     uint64
	Dir      string // the folder it is about; empty: where we are
	Revisits string // the earlier debate whose question is asked again
	Follows  string // the earlier debate that this one goes on from
	Set      call.SettingFlags
	typed    bool // into a conversation: what they set holds for this debate alone
}

// Asked is the operation that starts the debate of a question that was asked in a conversation: flags typed with it hold for it alone.
func (a *Framer) Asked(ctx context.Context, asked rooms.Asked) (rooms.Debate, error) {
	flags, err := a.Typed(asked.Flags)
	if err != nil {
		return rooms.Debate{}, err
	}
	if len(flags.Seats) == 0 {
		flags.Seats = asked.Seats
	}
	flags.Dir = asked.Dir
	op, err := a.Frame(ctx, flags, asked.Question)
	if err != nil {
		return rooms.Debate{}, err
	}
	return *op, nil
}

// Typed reads the flags of a debate that is asked for in a conversation.
func (a *Framer) Typed(args []string) (*Flags, error) {
	d := &Flags{typed: true}
	c := &cobra.Command{Use: "debate"}
	d.Add(a.Call, c)
	if err := c.ParseFlags(args); err != nil {
		return nil, failure.Usage("/debate: "+err.Error(), "see: /help debate")
	}
	return d, nil
}

// withFlags is a framer whose settings are those of flags that were typed into a conversation, before all others.
// Else a flag typed for one debate would stay a setting of every later one in the same process.
func (a *Framer) withFlags(d *Flags) *Framer {
	return a.For(a.Call.With(a.Home.With(d.given())))
}

// folder is what the debate is about: where a conversation belongs, or where we are.
func (d *Flags) folder(a *Framer) (string, error) {
	if d.Dir != "" {
		return d.Dir, nil
	}
	return a.Home.Settings.Dir()
}

// Add adds what a debate on a question can be told.
func (d *Flags) Add(a *call.Call, c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&d.Seats, "seat", nil, "a `seat`, such as claude, anthropic:big@security, ollama:qwen3 (repeatable)")
	f.StringArrayVar(&d.Options, "option", nil, "an answer `option` (repeatable)")
	f.StringArrayVar(&d.Files, "files", nil, "show every seat these `files`: path, folder, glob, path:from-to (repeatable)")
	f.StringVar(&d.Follows, "follow", "", "follow up this ended `debate` with its seats and files")
	f.StringVar(&d.contextFile, "context", "", "use this `file` as the context block")
	f.BoolVar(&d.showContext, "show-context", false, "print the context block and its warnings, then exit")
	f.BoolVar(&d.editContext, "edit-context", false, "edit the context block in $EDITOR first")
	f.BoolVar(&d.noHistory, "no-history", false, "do not show seats similar earlier decisions")
	d.Delivery.Flags(a, c)
	f.StringArrayVar(&d.Commands, "allow-check", nil, "allow checks to run this `command` (repeatable)")
	f.StringArrayVar(&d.Sources, "allow-source", nil, "allow checks to fetch from this `host` (repeatable)")
	f.Uint64Var(&d.seed, "seed", 0, "seed for the order of options and peers, and for who judges (0: random)")
	f.StringVar(&d.truth, "sim-truth", "", "correct option told to simulated seats (default: the first)")
	d.Settings(c)
	d.Set.Add(c, "preset", "preset", "use this preset, such as deep or quick")
	d.Set.Add(c, "strategy", "debate.strategy", "debate strategy (default council); --strategy help lists them")
	d.Set.Add(c, "economy", "debate.economy", "ask fewer seats: pair (two first) or lead (until the lead is safe)")
	d.Set.Add(c, "effort", "debate.effort", "reasoning effort: minimal, low, medium, high, xhigh, max")
	d.Set.Add(c, "judge", "debate.judge", "model that judges evidence without a seat")
	d.Set.Add(c, "moderator", "debate.moderator", "seat that moderates a refinement, by its name or tier")
}

// Settings adds the flags that stand for settings.
func (d *Flags) Settings(c *cobra.Command) {
	d.Set = call.SettingFlags{}
	for _, s := range call.DebateSettings {
		d.Set.Add(c, s.Flag, s.Key, s.Doc)
	}
}

// Apply has the flags that stand for settings hold for a command.
func (d *Flags) Apply(a *call.Call) { a.Set(d.given()) }

// given are the settings that flags gave, by key.
func (d *Flags) given() map[string]string {
	given := d.Set.All()
	if d.noHistory {
		given["debate.history"] = "0"
	}
	maps.Copy(given, d.Delivery.Settings())
	return given
}
