package setup

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// newSeats is the command seats. Discovering starts the version check of programs and asks servers on this machine,
// never a model.
func newSeats(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "seats", Short: "List seats, ready and not connected",
		Long: `List every seat available on this machine. * marks the default panel: the configured seats;
without any, the first of each lineage among programs, API keys and local servers; without those,
the rehearsal panel. To use an agent that speaks the Agent Client Protocol and is not listed,
write "acp:COMMAND ARGS", for example "acp:goose acp".`}
	list := noun.Noun[home.Found]{Call: a, Is: "seat", Are: "seats", Path: "socrates seats",
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]home.Found, error) { return a.Home.Seats.Discover(ctx) }),
		Line: seatLine,
		Foot: noun.Always[home.Found]("\n* marks the default panel. Test a seat: socrates seats try SPEC. Add a key: socrates login\n"),
	}.List("List seats, ready and not connected")
	c.RunE = list.RunE
	c.AddCommand(list, newSeatsTry(a))
	return c
}

// seatLine formats a seat for the list, with a star if it is in the default panel.
func seatLine(f home.Found) string {
	mark, state := " ", "missing"
	if f.Ready {
		state = "ready"
	}
	if f.Used {
		mark = "*"
	}
	why := f.Why
	if f.Model != "" {
		why = f.Model + ": " + why
	}
	return out.Fit(os.Stdout, fmt.Sprintf("%s %-15s %-8s %-10s %s\n", mark, f.Spec, state, f.Lineage, why), strings.Repeat(" ", 36))
}

// newSeatsTry returns the command seats try: one paid question that reveals what is missing before a debate.
func newSeatsTry(a *call.Call) *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{Use: "try SPEC [PROMPT]", Short: "Send one test prompt to a seat",
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.CompleteSeat(c, args, begun)
		},
		Example: `  socrates seats try claude
  socrates seats try openai:small "hello"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure.Usage("no seat given", "list seats with: socrates seats")
			}
			return nil
		}}
	c.Flags().DurationVar(&timeout, "timeout", 2*time.Minute, "time limit")
	c.RunE = func(c *cobra.Command, args []string) error {
		prompt := strings.Join(args[1:], " ")
		if prompt == "" {
			prompt = "Say hello in one short sentence."
		}
		return trySeat(c.Context(), a, args[0], prompt, timeout)
	}
	return c
}

// trial is the result of trying a seat.
type trial struct {
	Spec   string     `json:"spec"`
	Model  string     `json:"model"`
	Answer string     `json:"answer"`
	Usage  cost.Usage `json:"usage"`
	MS     int64      `json:"ms"`
}

// trySeat asks a seat once and shows the answer with its price.
func trySeat(ctx context.Context, a *call.Call, spec, prompt string, timeout time.Duration) error {
	t, err := tryOnce(ctx, a, spec, prompt, timeout)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(t)
	}
	fmt.Fprintf(a.Out, "%s\n", strings.TrimSpace(t.Answer))
	a.Out.Tell(fmt.Sprintf("%s: %d tokens in, %d out, %s, %s\n", t.Model, t.Usage.Input+t.Usage.CacheRead+t.Usage.CacheWrite,
		t.Usage.Output,
		t.Usage.Dollars(5), out.Seconds(time.Duration(t.MS)*time.Millisecond)))
	return nil
}

// A program that acts without a sandbox works in a copy of the folder, as it would in a debate; the copy is removed
// once the program has ended.
func tryOnce(ctx context.Context, a *call.Call, spec, prompt string, timeout time.Duration) (trial, error) {
	if scheme.Of(spec).Notice != "" {
		return trial{}, failure.Usage("the seat "+spec+" is not a model: there is nothing to connect",
			`use it directly: socrates debate --seat `+spec+` "A or B?"`)
	}
	bare, as, err := a.Home.Seats.Persona(spec)
	if err != nil {
		return trial{}, err
	}
	m, err := a.Home.Seats.Solo(ctx, bare)
	if err != nil {
		return trial{}, err
	}
	a.Home.Seats.WarnUnlisted(bare)
	a.Home.Programs.WarnOpen(bare, a.Home.Programs.Open(bare))
	var copies []*git.Copy
	defer func() { // once no program uses them
		for _, c := range copies {
			c.Remove()
		}
	}()
	if c, ok := m.(interface{ Close() error }); ok {
		defer c.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return trial{}, err
	}
	start := time.Now()
	info := m.Info()
	// It could change the project, which a trial may not.
	if info.Acts && !info.Held {
		if copies, err = git.Copies(ctx, dir, 1, git.Limits{}, nil); err != nil {
			return trial{}, &engine.NoCopy{Err: err}
		}
		dir = copies[0].Dir
	}
	end, used, err := meter.Ask(ctx, m, llm.Request{System: as.Text, Messages: []llm.Message{llm.UserText(prompt)},
		MaxTokens: 1000, Dir: dir})
	if err == nil && end.Stop != llm.StopLength { // a long answer may be cut: any answer will do
		err = end.Whole()
	}
	if err != nil {
		e := trouble.As(err)
		// A missing or refused login is 4, everything else 5.
		code := failure.ExitProvider
		if e.Kind == trouble.Auth {
			code = failure.ExitAuth
		}
		return trial{}, failure.New(code, string(e.Kind), "seat "+spec+": "+clean.Line(failure.Explain(err).Message), "")
	}
	model := end.Model
	if model == "" {
		model = info.ID
	}
	return trial{Spec: spec, Model: model, Answer: end.Message.Text(), Usage: used, MS: time.Since(start).Milliseconds()}, nil
}
