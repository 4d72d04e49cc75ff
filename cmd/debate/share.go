package debate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// newShare returns the command share. It sends nothing; it verifies the file after writing it, as a reader will.
func newShare(a *commands) *cobra.Command {
	var file string
	c := &cobra.Command{Use: "share ROOM", Short: "Write a debate as one HTML file for others",
		Long: `Write one HTML file with the decision and its whole record. It loads nothing, runs nothing and
opens offline. Whoever receives it can verify it without your project: socrates verify FILE.
Nothing is sent. Without --out, the file is written next to the store, not into the project.

The record includes everything the seats were shown and said, including the project files in their
context. Lines that look personal or secret are listed.`,
		Example: `  socrates debate share last
  socrates debate share cache-mutex-channel-xezw --out review/cache.html`,
		Args: room.One, ValidArgsFunction: a.rooms.CompleteOne}
	c.Flags().StringVar(&file, "out", "", "write to this `file` (default: shared/ROOM.html beside the store)")
	a.ForceFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error { return a.share(c.Context(), args[0], file) }
	return c
}

// shared is the output of `debate share` for a program.
type shared struct {
	File     string `json:"file"`
	Bytes    int    `json:"bytes"`
	Record   string `json:"record_sha256"`
	Context  int    `json:"context_bytes"` // size of what every seat was shown
	Doubtful int    `json:"doubtful"`      // lines of it that look personal or secret
}

// The order matters: what cannot be shared is refused first, the file is written and read back, and only then the
// person is told its path and which lines of the context they may not want to pass on.
func (a *commands) share(ctx context.Context, name, file string) error {
	e, root, err := a.rooms.Find(ctx, name)
	if err != nil {
		return err
	}
	res, err := rooms.In(e).Result(ctx, root)
	if err != nil {
		return err
	}
	if !res.Ended {
		return failure.New(failure.ExitFailed, "refused", res.Room+" has not ended: there is no decision to share",
			"watch it: socrates debate show "+res.Room+" --follow; if it was stopped: socrates debate resume "+res.Room)
	}
	if file == "" {
		if file, err = a.sharedFile(res.Room); err != nil {
			return err
		}
	} else if err := a.Writable(file); err != nil {
		return err
	}
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	text, err := a.withRecord(ctx, e, nodes, res, "html")
	if err != nil {
		return err
	}
	if err := out.WriteFile(file, text); err != nil {
		return err
	}
	if err := a.readBack(ctx, file, res); err != nil {
		return err
	}
	s := shared{File: file, Bytes: len(text), Record: res.Record}
	for _, c := range table.ContextKind.All(nodes) {
		given, _ := e.Text(ctx, c.Text)
		s.Context += len(given)
		s.Doubtful += a.doubt(given)
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(s)
	}
	a.Out.Tell(fmt.Sprintf("Wrote %s (%d kB). It contains the decision, %d seats' prompts and answers, and the %d kB of context they were "+
		"shown.\nIts reader verifies it with: socrates verify %s --sha256 %.12s\n",
		file, (s.Bytes+999)/1000, len(res.Seats), (s.Context+999)/1000, file, res.Record))
	return nil
}

// sharedFile returns the default place of a shared debate: a folder of ours, so that no later debate takes it for a
// part of the project. It overwrites what an earlier call wrote there.
func (a *commands) sharedFile(room string) (string, error) {
	store, err := a.Home.Settings.StoreFile()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(store), "shared")
	return filepath.Join(dir, room+".html"), os.MkdirAll(dir, 0o700)
}

// readBack verifies the written file, as its reader will.
func (a *commands) readBack(ctx context.Context, file string, res debate.Result) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := receipt.Open(file, raw)
	if err != nil {
		return err
	}
	// What we cannot verify, its reader cannot either.
	report, err := receipt.Verify(ctx, r, a.rooms.Reader(res.Record))
	if err == nil && !report.Verified {
		err = failure.New(failure.ExitFailed, "record", "the record of "+res.Room+" does not verify",
			"see what fails: socrates verify "+file)
	}
	return err
}

// doubt prints the lines of a text that a person may not want to pass on, and counts them.
func (a *commands) doubt(text string) (n int) {
	for _, f := range project.Lint(text) {
		if f.Kind == project.Secret || f.Kind == project.Personal {
			n++
			a.Out.Warn(fmt.Sprintf("context line %d: %s %q: %s", f.Line, f.Kind, f.Word, f.Why))
		}
	}
	return n
}
