// Package frame makes the frame of a debate. From flags, settings and the project it determines the question, the
// seats, what they are shown, which checks may run, and what the debate may cost.
//
// Framer.Frame is the one way from a person's question to rooms.Debate, which the engine takes: the terminal, the
// screen, an editor, an MCP client and a run that needs an analysis all use it. It reads files and asks programs for
// their versions, but records nothing and calls no model. So a refusal here costs nothing; most end with 2, a budget
// that is too small with 7, a seat without a key with 4.
//
// The order matters: flags first, then files that must be writable, then what is shown, then seats (which may take
// seconds to find), then what the strategy makes of all this. A question is cleaned of secrets before it becomes part
// of a room's name.
//
// Which checks may run is not part of the frame, because a record must not be able to allow anything. Look reads it
// when a room is furnished, from the settings of that room's project and the flags of this call, however the room was
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
	checks *sync.Map // from asked to checkFlags; the key asked{} holds for every room of this call
}

// New returns the framer of a call.
func New(shared *call.Call) *Framer { return &Framer{Call: shared, checks: &sync.Map{}} }

// For returns a framer for another call, whose rooms run the checks that flags allowed here.
func (a *Framer) For(c *call.Call) *Framer { return &Framer{Call: c, checks: a.checks} }

// Flags are the options of `socrates debate` and `debate fork`. Frame fills in what it finds out (Seats, Files,
// Follows), so a value serves one debate; a caller that makes several copies it.
type Flags struct {
	Seats, Options, Files, Commands, Sources []string
	contextFile                              string
	showContext, editContext, Stdin          bool
	noHistory                                bool
	Replay, truth                            string
	room.Delivery
	seed     uint64
	Dir      string // the folder of the question; empty: the current folder
	Revisits string // the earlier debate whose question is asked again
	Follows  string // the earlier debate that this one continues
	Set      call.SettingFlags
	typed    bool // in a conversation: they apply to this debate alone
}

// Asked returns the operation that starts a debate asked for in a conversation. Flags typed with the question apply
// to this debate alone.
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

// Typed parses the flags of a debate that is asked for in a conversation.
func (a *Framer) Typed(args []string) (*Flags, error) {
	d := &Flags{typed: true}
	c := &cobra.Command{Use: "debate"}
	d.Add(a.Call, c)
	if err := c.ParseFlags(args); err != nil {
		return nil, failure.Usage("/debate: "+err.Error(), "see: /help debate")
	}
	return d, nil
}

// withFlags returns a framer in which flags typed into a conversation override all other settings. Otherwise a flag
// typed for one debate would stay a setting of every later one in the same process.
func (a *Framer) withFlags(d *Flags) *Framer {
	return a.For(a.Call.With(a.Home.With(d.given())))
}

// folder returns the folder of the debate: that of the conversation, or the current one.
func (d *Flags) folder(a *Framer) (string, error) {
	if d.Dir != "" {
		return d.Dir, nil
	}
	return a.Home.Settings.Dir()
}

// Add adds the flags of a debate on a question.
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

// Apply applies the flags that stand for settings to a command.
func (d *Flags) Apply(a *call.Call) { a.Set(d.given()) }

// given returns the settings that flags gave, by key.
func (d *Flags) given() map[string]string {
	given := d.Set.All()
	if d.noHistory {
		given["debate.history"] = "0"
	}
	maps.Copy(given, d.Delivery.Settings())
	return given
}
