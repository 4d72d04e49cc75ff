package debate

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/mirror"
)

// hubFlags are the flags of debate that a hub accepts, and those that apply to the result here.
var hubFlags = []string{"seat", "option", "files", "strategy", "preset", "rounds", "budget", "stdin",
	"out", "force", "adr", "explain", "record", "gate"}

// onlyHub refuses by name the flags that a hub does not accept: there, the settings of its operator apply.
func onlyHub(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(hubFlags, f.Name) && c.InheritedFlags().Lookup(f.Name) == nil && err == nil {
			err = failure.Usage("--"+f.Name+" cannot be sent to a hub, whose own settings apply",
				"leave it out; others that can be sent: --seat, --option, --files, --strategy, --preset, --rounds, --budget")
		}
	})
	return err
}

// asked is the request for a debate in the API.
type asked struct {
	door.Ask
	Folder string `json:"folder,omitempty"`
}

// atHub makes the hub run a debate about its project, follows it, and exits with its code. If the person leaves, the
// debate continues.
func (a *commands) atHub(ctx context.Context, d *frame.Flags, question string) error {
	if err := a.frames.Ready(d); err != nil {
		return err
	}
	text, data := motion.Split(question)
	op := asked{Ask: door.Ask{Question: text, Context: data, Options: d.Options, Files: d.Files, Seats: d.Seats,
		Strategy: d.Set.Value("debate.strategy"), Preset: d.Set.Value("preset")}}
	var err error
	if v := d.Set.Value("debate.rounds"); v != "" {
		if op.Rounds, err = strconv.Atoi(v); err != nil || op.Rounds < 0 {
			return failure.Usage("--rounds must be a whole number, not "+strconv.Quote(v), "")
		}
	}
	if v := d.Set.Value("debate.budget_usd"); v != "" {
		if op.Budget, err = strconv.ParseFloat(v, 64); err != nil || op.Budget < 0 {
			return failure.Usage("--budget must be an amount, not "+strconv.Quote(v), "")
		}
	}
	if op.Folder, err = a.Project(); err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	return a.rooms.Conduct(ctx, e, mirror.Debate{Asked: op}, d.Delivery)
}
