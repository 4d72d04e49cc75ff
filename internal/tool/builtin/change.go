package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// step is one file's part of a change: what happens to it, and what a person sees about it.
type step struct {
	folder.Change
	text string // a diff, or its new place
	lost string // what cannot be restored
}

// known reads the file name before it is changed. An existing file must be a text file whose current state the model
// has seen: an edit from a wrong memory would undo somebody else's change. A person who calls the tool by hand need
// not have read it.
func known(f *folder.Folder, env tool.Env, name string) (folder.File, error) {
	if name == "" {
		return folder.File{}, errors.New("path is empty")
	}
	was, err := f.Look(name)
	if err != nil || !was.There {
		return was, err
	}
	if !folder.Text(was.Body) {
		return was, &folder.Error{Path: name, Reason: folder.Binary}
	}
	switch ever, now := seen(env).Knows(was.Path, was.Body); {
	case env.ByHand && !ever:
	case !ever:
		return was, fmt.Errorf("%s: read the file before you write to it", clean.Line(name))
	case !now:
		return was, fmt.Errorf("%s: it changed since you read it: read it again first", clean.Line(name))
	}
	return was, nil
}

// apply asks for all steps at once, makes them, and returns what they changed. show and its arguments are the line
// for a person. Nothing is written if the person says no, or if a file has changed since it was read.
//
// The steps are one decision: a person sees all of the difference or nothing. Files are checked again as they are
// written, so that a change by somebody else in between is not overwritten. What was written counts as seen.
func apply(ctx context.Context, f *folder.Folder, env tool.Env, steps []step, text, show string, args ...any) (tool.Output, error) {
	if err := elided(steps); err != nil {
		return tool.Output{}, err
	}
	acts, changes := make([]tool.Act, len(steps)), make([]folder.Change, len(steps))
	out := output(text, show, args...)
	var diff strings.Builder
	for i, s := range steps {
		acts[i] = tool.Act{Effect: tool.Writes, Path: s.Was.Path, Text: s.text, Lost: s.lost}
		changes[i] = s.Change
		diff.WriteString(s.text)
		out.Wrote = append(out.Wrote, s.Was.Name)
	}
	if err := env.May(ctx, acts...); err != nil {
		return tool.Output{}, err
	}
	if err := f.Apply(changes...); err != nil {
		return tool.Output{}, err
	}
	for _, s := range steps {
		if s.Gone {
			seen(env).Forget(s.Was.Path)
		} else {
			seen(env).Note(s.Was.Path, s.Now)
		}
	}
	out.Diff = diff.String()
	return out, nil
}

// rewrite returns the step that gives a file, which may not exist yet, the content now.
func rewrite(was folder.File, now string) step {
	from, to := "a/"+was.Name, "b/"+was.Name
	if !was.There {
		from = "/dev/null"
	}
	return step{Change: folder.Change{Was: was, Now: []byte(now)}, text: unified(from, to, string(was.Body), now)}
}
