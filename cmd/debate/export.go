package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// newExport returns the command export. All formats hold the same result; json and html also carry the record, so
// that others can verify them.
func newExport(a *commands) *cobra.Command {
	var format, text string
	c := &cobra.Command{Use: "export ROOM", Short: "Export a debate",
		Args: room.One, ValidArgsFunction: a.rooms.CompleteOne,
		Example: `  socrates debate export last --format json > debate.json
  socrates debate export last --out decision.html
  socrates debate export last --format folder --out debate/`}
	c.Flags().StringVar(&format, "format", "", "md, json, html, record or folder (default: by the ending of --out, else md)")
	c.Flags().StringVar(&text, "out", "", "write to this `path` (folder format: new or empty)")
	a.ForceFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, root, err := a.rooms.Find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.Out.Format == "json" && text == "" {
			format = cmp.Or(format, "json")
		}
		form := call.Format(format, text, "md", map[string]string{".jsonl": "record", "/": "folder"})
		return a.export(ctx, e, root, form, text)
	}
	return c
}

// It checks the target before it reads the debate, which may take a while, and replaces nothing without --force.
func (a *commands) export(ctx context.Context, e *engine.Engine, root tree.ID, format, shown string) error {
	// exportFolder checks a folder itself.
	if format != "folder" {
		if err := a.Writable(shown); err != nil {
			return err
		}
	}
	res, err := rooms.In(e).Result(ctx, root)
	if err != nil {
		return err
	}
	var text string
	switch format {
	// Markdown is for people and carries no record.
	case "md":
		text = a.Out.Clean(document.Of(res).Markdown())
	case "html", "json":
		nodes, err := e.Tree(ctx, root)
		if err != nil {
			return err
		}
		if text, err = a.withRecord(ctx, e, nodes, res, format); err != nil {
			return err
		}
	case "record":
		return a.exportRecord(ctx, e, root, res, shown)
	case "folder":
		return a.exportFolder(ctx, e, root, res, shown)
	default:
		return failure.Usage("--format "+format+" is not a valid format", "use md, json, html, record or folder")
	}
	if shown == "" {
		return a.Out.Raw(text)
	}
	return out.WriteFile(shown, text)
}

// withRecord formats a result as HTML or JSON with its record, so that a reader can verify it. It is clean.
func (a *commands) withRecord(ctx context.Context, e *engine.Engine, nodes []tree.Node, res debate.Result, format string) (string, error) {
	packed, err := receipt.Pack(nodes, room.Texts(ctx, e), a.Out.Clean)
	if err != nil {
		return "", err
	}
	if format == "html" {
		return receipt.Page(a.Out.Clean(document.Of(res).HTML()), packed, res.Record), nil
	}
	raw, err := out.Indented(struct {
		room.Object
		receipt.Attached
	}{room.NewObject(res), receipt.Attach()})
	return receipt.Fill(a.Out.Clean(raw), packed), err
}

// exportRecord writes the lines `--record` would have written.
// With --output stream-json the lines go to stdout as well.
func (a *commands) exportRecord(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result, text string) error {
	// Printing nodes as lines is what --output stream-json is for.
	if text == "" {
		return failure.Usage("--format record needs --out FILE", "")
	}
	rec, err := room.NewRecorder(a.rooms, text)
	if err != nil {
		return err
	}
	defer rec.Close()
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	if err := rec.All(nodes, room.Texts(ctx, e)); err != nil {
		return err
	}
	return rec.Finish(res)
}

// exportFolder writes the decision, the JSON, the context, and for each seat and question its prompt, steps and reply.
// Nodes come parents first, so a step always finds the folder of its question. The first failure is kept and nothing is
// written after it.
func (a *commands) exportFolder(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result, text string) error {
	if text == "" {
		text = res.Room
	}
	if entries, err := os.ReadDir(text); err == nil && len(entries) > 0 && !a.Force {
		return failure.Usage(text+" is not empty", "choose a new folder with --out, or replace its content with --force")
	}
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	w := folderWriter{a: a, dir: text}
	raw, err := a.withRecord(ctx, e, nodes, res, "json")
	if err != nil {
		return err
	}
	w.put("decision.md", document.Of(res).Markdown())
	w.keep("debate.json", raw)
	w.put("explain.txt", document.Explained(res))
	asks := map[tree.ID]string{}
	for _, n := range nodes {
		switch b := scene.RoomBody(n).(type) {
		case table.Context:
			w.blob(ctx, e, "context.md", b.Text)
		case exchange.Asked:
			asks[n.ID] = filepath.Join(parts(b.Key)...)
			w.blob(ctx, e, filepath.Join(asks[n.ID], "prompt.md"), b.Prompt)
			w.blob(ctx, e, filepath.Join(asks[n.ID], "system.md"), b.System)
		// A step's file is named by its node, so several of one question sort by their ids.
		case exchange.Step:
			w.put(filepath.Join(asks[n.Parent], "step-"+n.ID.Short()+".json"), string(n.Body))
		case exchange.Reply:
			w.reply(ctx, e, n, b)
		case scene.Addendum:
			w.reply(ctx, e, n, b.Reply)
		}
	}
	if w.err == nil {
		a.Out.Tell("Wrote " + text + ".\n")
	}
	return w.err
}

// parts makes a path of a key such as blind/0/claude: seat first, then act and round. Nothing in it can leave the
// folder: a key comes from a record, which somebody else may have written, so separators, dots at the ends and
// characters that Windows forbids are removed.
func parts(key string) []string {
	p := strings.Split(key, "/")
	for i := range p {
		p[i] = strings.Trim(strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
				return '-'
			}
			return r
		}, p[i]), ".")
	}
	// ACT/ROUND/SEAT.
	if len(p) == 3 {
		return []string{p[2], p[0] + "-" + p[1]}
	}
	return p
}

// folderWriter writes files below one folder until the first of them fails.
type folderWriter struct {
	a   *commands
	dir string
	err error
}

// reply writes an answer twice: as recorded, and its text.
func (w *folderWriter) reply(ctx context.Context, e *engine.Engine, n tree.Node, r exchange.Reply) {
	dir := filepath.Join(parts(r.Key)...)
	w.put(filepath.Join(dir, n.Kind+".json"), string(n.Body))
	w.blob(ctx, e, filepath.Join(dir, n.Kind+".txt"), r.Text)
}

// put writes a text after removing its secrets.
func (w *folderWriter) put(name, text string) { w.keep(name, w.a.Out.Clean(text)) }

// keep writes a text that is already clean.
func (w *folderWriter) keep(name, text string) {
	if w.err != nil || text == "" {
		return
	}
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.err = fmt.Errorf("export: %w", err)
		return
	}
	w.err = out.WriteFile(path, text)
}

// blob writes the text of a hash. A missing text is an error: an export with holes would look complete.
func (w *folderWriter) blob(ctx context.Context, e *engine.Engine, name, hash string) {
	if hash == "" || w.err != nil {
		return
	}
	text, err := e.Text(ctx, hash)
	if err != nil {
		w.err = errors.Join(w.err, err)
		return
	}
	w.put(name, text)
}
