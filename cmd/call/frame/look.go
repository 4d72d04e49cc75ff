package frame

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Allow lets the checks of this call run the commands and fetch the sources that flags allow, in addition to the
// settings.
func (a *Framer) Allow(commands, sources []string) error {
	if err := permits(commands, sources); err != nil {
		return err
	}
	a.checks.Store(asked{}, checkFlags{commands, sources})
	return nil
}

// permits refuses an entry that would allow nothing, or something other than it seems to. A host with a path, a blank
// or a star would look like a permission and match nothing.
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

// splitAll splits each line into words.
func splitAll(lines []string) [][]string {
	var list [][]string
	for _, l := range lines {
		if words := strings.Fields(l); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// checkFlags are the checks that flags allow in addition to the settings. A command is a line that is split at
// blanks: argv, never a shell.
type checkFlags struct{ commands, sources []string }

// asked tells the rooms of one process apart before they have a name. A seed alone does not: a person may give two rooms the same.
type asked struct {
	seed          uint64
	question, dir string
}

func askedOf(f table.Frame) asked { return asked{f.Seed, f.Question, f.Dir} }

// simChecker checks the evidence of simulated seats, with the rates of the reference world.
var simChecker = eval.Checker{TruePass: .9, FalsePass: .3}

// Look returns what checks evidence in a room. Evidence of simulated seats does not exist, so a simulated checker
// checks it. Every way into a room leads here: the checks that may run are read from the settings of the room's
// project as the room is furnished, so that no way can forget them.
func (a *Framer) Look(f table.Frame) (func(context.Context, verdict.Claim) debate.Observation, func() error) {
	for _, s := range f.Seats {
		if spec, ok := scheme.Simulation(s.Spec); ok {
			_, truth, _ := simulated.Parse(spec) // it was parsed when the seat was made
			return simChecker.Look(f.Seed, f.Question, truth), func() error { return nil }
		}
	}
	l := &evidence.Looker{Dir: f.Dir, Danger: a.Home.CheckDanger(f.Dir)}
	for _, one := range []asked{{}, askedOf(f)} {
		if flags, ok := a.checks.Load(one); ok {
			l.Commands = append(l.Commands, splitAll(flags.(checkFlags).commands)...)
			l.Sources = append(l.Sources, flags.(checkFlags).sources...)
		}
	}
	if c, err := a.Home.Settings.Of(f.Dir); err == nil { // settings that cannot be read allow nothing
		l.Commands = append(l.Commands, splitAll(c.Strings("checks.commands"))...)
		l.Sources = append(l.Sources, c.Strings("checks.sources")...)
		l.Timeout = c.Duration("checks.timeout")
	}
	return l.Look, l.Close
}

// Program runs a program that judges an answer as a check would: in a copy of dir, with no secrets in its
// environment. The error says why the program did not run; a program that ran and failed is false without error.
func Program(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error) {
	l := &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Timeout: limit, Uncontrolled: true}
	defer l.Close()
	o := l.Look(ctx, verdict.Claim{Evidence: verdict.Evidence{Kind: "command", Command: argv}})
	if o.Result == verdict.Skipped {
		return false, errors.New(o.Detail)
	}
	return o.Result == verdict.Pass, nil
}

// Join resolves the spec of a seat that joins the table of a frame; names are taken already. A second seat of the
// same model gets a number after its name.
func (a *Framer) Join(ctx context.Context, spec string, f table.Frame, names []string) (table.Seat, error) {
	seats, _, err := a.Home.Seats.Panel(ctx, []string{spec})
	if err == nil && len(seats) != 1 {
		err = failure.Usage("add one seat at a time; "+spec+" is a panel", "")
	}
	if err == nil {
		f.Seats = append(slices.Clone(f.Seats), seats...)
		_, err = seat.Company(f.Seats)
	}
	if err == nil {
		err = seat.TellTruth(&f, seat.TruthOf(f.Seats))
	}
	if err != nil {
		return table.Seat{}, err
	}
	s := f.Seats[len(f.Seats)-1]
	for n := 2; slices.Contains(names, s.ID); n++ {
		s.ID = fmt.Sprintf("%s-%d", seat.ID(spec), n)
	}
	return s, nil
}
