package builtin

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// readArgs is a file and a range of its lines.
type readArgs struct {
	Path string `json:"path" jsonschema:"the file, relative to the project folder"`
	From int    `json:"from,omitempty" jsonschema:"first line to show, from 1; default: 1"`
	To   int    `json:"to,omitempty" jsonschema:"last line to show; default: as many as fit"`
}

// widest is the longest line that is shown in full, in bytes.
const widest = 2000

// read is of effect Reads. A text file counts as seen in its current state, even if not all of it was shown: an edit
// names what it replaces, so nothing unseen is lost.
var _ = register(tool.New("read",
	"Shows a text file of the project with line numbers, a picture, a PDF or a notebook.", tool.Reads,
	func(ctx context.Context, args readArgs, env tool.Env) (tool.Output, error) {
		f, err := reach(ctx, env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		was, err := f.Look(args.Path)
		switch {
		case err != nil:
			return tool.Output{}, err
		case !was.There:
			return tool.Output{}, missing(ctx, f, args.Path)
		}
		if err := brought(ctx, env, f.Dir(), was.Name); err != nil {
			return tool.Output{}, err
		}
		if !folder.Text(was.Body) || attach.Document(was.Body) || attach.Notebook(was.Name) && args.From == 0 {
			return attached(was.Name, was.Body)
		}
		text, from, to, err := numbered(args.Path, folder.Lines(was.Body), args.From, args.To)
		if err == nil {
			seen(env).Note(was.Path, was.Body)
		}
		return output(text, "read %s:%d-%d", args.Path, from, to), err
	}))

// reach opens the project folder, or that of a skill elsewhere if the file is there.
func reach(ctx context.Context, env tool.Env, file string) (*folder.Folder, error) {
	f, err := open(env)
	if err != nil || env.SkillFolder == nil || !filepath.IsAbs(file) {
		return f, err
	}
	if _, err := f.Inside(file); err == nil {
		return f, nil
	}
	dir, ok := env.SkillFolder(ctx, file)
	if !ok {
		return f, nil
	}
	f.Close()
	return folder.Open(dir)
}

// attached shows a picture or PDF to models that accept them, and a notebook as its cells; anything else that is not
// text is refused.
func attached(name string, body []byte) (tool.Output, error) {
	f, err := attach.Read(path.Base(name), body)
	if err != nil {
		return tool.Output{}, &folder.Error{Path: name, Reason: folder.Binary, Detail: err.Error()}
	}
	var b strings.Builder
	if f.Text != "" {
		b.WriteString(f.Text + "[the cells of a notebook; for its JSON, which edits need, read with from=1]\n")
	}
	for _, a := range f.Attachments {
		b.WriteString(a.Label() + "\n")
	}
	out := output(b.String(), "read %s, %d KB", name, (len(body)+1023)>>10)
	out.Images = f.Attachments
	return out, nil
}

// numbered returns the lines from from to to, counted from 1, as far as they fit on a page, and which they are. from
// 0 means the beginning, to 0 the end.
func numbered(name string, lines []string, from, to int) (text string, first, last int, err error) {
	if len(lines) == 0 {
		return "The file is empty.\n", 0, 0, nil
	}
	from = max(from, 1)
	if to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return "", 0, 0, &folder.Error{Path: name, Reason: folder.Range, Detail: fmt.Sprintf("it has lines 1 to %d", len(lines))}
	}
	var p page
	next := from
	for next <= to && p.add("%6d\t%s", next, cut(lines[next-1], widest)) {
		next++
	}
	text = p.text.String()
	if next <= len(lines) {
		text += fmt.Sprintf("[lines %d to %d of %d; continue with from=%d]\n", from, next-1, len(lines), next)
	}
	return text, from, next - 1, nil
}
