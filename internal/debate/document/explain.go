package document

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// Explained shows how each number of a result is computed, after a notice for a rehearsal and the options' texts.
func Explained(res debate.Result) string {
	var b strings.Builder
	if res.Notice() != "" {
		b.WriteString("Rule-based, not a measure of anything: no model took part. The numbers show\n" +
			"how a verdict is computed, not how likely an option is.\n\n")
	}
	if len(res.Options) > 0 {
		b.WriteString("Options\n")
		for _, o := range res.Options {
			fmt.Fprintf(&b, "  %-2s %s\n", o.Key, o.Text)
		}
		b.WriteString("\n")
	}
	return b.String() + verdict.Explain(res.Ledger(), res.Rules)
}
