package call

import (
	"fmt"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
)

// ShowDecision shows a decision to a person: each part in full, with invisible characters made visible. Invisible
// characters can make a person approve something else than they read, so Reveal writes them out.
func ShowDecision(a *Call, d permission.Decision, mode permission.Mode) {
	width := out.Columns(os.Stdout) - 1
	if d.Verdict == permission.Ask && d.Waits() {
		fmt.Fprintf(a.Out, "may start in mode %s; the rest is decided while it runs\n", mode)
	} else {
		fmt.Fprintf(a.Out, "%s in mode %s\n", d.Verdict, mode)
	}
	if len(d.Parts) == 0 {
		fmt.Fprintf(a.Out, "\n       %s\n", out.Wrap(clean.Reveal(d.Reason), width-7, "       "))
	}
	for _, p := range d.Parts {
		text := strings.ReplaceAll(clean.Reveal(p.Text), "\n", "\n       ")
		fmt.Fprintf(a.Out, "\n%-5s  %s\n", p.Verdict, text)
		lines := []string{p.Reason}
		if p.Rule != "" {
			lines = append(lines, "by: "+p.Rule)
		}
		if p.Lost != "" && !strings.Contains(p.Reason, p.Lost) {
			lines = append(lines, "cannot be undone: "+p.Lost)
		}
		if p.Later {
			lines = append(lines, "decided again when the value is known")
		}
		for _, l := range lines {
			fmt.Fprintf(a.Out, "       %s\n", out.Wrap(clean.Reveal(l), width-7, "       "))
		}
	}
}
