package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/store"
)

type finding = call.Finding

// newDoctor returns the command doctor. It fails only for what nothing works without; everything else is a note.
func newDoctor(a *call.Call) *cobra.Command {
	var asJSON, try, full bool
	c := &cobra.Command{Use: "doctor", Short: "Check the installation and suggest fixes", Args: cobra.NoArgs,
		Long: `Check the installation and suggest fixes. Also check whether plans can be executed here: repository,
checks, disk space, executors. No model is called unless you add --try: each ready seat then takes
two short paid turns, one after the other. The first shows how long the seat takes to start, the
second how long a further round takes. The seats run in an empty folder and see nothing of the
project.

The store is checked for damage for at most ten seconds. --full reads every node and text,
however long that takes.`,
		Example: `  socrates doctor
  socrates doctor --try
  socrates doctor --full`}
	c.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	c.Flags().BoolVar(&try, "try", false, "also run two short paid turns per seat")
	c.Flags().BoolVar(&full, "full", false, "check the whole store, however long it takes")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var all []finding
		bad := false
		examine(c.Context(), a, try, full, func(f finding) {
			all = append(all, f)
			bad = bad || f.Must && !f.OK
			if !asJSON && a.Out.Format == "text" {
				fmt.Fprint(a.Out, f.Lines(os.Stdout))
			}
		})
		// Programs get everything at the end, as one object.
		if asJSON || a.Out.Format != "text" {
			if err := a.Out.JSON(map[string]any{"ok": !bad, "findings": all}); err != nil {
				return err
			}
		}
		if bad {
			return failure.New(failure.ExitFailed, "doctor", "a required check failed (marked BAD above)", "")
		}
		return nil
	}
	return c
}

// examine checks one thing after the other and reports each as soon as it is known, because some take seconds. A
// configuration that cannot be read ends it early, since all that follows would fail for the same reason.
func examine(ctx context.Context, a *call.Call, try, full bool, tell func(finding)) {
	tell(finding{Name: "program", OK: true, Say: fmt.Sprintf("socrates %s, %s/%s, %s", build.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())})
	git := finding{Name: "git", Hint: "install git so that seats see history and checks run in a copy"}
	if v, err := exec.CommandContext(ctx, "git", "--version").Output(); err == nil {
		git.OK, git.Say = true, strings.TrimRight(string(v), "\r\n")
		var major, minor int
		if n, _ := fmt.Sscanf(git.Say, "git version %d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 38) {
			git.OK, git.Hint = false, "update git to 2.38 or later: plans cannot be executed with this one"
		}
	} else {
		git.Say = "not installed"
	}
	tell(git)
	tell(examineSandbox(sandbox.Probe(ctx)))
	config := examineConfig(a)
	// All that follows reads the config.
	if tell(config); !config.OK {
		tell(finding{Name: "other", Say: "skipped: the config is invalid", Hint: "fix the config, then run: socrates doctor"})
		return
	}
	tell(examineStore(ctx, a, full))
	tell(examineRepository(ctx, a))
	tell(examineChecks(a))
	if has := unadopted(a); has != "" {
		tell(finding{Name: "other agents", Say: has, Hint: "list and adopt: socrates trust adopt"})
	}
	tell(examineDisk(a))
	if f, there := examineKeys(a); there {
		tell(f)
	}
	seats, err := a.Home.Seats.Discover(ctx)
	if err != nil {
		f := failure.Explain(err)
		tell(finding{Name: "seats", Must: true, Say: f.Message, Hint: f.Hint})
		return
	}
	home.Versions(ctx, seats)
	lineages := map[string]bool{}
	for _, s := range seats {
		if s.Used && s.IsModel() {
			lineages[s.Lineage] = true
		}
		// A seat that nobody installed or configured is no finding.
		if s.IsModel() && (s.Ready || s.Source == "config" || s.Path != "") {
			tell(examineSeat(ctx, a, s, try))
		}
	}
	panel := finding{Name: "panel", OK: len(lineages) > 1, Hint: "add a model of another family: sign in to one more program, set an " +
		"API key, or start a local model"}
	panel.Say = fmt.Sprintf("%d independent lineages (model families)", len(lineages))
	if len(lineages) == 1 {
		panel.Say = "all seats share one lineage (model family), so they tend to make the same errors"
	}
	if len(lineages) == 0 {
		panel.Say = "no model connected: debates use the offline rehearsal panel"
		panel.Hint = "sign in to claude or codex, set an API key (socrates login), or start a local model"
	}
	tell(panel)
	if len(lineages) > 0 {
		tell(examineExecutors(ctx, a, seats))
	}
}

// examineSandbox reports which limits the system can enforce on programs that an agent starts.
func examineSandbox(r sandbox.Report) finding {
	f := finding{Name: "sandbox", OK: true, Say: r.Files.Say}
	if r.Protect.Level == sandbox.Watched {
		f.Hint = "to prevent it, enable user namespaces (on Ubuntu: add an AppArmor profile for socrates)"
	}
	for _, h := range []sandbox.Hold{r.Files, r.Network, r.Protect} {
		f.OK = f.OK && h.Level == sandbox.Held
		if !strings.Contains(f.Say, h.Say) {
			f.Say += "; " + h.Say
		}
	}
	return f
}

// examineConfig reads all layers. No file is fine: every setting has a default.
func examineConfig(a *call.Call) finding {
	f := finding{Name: "config", Must: true}
	file, err := a.Home.Settings.File()
	if err == nil {
		_, err = a.Home.Settings.Load()
	}
	if err != nil {
		e := failure.Explain(err)
		f.Say, f.Hint = e.Message, e.Hint
		return f
	}
	f.OK, f.Say = true, file
	if !call.Exists(file) {
		f.Say += " (does not exist; defaults apply)"
	}
	return f
}

// checkTime is how long doctor looks for damage unless full is set; after checkTold it prints that it is still
// looking.
const (
	checkTime = 10 * time.Second
	checkTold = time.Second
)

// checkStore looks for damage, and describes how much it checked. Faults found before the time ran out are returned
// together with what was not checked.
func checkStore(ctx context.Context, a *call.Call, e *engine.Engine, full bool) (faults []string, said string) {
	told := time.AfterFunc(checkTold, func() { a.Out.Tell("Checking the store for damage…\n") })
	defer told.Stop()
	if !full {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, checkTime)
		defer cancel()
	}
	faults, err := e.Check(ctx, full)
	switch {
	case err != nil: // the time ran out, or it could not be read: report the faults either way
		return faults, ", check not finished after " + checkTime.String() + "; full check: socrates doctor --full"
	case full:
		return faults, ", every node and text checked, no damage"
	}
	return faults, ", no damage found"
}

// Reading is tried before writing: a store on a full disk or with wrong permissions can still be shown.
func examineStore(ctx context.Context, a *call.Call, full bool) finding {
	f := finding{Name: "store", Must: true}
	e, err := a.Open(ctx)
	if err != nil {
		e := failure.Explain(err)
		f.Say, f.Hint = e.Message, e.Hint
		if errors.Is(err, store.ErrDamaged) {
			f.Hint = "restore a backup, or move the file away to start a new store"
		}
		return f
	}
	f.OK, f.Say = true, a.Store.File()
	if err := a.Store.Try(ctx); err != nil {
		e := failure.Explain(err)
		f.OK, f.Say, f.Hint = false, e.Message, cmp.Or(e.Hint, "until this is fixed, debates can be read but not started")
		return f
	}
	faults, said := checkStore(ctx, a, e, full)
	if len(faults) > 0 {
		f.OK, f.Say = false, a.Store.File()+" is damaged: "+strings.Join(faults, "; ")
		f.Hint = "restore a backup; or save what is readable with socrates debate export and socrates tree export, then move the file away"
		return f
	}
	if info, err := os.Stat(a.Store.File()); err == nil {
		f.Say += fmt.Sprintf(" (%d kB%s)", info.Size()>>10, said)
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			f.OK, f.Must, f.Hint = false, false, "other users can read it; fix it with: chmod 600 "+a.Store.File()
		}
	}
	return f
}

// examineKeys checks the keys kept by socrates login, if there are any.
func examineKeys(a *call.Call) (f finding, there bool) {
	f = finding{Name: "keys"}
	r, err := a.Home.Keys.Keyring()
	if err != nil {
		return f, false // examineConfig reports this error
	}
	infos, err := r.List()
	var kept, over []string
	for _, e := range infos {
		kept = append(kept, e.Vendor)
		if e.Expired() {
			over = append(over, e.Vendor)
		}
	}
	switch {
	case err != nil:
		f.Say = err.Error()
	case len(over) > 0:
		f.Say, f.Hint = "expired: "+strings.Join(over, ", "), "socrates login "+over[0]
	default:
		f.OK, f.Say = true, fmt.Sprintf("%d saved: %s", len(kept), strings.Join(kept, ", "))
	}
	return f, err != nil || len(kept) > 0
}

// examineSeat reports what Discover found, and tries the seat on request.
func examineSeat(ctx context.Context, a *call.Call, s home.Found, try bool) finding {
	f := finding{Name: s.Spec, OK: s.Ready, Say: s.Why, Hint: "sign in to use it"}
	if s.Version != "" {
		f.Say += "; version " + s.Version
	}
	if !s.Ready {
		return f
	}
	if !try {
		f.Say += ", not tried"
		return f
	}
	return trySession(ctx, a, s.Spec, f)
}

// tryTime limits each turn of a seat that is tried.
const tryTime = time.Minute

// trySession lets the seat take two turns of one session, and adds the result to f. Two turns show what a person pays
// for: programs are slow to start and fast afterwards.
func trySession(ctx context.Context, a *call.Call, spec string, f finding) finding {
	fail := func(turn string, err error) finding {
		f.OK, f.Say, f.Hint = false, turn+" "+a.Out.Clean(failure.Explain(err).Message), remedy(err, spec)
		return f
	}
	bare, _, err := a.Home.Seats.Persona(spec)
	if err != nil {
		return fail("cannot be used:", err)
	}
	m, err := a.Home.Seats.Solo(ctx, bare)
	if err != nil {
		return fail("cannot be used:", err)
	}
	if c, ok := m.(io.Closer); ok {
		defer c.Close()
	}
	req := llm.Request{Session: "doctor", MaxTokens: 1000}
	var used cost.Usage
	for _, turn := range []struct {
		name string
		took *int64
	}{{"the first turn failed:", &f.ColdMS}, {"the second turn failed:", &f.WarmMS}} {
		req.Messages = append(req.Messages, llm.UserText("Reply with the single word: ready"))
		start := time.Now()
		turnCtx, cancel := context.WithTimeoutCause(ctx, tryTime, &trouble.Error{Kind: trouble.Stall,
			Message: "no answer within " + tryTime.String()})
		end, took, err := meter.Ask(turnCtx, m, req)
		// The cause says that the seat was silent, which the error of the call does not.
		if err != nil && ctx.Err() == nil && turnCtx.Err() != nil {
			err = context.Cause(turnCtx)
		}
		cancel()
		if err != nil {
			return fail(turn.name, err)
		}
		*turn.took = max(1, time.Since(start).Milliseconds())
		used = used.Add(took)
		req.Messages = append(req.Messages, end.Message)
	}
	f.Say += fmt.Sprintf("; first turn %s, second turn %s, %s", milliseconds(f.ColdMS), milliseconds(f.WarmMS), used.Dollars(5))
	return f
}

// milliseconds formats a time for people.
func milliseconds(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// remedy suggests what to do about a seat that failed. It knows only kinds of failure, not vendors.
func remedy(err error, spec string) string {
	if f, ok := errors.AsType[*failure.Error](err); ok {
		return cmp.Or(f.Hint, "list seats with: socrates seats")
	}
	name, _, _ := strings.Cut(spec, ":")
	switch trouble.As(err).Kind {
	case trouble.Auth:
		return "sign in again, or check the API key of " + name
	case trouble.Quota:
		return "the account's quota is used up: raise the limit, wait for the reset, or use another seat"
	case trouble.RateLimit, trouble.Overloaded:
		return "the vendor is overloaded: try again later"
	case trouble.Network:
		return "check the network connection and the proxy settings"
	case trouble.Stall:
		return "run " + name + " on its own: it may be waiting for a sign-in or an answer"
	case trouble.Crash, trouble.Malformed:
		return "run " + name + " on its own to see its error, or try another version"
	case trouble.BadRequest, trouble.Context:
		return "the model may not exist or not be available to this account; name another: " + name + ":MODEL"
	}
	return "try it with: socrates seats try " + spec
}
