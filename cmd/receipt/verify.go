// Package receipt holds the command that verifies the record of a debate, from any place.
//
// verify needs no store, project or model: everything is in the file. It says which parts follow from the record and
// which do not, and with --sha256 whether the record is the one that somebody else has. That a vendor answered as
// recorded cannot be verified here; the report lists what each vendor told instead.
//
// Exit codes: 0 verified, 1 something does not follow from the record, 2 no record or a wrong argument, 10 the record
// holds but the file was written by a version that words things differently.
package receipt

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	debates "github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/web"
)

// Command returns the command verify.
func Command(rooms *room.Rooms) *cobra.Command {
	var hash string
	c := &cobra.Command{Use: "verify FILE|ROOM|URL", Short: "Verify the record of a debate, without its store",
		Long: `Recompute a decision from its record: votes and claims from the seats' replies, judgements and
controls from the judges' replies, draws from their secret key, quotes from the recorded lines,
and the verdict from all of these, byte for byte. No model is asked and no project is needed.

FILE or URL is an export (record, json or html); ROOM is a debate in your store. A hash inside a
file detects accidents and partial edits. To detect a forger who recomputes it, compare the hash with
that of somebody else's copy: --sha256.

Exit code 1: something does not follow from the record. 2: the file contains no record.
10: the record is valid, but another version wrote the file's text, which could not be compared with it.`,
		Example: `  socrates verify debate.html
  socrates verify https://example.com/debate.json --sha256 4f1c09a2b7de
  socrates verify last --output json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("verify takes one file, debate or URL",
					"export a debate: socrates debate export last --format html --out debate.html")
			}
			return nil
		}}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		names, _ := rooms.CompleteOne(c, args, begun)
		return names, cobra.ShellCompDirectiveDefault // and files
	}
	c.Flags().StringVar(&hash, "sha256", "", "expected `hash` of the record, or its first 12 digits or more")
	c.RunE = func(c *cobra.Command, args []string) error {
		if h := strings.ToLower(hash); hash != "" && (len(h) < 12 || len(h) > 64 || strings.Trim(h, "0123456789abcdef") != "") {
			return failure.Usage("--sha256 must be 12 to 64 hexadecimal digits", "the decision names it: socrates debate show ROOM")
		}
		r, err := record(c.Context(), rooms, args[0])
		if err != nil {
			return err
		}
		report, err := receipt.Verify(c.Context(), r, rooms.Reader(hash))
		if err != nil {
			return err
		}
		return tell(rooms.Out, args[0], report)
	}
	return c
}

// record reads the record of a URL, a file, or a debate of the store. A file wins over a debate of the same name.
// What looks like a path is never looked up in the store.
func record(ctx context.Context, rooms *room.Rooms, name string) (receipt.Record, error) {
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return fetch(ctx, rooms, name)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		if info.Size() > receipt.Most {
			return receipt.Record{}, failure.Usage(name+" is too large to be a record", "")
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return receipt.Record{}, err
		}
		return receipt.Open(name, raw)
	} else if err == nil {
		return receipt.Record{}, failure.Usage(name+" is a folder", "name its debate.json")
	} else if strings.ContainsAny(name, `./\`) {
		return receipt.Record{}, err
	}
	e, root, err := rooms.Find(ctx, name)
	if err != nil {
		return receipt.Record{}, err
	}
	if name, err = rooms.Name(ctx, e, name); err != nil {
		return receipt.Record{}, err
	}
	if info, err := debates.In(e).Info(ctx, name); err == nil && !info.Ended {
		return receipt.Record{}, debates.Unended(ctx, debates.In(e), info.Room)
	}
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return receipt.Record{}, err
	}
	r := receipt.Record{Nodes: nodes, Texts: map[string]string{}}
	open := room.Texts(ctx, e)
	for _, n := range nodes {
		for _, hash := range receipt.Named(n) {
			if text, ok := open(hash); ok {
				r.Texts[hash] = text
			}
		}
	}
	return r, nil
}

// fetch reads a record from another machine. The person named its address; a redirect must lead to the public
// internet or to a host they allowed. The record is data wherever it comes from; web.Client checks only where it may
// be fetched from, at each redirect.
func fetch(ctx context.Context, rooms *room.Rooms, name string) (receipt.Record, error) {
	u, err := web.Parse(name)
	if err != nil {
		return receipt.Record{}, failure.Usage(name+": "+err.Error(), "")
	}
	c, err := rooms.Home.Settings.Load()
	if err != nil {
		return receipt.Record{}, err
	}
	client := web.Client{Most: mostFetched, May: func(context.Context, *url.URL) error { return nil },
		Inner: web.Inner(c.Strings("fetch.inner"))}
	page, err := client.Get(ctx, u)
	if err == nil && page.Cut {
		err = fmt.Errorf("it is larger than %d MB", mostFetched>>20)
	}
	if err != nil {
		return receipt.Record{}, failure.New(failure.ExitFailed, "fetch", "cannot fetch "+name+": "+plain.Text(err.Error()),
			"for hosts on your own network, add "+u.Host+" to fetch.inner")
	}
	return receipt.Open(name, page.Body)
}

// mostFetched is the largest record fetched from another machine, in bytes.
const mostFetched = 64 << 20

// tell prints a report and returns the error that carries its exit code, so a program gets both.
func tell(o *out.Out, name string, r receipt.Report) error {
	if o.Format != "text" {
		if err := o.JSON(r); failure.Unread(err) != nil {
			return err
		}
	} else {
		fmt.Fprint(o, text(r))
	}
	if r.Verified {
		return nil
	}
	if failed := r.Failed(); len(failed) > 0 {
		return failure.New(failure.ExitFailed, "differs", name+" was modified or is incomplete: "+strings.Join(failed, ", "),
			"get it again from where it was exported: socrates debate export "+r.Room+" --format html")
	}
	return failure.New(failure.ExitNone, "unknown", "the text of "+name+" was written by another version and was not compared",
		fmt.Sprintf("go by the record's answer (%s), or verify it with the version that exported it", answer(r)))
}
