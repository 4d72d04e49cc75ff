package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/socrates-cli/socrates/cmd/call"
	fleets "github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/release"
	"github.com/socrates-cli/socrates/internal/fleet/worker"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// runWorker answers for a hub until a signal ends it, or the hub shuts it out.
func runWorker(ctx context.Context, a *call.Call, o fleets.Worker) error {
	data, err := home.DataFolder()
	if err != nil {
		return err
	}
	dir := filepath.Join(data, "worker")
	if o.Join == "-" { // other programs see a command line
		text, err := io.ReadAll(io.LimitReader(a.In, 1<<16))
		if err != nil {
			return fmt.Errorf("read the token: %w", err)
		}
		o.Join = strings.TrimSpace(string(text))
	}
	if o.Join != "" {
		name, err := bus.Join(ctx, o.Join, dir)
		if err != nil {
			return failure.New(failure.ExitUsage, "join", "cannot join: "+err.Error(),
				"if this machine has joined already, leave --join out; else ask for another token: socrates hub invite NAME")
		}
		a.Out.Tell("Joined as " + name + ".\n")
	}
	seats, err := offered(ctx, a, o)
	defer func() {
		for _, s := range seats {
			if c, ok := s.Model.(io.Closer); ok {
				c.Close()
			}
		}
	}()
	if err != nil {
		return err
	}
	offer := fleet.Offer{Build: build.Version(), Speaks: release.Speaks, Pools: o.Pools}
	for _, s := range seats {
		offer.Seats = append(offer.Seats, s.Seat)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := &worker.Worker{Seats: seats, Offer: offer, Dir: filepath.Join(dir, "tasks"), Tell: func(text string) { a.Out.Tell(text + "\n") }}
	defer leaving(a, w, stop)()
	line, err := bus.Dial(ctx, dir, offer)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return failure.New(failure.ExitFailed, "hub", err.Error(), nextStep(err))
	}
	defer line.Close()
	w.Line = line
	a.Out.Tell(fmt.Sprintf("Connected as %s, offering %s. Ctrl-C finishes running tasks and exits.\n", line.Name(), list(seats)))
	if err := w.Run(ctx); err != nil && ctx.Err() == nil {
		return failure.New(failure.ExitFailed, "hub", err.Error(), "")
	}
	return nil
}

// nextStep is what helps a worker that a hub does not take; empty: the error says it.
func nextStep(err error) string {
	switch {
	case errors.Is(err, bus.ErrOffer):
		return ""
	case errors.Is(err, bus.ErrRuns):
		return "stop that one first: press Ctrl-C there; a second worker needs its own HOME and its own token"
	}
	return "join with a token: socrates worker --join TOKEN"
}

// leaving lets a worker finish at the first signal, and ends it at the second.
func leaving(a *call.Call, w *worker.Worker, stop func()) (end func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 0; ; n++ {
			if _, ok := <-signals; !ok {
				return
			}
			if n == 0 && w.Line != nil {
				a.Out.Tell("Finishing running tasks; press Ctrl-C again to stop immediately.\n")
				w.Drain()
				continue
			}
			stop()
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

func list(seats []worker.Answerer) (text string) {
	for i, s := range seats {
		if i > 0 {
			text += ", "
		}
		text += scheme.Short(s.Spec)
	}
	return text
}

// offered are the seats of this machine that a hub may ask: those that were named, else all that are ready and models.
func offered(ctx context.Context, a *call.Call, o fleets.Worker) (seats []worker.Answerer, err error) {
	specs := o.Seats
	if len(specs) == 0 {
		found, err := a.Home.Seats.Discover(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.Ready && f.IsModel() && f.Source != "worker" {
				specs = append(specs, f.Spec)
			}
		}
	}
	if len(specs) == 0 {
		return nil, failure.New(failure.ExitAuth, "auth", "no seat of this machine is ready for a hub",
			"sign in to a program or add a key (see socrates seats), or name a seat: socrates worker --seat SPEC")
	}
	for _, spec := range specs {
		m, err := a.Home.Seats.Model(ctx, spec)
		if err == nil {
			err = a.Home.Programs.Installed(spec)
		}
		if err != nil {
			return seats, err
		}
		seats = append(seats, worker.Answerer{Seat: fleet.Seat{Spec: spec, Slots: o.Slots, Info: m.Info()}, Model: m})
	}
	return seats, nil
}
