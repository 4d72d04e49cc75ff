package setup

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/build"
)

// newVersion is the command version.
func newVersion(a *call.Call) *cobra.Command {
	sbom := false
	c := &cobra.Command{Use: "version", Short: "Print version, commit and date",
		Long: `Print the version, the commit it was built from and that commit's date. --sbom prints the modules
in this program, as an SPDX 2.3 document.`,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
			here := build.Here()
			// A program built without build information prints its version instead.
			if recorded, ok := debug.ReadBuildInfo(); sbom && ok {
				text, err := build.SBOM(here, recorded)
				if err == nil {
					_, err = a.Out.Write(text)
				}
				return err
			}
			if a.Out.Format != "text" {
				return a.Out.JSON(here)
			}
			fmt.Fprintln(a.Out, "socrates "+here.String())
			return nil
		}}
	c.Flags().BoolVar(&sbom, "sbom", false, "print the modules in this program (SPDX)")
	return c
}

// newRedact returns the command redact. It bypasses Out, because the text must come out unchanged except for the
// secrets.
func newRedact(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "redact [FILE]", Short: "Preview secret redaction",
		Long: `Everything Socrates prints, stores, records or sends to a model goes through one redactor. This
command runs it on text from stdin or a file. It redacts:

  - keys given to Socrates and secret environment variables, also in base64, URLs, JSON
  - tokens and keys with a known vendor's format, also inside base64
  - values assigned to names such as API_TOKEN or dbPassword: in code, commands, JSON,
    YAML, XML, SQL, headers, URLs and logs

Placeholders (YOUR_KEY, xxxx), references ($TOKEN, getToken()), hashes and identifiers are kept. A password made
of ordinary words is recognized only if the syntax leaves no doubt, as in DB_PASSWORD=correct-horse.`,
		Args: cobra.MaximumNArgs(1), RunE: func(_ *cobra.Command, args []string) error {
			in := io.Reader(a.In)
			if len(args) == 1 {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			w := a.Out.Redactor().Writer(os.Stdout)
			if _, err := io.Copy(w, in); err != nil {
				return err
			}
			return w.Close()
		}}
}
