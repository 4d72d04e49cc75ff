package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// codexWork is the state of a turn that has leave to work. Under the approval policy untrusted the program asks
// before every command and every change of files; its own sandbox cannot run inside ours. Observed with 0.169.0, and
// as its app-server describes itself (codex app-server generate-json-schema), November 2026.
type codexWork struct {
	leave func(context.Context, llm.Call) error // nil: the program only reads
	items map[string]codexItem                  // items that have begun and not ended, by id
	why   map[string]string                     // why we refused: the protocol carries no reason to the program
}

// newCodexWork returns the state at the start of a turn.
func newCodexWork(req llm.Request) codexWork {
	return codexWork{leave: req.Leave, items: map[string]codexItem{}, why: map[string]string{}}
}

// prepareCodex gives a program that works a state folder of its own, with the person's login and configuration. The
// program renews the login in place (as of 0.169.0), so the link stays.
func prepareCodex(h *home, o Options, req llm.Request) ([]string, error) {
	if req.Leave == nil {
		return nil, nil
	}
	const folder = ".codex"
	theirs := cmp.Or(o.Home, codexFolder(environment().with(o.Env)))
	h.link(theirs, folder, "auth.json")
	h.copy(theirs, folder, "config.toml", "AGENTS.md")
	h.files = append(h.files, sandbox.File{Name: folder, Dir: true}) // it must exist
	return []string{"CODEX_HOME=" + filepath.Join(h.dir, folder)}, nil
}

// codexWish is what we read of a request for an approval.
type codexWish struct{ Kind, ItemID, Command, Cwd string }

// permits answers a request for an approval. An item that was not reported as begun has nothing we could check, and
// is declined.
func (c *codexTalk) permits(ctx context.Context, l rpcLine) string {
	var w codexWish
	json.Unmarshal(l.Params, &w) // an unreadable request names no item that we know
	item, begun := c.items[w.ItemID]
	if c.leave == nil || !begun || w.Kind != "" && w.Kind != "command" {
		return "decline"
	}
	if w.Command != "" {
		item.Command, item.Cwd = w.Command, w.Cwd
	}
	if err := c.leave(ctx, item.call(c.dir, true)); err != nil || ctx.Err() != nil {
		c.why[w.ItemID] = "stopped before it began"
		if err != nil {
			c.why[w.ItemID] = err.Error()
		}
		return "decline"
	}
	return "accept"
}

// began records an item that may have a result.
func (c *codexTalk) began(i codexItem) {
	if c.leave != nil && (i.Type == "commandExecution" || i.Type == "fileChange") {
		c.items[i.ID] = i
	}
}

// ended reports the result of an item.
func (c *codexTalk) ended(i codexItem, say func(llm.Delta)) {
	if _, begun := c.items[i.ID]; !begun {
		return
	}
	delete(c.items, i.ID)
	call := i.call(c.dir, false)
	r := llm.Result{ID: call.ID, Name: call.Name, Text: i.AggregatedOutput, Failed: i.Status != "completed"}
	switch {
	case c.why[i.ID] != "":
		r.Text = c.why[i.ID]
	case i.Type == "fileChange":
		r.Text = i.Status
	}
	say(llm.Delta{Call: &call, Result: &r})
}

// left reports commands that still run when the turn ends. They end with the process. They are reported as failed,
// since nobody knows how far they came.
func (c *codexTalk) left(p *process, say func(llm.Delta)) {
	for _, i := range c.items {
		i.Status, i.AggregatedOutput, p.spent = "left", "it was still running when the turn ended, and was stopped", true
		c.ended(i, say)
	}
}

// codexChange is one file of a fileChange. For a new file Diff is its content.
type codexChange struct {
	Path, Diff string
	Kind       struct {
		Type     string
		MovePath string `json:"move_path"`
	}
}

// call converts an item to a call of ours; where includes the folder of a command.
func (i codexItem) call(dir string, where bool) llm.Call {
	if i.Type == "commandExecution" {
		args := map[string]any{"command": script(i.Command)}
		if where && i.Cwd != "" {
			args["dir"] = i.Cwd
		}
		return ourCall(dir, i.ID, "bash", args)
	}
	var diff strings.Builder
	var paths, gone []string
	for _, c := range i.Changes {
		name := within(dir, c.Path)
		switch {
		case c.Kind.Type == "delete":
			gone = append(gone, name)
			diff.WriteString("--- a/" + name + "\n+++ /dev/null\n")
		case c.Kind.Type == "add":
			paths = append(paths, name)
			lines := strings.ReplaceAll(strings.TrimSuffix(c.Diff, "\n"), "\n", "\n+")
			diff.WriteString("--- /dev/null\n+++ b/" + name + "\n+" + lines + "\n")
		default:
			paths = append(paths, name)
			if c.Kind.MovePath != "" {
				gone = append(gone, name)
				paths[len(paths)-1] = within(dir, c.Kind.MovePath)
			}
			diff.WriteString("--- a/" + name + "\n+++ b/" + paths[len(paths)-1] + "\n" + c.Diff)
		}
	}
	args := map[string]any{"diff": diff.String()}
	if len(paths) == 1 {
		args["path"] = paths[0]
	} else if len(paths) > 1 {
		args["paths"] = paths
	}
	if len(gone) > 0 {
		args["deletes"] = gone
	}
	return ourCall(dir, i.ID, "edit", args)
}

// script returns what a shell is given to run, as the program quotes it: /bin/bash -lc 'cat x'. Another command is
// returned as it is.
func script(command string) string {
	shell, rest, _ := strings.Cut(command, " ")
	flag, quoted, _ := strings.Cut(rest, " ")
	if name := path.Base(shell); name != "bash" && name != "sh" && name != "zsh" || flag != "-lc" && flag != "-c" || len(quoted) < 2 {
		return command
	}
	inner := quoted[1 : len(quoted)-1]
	switch {
	case quoted[0] == '\'' && quoted[len(quoted)-1] == '\'' && !strings.Contains(inner, "'"):
		return inner
	case quoted[0] == '"' && quoted[len(quoted)-1] == '"':
		if text, whole := unescaped(inner); whole {
			return text
		}
	case !strings.ContainsAny(quoted, " '\"\\$`"): // one word
		return quoted
	}
	return command
}

// unescaped returns a text that was in a shell's double quotes; false if the quotes ended early, or the shell expands
// part of it.
func unescaped(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case strings.IndexByte("\"$`", s[i]) >= 0:
			return "", false
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), true
}
