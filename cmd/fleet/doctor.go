package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/release"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// doctor returns the command that checks a hub. It fails only for what tasks cannot continue without.
func (c *commands) doctor() *cobra.Command {
	return &cobra.Command{Use: "doctor", Short: "Check the hub and suggest fixes", Args: cobra.NoArgs,
		Long: `Check the hub of this store: its table of tasks and its queue, certificate, ports, disk space, backup,
and the clocks and versions of its workers. If no hub is running, check its files on disk.

Exit code 1 if something is marked BAD: no task can run without it.`,
		Example: `  socrates hub doctor
  socrates hub doctor --output json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := c.Home.Settings.StoreFile()
			if err != nil {
				return err
			}
			all := examine(cmd.Context(), socket.NewClient(filepath.Dir(path)))
			bad := false
			for _, f := range all {
				if bad = bad || f.Must && !f.OK; c.Out.Format == "text" {
					fmt.Fprint(c.Out, f.Lines(os.Stdout))
				}
			}
			if c.Out.Format != "text" {
				if err := c.Out.JSON(map[string]any{"ok": !bad, "findings": all}); err != nil {
					return err
				}
			}
			if bad {
				return failure.New(failure.ExitFailed, "doctor", "a required check failed (marked BAD above)", "")
			}
			return nil
		}}
}

// examine checks a hub by its own report, or else by its files on disk.
func examine(ctx context.Context, client *socket.Client) (all []call.Finding) {
	dir := filepath.Join(client.Dir, "hub")
	h, err := client.Health(ctx)
	if err != nil {
		f := call.Finding{Name: "hub", Must: true, Say: "not running", Hint: "start it: socrates hub"}
		if !socket.Away(err) {
			f.Say, f.Hint = err.Error(), "see its log: socrates hub --log-level info"
		}
		all = append(all, f)
		if _, err := os.Stat(filepath.Join(dir, "hub.db")); err == nil {
			sound, err := lease.Look(ctx, filepath.Join(dir, "hub.db"))
			sound.Sync = full
			all = append(all, examineTable(sound, err))
		}
		return append(all, examineSpace(dir), examineBackup(dir, time.Now()))
	}
	workers, err := client.Workers(ctx)
	tasks, bad := client.Tasks(ctx)
	all = append(all, call.Finding{Name: "hub", OK: true, Must: true, Say: "socrates " + h.Build}, examineTable(h.Table, nil),
		examineQueue(h), examineTasks(tasks, errors.Join(err, bad), h.Lease), examineCertificate(h), examinePorts(h), examineNATS(h))
	all = append(all, examineWorkers(workers, h)...)
	return append(all, examineSpace(dir), examineBackup(dir, h.Now))
}

// full is the value of synchronous at which a commit survives a power cut.
const full = 2

func examineTable(s lease.Soundness, err error) call.Finding {
	f := call.Finding{Name: "table", Must: true}
	switch {
	case err != nil:
		f.Say, f.Hint = "the table of tasks cannot be checked: "+err.Error(), restore
	case len(s.Faults) > 0:
		f.Say, f.Hint = "the table of tasks is damaged: "+strings.Join(s.Faults, "; "), restore
	case s.Sync != full || s.Journal != "wal":
		f.Say = fmt.Sprintf("synchronous is %d and journal_mode %s: a power cut may lose the last tasks", s.Sync, s.Journal)
		f.Hint = "restart the hub; it sets FULL and wal"
	default:
		f.OK, f.Say = true, "sound, synchronous=FULL, "+call.Megabytes(s.Bytes)
	}
	return f
}

const restore = "stop the hub and restore the backup: docs/hub.md, Backup"

func examineQueue(h socket.Health) call.Finding {
	f := call.Finding{Name: "queue", Must: true}
	switch {
	case h.Queue != "":
		f.Say, f.Hint = h.Queue, "restart the hub; if that does not help, stop it and delete hub/bus/jetstream, "+
			"which the hub fills again from the table"
		if !h.Own {
			f.Hint = "look at the NATS cluster: nats server report jetstream"
		}
	case len(h.Missing) > 0:
		f.Must = false
		f.Say = out.Count(len(h.Missing), "waiting task") + " not in the queue"
		f.Hint = "wait " + (h.Lease / 2).String() + ": the hub puts them back"
	default:
		f.OK, f.Say = true, out.Count(h.Queued, "task")+" in the queue; none is missing there"
	}
	return f
}

func examineTasks(list []lease.Unfinished, err error, term time.Duration) call.Finding {
	f := call.Finding{Name: "tasks"}
	if err != nil {
		f.Say = err.Error()
		return f
	}
	held, silent, paused := 0, []string(nil), 0
	for _, t := range list {
		switch {
		case t.State == "paused":
			paused++
		case t.Worker != "" && t.Silent > term:
			silent = append(silent, t.Name+" ("+t.Worker+")")
		case t.Worker != "":
			held++
		}
	}
	f.OK = len(silent) == 0
	f.Say = fmt.Sprintf("%d running, %d waiting, %d paused", held, len(list)-held-paused-len(silent), paused)
	if !f.OK {
		f.Say += fmt.Sprintf("; %d held by workers not heard from for %s: %s", len(silent), term, strings.Join(silent, ", "))
		f.Hint = "another worker with that seat takes them; without one, start the worker again"
	}
	return f
}

// soon is how long before its end a certificate should have been renewed.
const soon = 20 * 24 * time.Hour

func examineCertificate(h socket.Health) call.Finding {
	f := call.Finding{Name: "certificate", Must: true}
	left := h.CertificateEnds.Sub(h.Now)
	f.Say = fmt.Sprintf("valid until %s, its authority until %s",
		h.CertificateEnds.Format(time.DateOnly), h.AuthorityEnds.Format(time.DateOnly))
	f.OK = left > soon && h.AuthorityEnds.Sub(h.Now) > soon
	switch {
	case h.AuthorityEnds.Sub(h.Now) <= soon:
		f.Hint = "stop the hub, move hub/bus away, start it, and invite every worker again"
	case left > 0:
		f.Must, f.Hint = false, "the next connection renews it; if this message remains, check that hub/bus is writable"
	default:
		f.Hint = "check this machine's clock and that hub/bus is writable; then restart the hub"
	}
	return f
}

func examinePorts(h socket.Health) call.Finding {
	f := call.Finding{Name: "ports", OK: len(h.Unreachable) == 0, Say: strings.Join(h.URLs, ", ") + " and " + h.Web}
	if !f.OK {
		f.Say = "not reachable from this machine: " + strings.Join(h.Unreachable, "; ")
		f.Hint = "start the hub under a name that workers can resolve: socrates hub --host NAME; and open both ports in the firewall"
	}
	return f
}

func examineNATS(h socket.Health) call.Finding {
	f := call.Finding{Name: "nats", Say: "inside the hub, " + h.NATS}
	if !h.Own {
		f.Say = "a cluster of your own, " + h.NATS
	}
	if f.OK = release.AtLeast(h.NATS, release.NATS); !f.OK {
		f.Say, f.Must = f.Say+": older than "+release.NATS+", with known vulnerabilities", true
		f.Hint = "upgrade the servers to " + release.NATS + " or newer"
	}
	return f
}

// drift is how far a worker's clock may be off. Leases do not depend on it; certificates do, and people who read logs.
const drift = 30 * time.Second

// examineWorkers returns a finding for all workers, and one for each wrong clock or version.
func examineWorkers(list []socket.Worker, h socket.Health) (all []call.Finding) {
	states := map[string]int{}
	for _, w := range list {
		states[w.State]++
		if w.Ahead > drift || w.Ahead < -drift {
			all = append(all, call.Finding{Name: "clock", Say: fmt.Sprintf("the clock of %s is %s off", w.Name, w.Ahead.Round(time.Second)),
				Hint: "synchronize it: certificates are checked against it, so a worker whose clock is weeks off cannot connect"})
		}
		if w.Offer.Build != "" && w.Offer.Build != h.Build && w.State != "revoked" {
			all = append(all, call.Finding{Name: "version", Say: fmt.Sprintf("%s runs %s, the hub %s", w.Name, w.Offer.Build, h.Build),
				Hint: "upgrade it soon: workers more than one release apart are refused"})
		}
	}
	f := call.Finding{Name: "workers", OK: states["connected"] > 0, Say: fmt.Sprintf("%d connected, %d paused, %d away, %d invited",
		states["connected"], states["paused"], states["away"], states["invited"])}
	if !f.OK {
		f.Hint = "invite one: socrates hub invite NAME; or restart one on its machine: socrates worker"
	}
	return append([]call.Finding{f}, all...)
}

// With less space than least a hub may not be able to commit; with less than some it needs attention.
const least, some = 100 << 20, 2 << 30

func examineSpace(dir string) call.Finding {
	f := call.Finding{Name: "disk", Must: true}
	free, err := workspace.Free(dir)
	if errors.Is(err, fs.ErrNotExist) {
		free, err = workspace.Free(filepath.Dir(dir))
	}
	if err != nil {
		f.Must, f.Say = false, "cannot tell the free space at "+dir+": "+failure.Because(err)
		return f
	}
	f.Say = fmt.Sprintf("%.1f GB free at %s", float64(free)/(1<<30), dir)
	f.OK, f.Must = free >= some, free < least
	if !f.OK {
		f.Hint = "free some: without space, no task is assigned and no answer is saved; workers keep their answers and deliver them later"
	}
	return f
}

// examineBackup looks for the files of litestream beside a database.
func examineBackup(dir string, now time.Time) call.Finding {
	f := call.Finding{Name: "backup"}
	last, found := time.Time{}, false
	filepath.WalkDir(filepath.Join(dir, ".hub.db-litestream"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		found = true
		if info, err := d.Info(); err == nil && !d.IsDir() && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	written := time.Time{}
	for _, name := range []string{"hub.db", "hub.db-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(written) {
			written = info.ModTime()
		}
	}
	switch {
	case !found:
		f.Say, f.Hint = "none found beside the hub", "run litestream: docs/hub.md, Backup"
	case written.Sub(last) > 10*time.Minute && now.Sub(written) > time.Minute:
		f.Say = "litestream copied last " + out.Ago(last) + ", and the hub has written since"
		f.Hint = "see whether it runs: litestream status"
	default:
		f.OK, f.Say = true, "litestream copied last "+out.Ago(last)
	}
	return f
}
