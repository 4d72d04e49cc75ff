package tree

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/export"
	"github.com/socrates-cli/socrates/internal/out"
)

// newExport returns the command export. Without --out the text goes to stdout; an existing file is replaced only with
// --force.
func newExport(a *commands) *cobra.Command {
	format, shown, at := "", "", ""
	c := &cobra.Command{Use: "export [TREE]", Short: "Export a branch or a whole conversation",
		Long: `Export the current branch as Markdown or HTML, or the whole conversation with all branches,
labels and outputs as json or jsonl, which tree import reads.`,
		Example: `  socrates tree export > talk.md
  socrates tree export --out talk.json`}
	c.Flags().StringVar(&format, "format", "", "md, html, json or jsonl (default: by the ending of --out, else md)")
	c.Flags().StringVar(&shown, "out", "", "write to this `file` instead of stdout")
	c.Flags().StringVar(&at, "at", "", "export up to this `node` (md and html)")
	a.ForceFlag(c)
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		// Check before reading: a long export should not fail at its end.
		if err := a.Writable(shown); err != nil {
			return err
		}
		if a.Out.Format == "json" && shown == "" {
			format = cmp.Or(format, "json")
		}
		form := call.Format(format, shown, "md", map[string]string{".jsonl": "jsonl"})
		text, err := export.Conversation(ctx, e, t, form, at)
		if err != nil {
			return err
		}
		if shown != "" {
			return out.WriteFile(shown, a.Out.Clean(text))
		}
		_, err = fmt.Fprint(a.Out, text)
		return err
	})
}
