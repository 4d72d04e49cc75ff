package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/redact"
)

// version is set by the release build.
var version = ""

// Version is the program's version: the release, or the commit it was built from.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		if a.format != "text" {
			return a.printJSON(map[string]string{"version": Version()})
		}
		fmt.Fprintln(a.out, "socrates "+Version())
		return nil
	}}
}

func newRedact(a *app) *cobra.Command {
	return &cobra.Command{Use: "redact [FILE]", Short: "Show what the redactor makes of a text, from stdin or a file",
		Long: `Everything that leaves this program goes through one redactor: what is printed, what is stored,
what is recorded and what seats are shown. This command shows what it does.`,
		Args: cobra.MaximumNArgs(1), RunE: func(_ *cobra.Command, args []string) error {
			in := io.Reader(a.in)
			if len(args) == 1 {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			w := redact.New(append(redact.FromEnviron(os.Environ()), a.keys...)...).Writer(os.Stdout)
			if _, err := io.Copy(w, in); err != nil {
				return err
			}
			return w.Close()
		}}
}

func marshalIndent(v any) (string, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	return string(raw) + "\n", err
}
