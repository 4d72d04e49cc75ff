// Package debate holds the commands that run debates and show past ones.
//
// A debate is asked (debate), continued (resume, fork), sent messages (tell), shown (list, show, score, schema),
// passed on (export, share) and removed (rm, restore, prune). Each command is a file; what several share is here or
// in cmd/call/room, and the debate itself happens in internal/engine/rooms.
//
// Commands that run a room exit with the code of its result: 0 decided, 7 a limit, 10 no decision, 11 a seat lost, 12
// a person decides, 4 or 5 no seat could answer, and 130, 143 or 129 if a signal stopped it. Those that only read
// exit with 0, with 2 for a wrong name, flag or file, and with 1 if a file contradicts its record (score, --replay)
// or the state of the debate forbids the request (tell, share).
//
// A question is a sentence. One word, or a word before the name of a debate, is treated as a mistyped command: asking
// it would cost money and answer nothing.
//
// Files: fork.go has resume and fork, show.go and transcript.go show, export.go and share.go write files, score.go
// and replay.go recompute, tell.go sends messages to a debate, trash.go deletes and restores, strategies.go explains
// the strategies.
//
// Results are recomputed from records whenever they are shown: nothing that is printed is a stored sentence. A
// written file carries its record (json, html, record), so that its reader can verify it without the store, and is
// clean: secrets are removed before it is packed, not after.
//
// Before anything is sent, the person sees the seats and the possible cost. Unknown prices are called unknown; a
// budget ends the debate with the replies it has.
package debate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// commands is made once for the program and shared by all debate commands.
type commands struct {
	*call.Call
	frames *frame.Framer
	rooms  *room.Rooms
}

// Debates are the debate commands of a call.
type Debates struct{ commands }

// New returns the debate commands of a call.
func New(shared *call.Call, frames *frame.Framer, rooms *room.Rooms) *Debates {
	return &Debates{commands{shared, frames, rooms}}
}

// Commands returns the command debate with its subcommands; more are added to them.
func (s *Debates) Commands(more ...*cobra.Command) []*cobra.Command {
	a := &s.commands
	d := &frame.Flags{}
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
  socrates debate --allow-check "go test ./..." "Does the cache need a lock?"
  socrates debate --seat rehearsal "Redis or memory?"   # offline, by rules: no key, no model`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := misspelt(c, args); err != nil {
				return err
			}
			if d.Replay != "" {
				if err := onlyReplay(c, args); err != nil {
					return err
				}
			}
			if a.AtHub() != nil {
				if err := onlyHub(c); err != nil {
					return err
				}
			}
			return a.debate(c.Context(), d, args)
		},
	}
	f := c.Flags()
	f.BoolVar(&d.Stdin, "stdin", false, "read stdin even if data arrives late")
	f.StringVar(&d.Replay, "replay", "", "replay a recorded debate `file` offline")
	d.Add(a.Call, c)
	c.Args = cobra.ArbitraryArgs
	n := a.listed()
	c.AddCommand(n.List("List debates, newest first"), newShow(a, n), newResume(a), newExport(a), newShare(a), newFork(a),
		newScore(a), newTell(a), newSchema(a),
		newDelete(a, n), n.Restores(&cobra.Command{Use: "restore ROOM", Short: "Restore a deleted debate"}), newPrune(a, n))
	c.AddCommand(more...)
	return []*cobra.Command{c}
}

// onlyReplay refuses what a replay would ignore: it takes everything from its record. A flag without effect would
// mislead a person.
func onlyReplay(c *cobra.Command, args []string) (err error) {
	if len(args) > 0 {
		return failure.Usage("--replay takes its question from the record", "leave out the question")
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "replay", "gate", "out", "force", "explain":
			return
		}
		if c.InheritedFlags().Lookup(f.Name) == nil { // global flags apply to every command: output, folder
			err = failure.Usage("--"+f.Name+" has no effect with --replay, which takes everything from its record",
				"leave it out, or start a new debate with: socrates debate fork")
		}
	})
	return err
}

// misspelt refuses a question that looks like a mistyped or unknown subcommand of c: a single word, a word before the
// name of a debate, or two words of which the first is a command of the program. A question mark, a blank or a line
// end makes a sentence of any word. It allows two typos, fewer for short names.
func misspelt(c *cobra.Command, args []string) error {
	// More than two words without quotes are a question without its quotes; asking it is right.
	if len(args) == 0 || len(args) > 2 || strings.ContainsAny(strings.Join(args, ""), " \n?") {
		return nil
	}
	unknown := func(hint string) error {
		return failure.Usage(fmt.Sprintf("unknown command %q for %q (to ask it as a question, write a full sentence)",
			strings.Join(args, " "), c.CommandPath()), hint)
	}
	var names []string
	for _, s := range c.Commands() {
		names = append(names, s.Name())
		if d := spelling.Distance(strings.ToLower(args[0]), s.Name()); d > 0 && d <= min(2, len(s.Name())-1) {
			return unknown("did you mean " + s.Name() + "?")
		}
	}
	if len(args) == 2 {
		for _, s := range c.Root().Commands() {
			if s.Name() == strings.ToLower(args[0]) {
				return unknown("did you mean: " + s.CommandPath() + " " + args[1])
			}
		}
	}
	if len(args) == 1 && args[0] != "-" && args[0] != "" || len(args) == 2 && (args[1] == "last" || roomLike().MatchString(args[1])) {
		return unknown("commands: " + strings.Join(names, ", "))
	}
	return nil
}

// roomLike matches what looks like the name of a debate.
var roomLike = pattern.Of(`^[a-z0-9]+(-[a-z0-9]+)*-[a-z0-9]{4}$`)

// A person who did not ask for a rehearsal is first offered to connect a model, if they are at a terminal and have
// none. If they decline, the rehearsal runs.
func (a *commands) debate(ctx context.Context, d *frame.Flags, args []string) error {
	d.Apply(a.Call)
	// Before the question is read: help needs none.
	if d.Set.Value("debate.strategy") == "help" {
		return a.helpStrategies()
	}
	if d.Replay != "" {
		return a.replay(ctx, d)
	}
	question, err := a.Question(args, d.Stdin)
	if err != nil {
		return err
	}
	if a.AtHub() != nil {
		return a.atHub(ctx, d, question)
	}
	op, err := a.frames.Frame(ctx, d, question)
	// No op and no error: a dry run, which has printed everything.
	if err != nil || op == nil {
		return err
	}
	// Who named the rehearsal wants it; who has a model needs no offer.
	if op.Frame.Rehearsal && len(d.Seats) == 0 && a.Home.Seats.NoModels(ctx) {
		if ok, err := a.Connected(ctx, home.ErrNoModel, "Enter watches a rehearsal"); err != nil && !errors.Is(err, home.ErrNoModel) {
			return err
		} else if ok {
			if op, err = a.frames.Frame(ctx, d, question); err != nil {
				return err
			}
		}
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	a.frames.Estimate(op.Frame, len(op.Context))
	return a.rooms.Conduct(ctx, e, op, d.Delivery)
}
