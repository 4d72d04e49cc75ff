package work

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// mostPlan bounds the text of a plan.
const mostPlan = 4 << 20

// project returns the root of the current repository, or the folder itself.
func (a *commands) project() (string, error) {
	if a.AtHub() != nil {
		return a.Project()
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return "", err
	}
	return home.ProjectOf(dir)
}

// from finds what a run begins with: a run, whose name is returned, or a debate or a node of a conversation, for
// which op is filled in. Names are tried as a run, a debate and a conversation, in this order; only "not found"
// continues with the next.
func (a *commands) from(ctx context.Context, e *engine.Engine, name string, op *runs.Begin) (run string, err error) {
	name = strings.TrimSpace(name)
	if _, s, err := a.status(ctx, e, strings.TrimPrefix(name, "run/")); err == nil {
		return s.Frame.Run, nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	room := strings.TrimPrefix(name, rooms.Refs)
	// The engine does not know "last", so it is resolved first.
	if room == "last" {
		if room, err = a.rooms.Name(ctx, e, room); err != nil {
			return "", err
		}
	}
	if _, err := rooms.In(e).Room(ctx, room); err == nil {
		op.From = room
		return "", nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	// Without a node it is the head of the conversation.
	tree, at, _ := strings.Cut(name, ":")
	t, err := conversation.In(e).Open(ctx, tree)
	if errors.Is(err, store.ErrNotFound) {
		return "", failure.Usage("no run, debate or conversation named "+name,
			"name a run (socrates work list), a debate (socrates debate list) or a node of a conversation (TREE:NODE)")
	}
	if err != nil {
		return "", err
	}
	n, err := conversation.In(e).Locate(ctx, t, at)
	if err != nil {
		return "", err
	}
	return "", a.node(n, name, op)
}

// node uses the text of a node as the request. If a request was given as well, the text is data.
func (a *commands) node(n tree.Node, name string, op *runs.Begin) error {
	text := ""
	switch v := scene.ChatBody(n).(type) {
	case talk.Said:
		text = v.Text
	case talk.Reply:
		text = v.Message.Text()
	case material.Merged:
		if v.Debate {
			op.From = v.Branch // the debate itself, with claims and dissent, not the summary in the conversation
			return nil
		}
		text = v.Text
	}
	if text = strings.TrimSpace(text); text == "" {
		return failure.Usage(name+" is not a message, an answer or a decision", "list nodes: socrates tree show TREE --nodes")
	}
	if op.Asked == "" {
		op.Asked = text
	} else {
		op.Data = strings.TrimSpace(op.Data + "\n\n" + text)
	}
	return nil
}

// file reads the text that an argument names: a file, or stdin. ok is false if it names neither; the caller then
// takes it for the name of a run. by says whose text it is.
func (a *commands) file(arg string) (text, by string, ok bool, err error) {
	var raw []byte
	switch info, serr := os.Stat(arg); {
	case arg == "-":
		raw, err = io.ReadAll(io.LimitReader(a.In, mostPlan+1))
	case arg != "" && serr == nil && info.Mode().IsRegular():
		raw, err = os.ReadFile(arg)
	default:
		return "", "", false, nil
	}
	if err != nil {
		return "", "", false, failure.Usage("cannot read the plan "+arg+": "+err.Error(), "")
	}
	if len(raw) > mostPlan {
		return "", "", false, failure.Usage("the plan "+arg+" is larger than 4 MB", "")
	}
	return a.Out.Clean(string(raw)), cmp.Or(filepath.Base(arg), "stdin"), true, nil
}

// kept finds a plan that is stored as a run which has not begun.
func (a *commands) kept(ctx context.Context, e *engine.Engine, arg, dir string) (work.Status, error) {
	name, err := a.named(ctx, e, arg)
	if err != nil {
		return work.Status{}, err
	}
	_, s, err := a.status(ctx, e, name)
	switch {
	// It looks like a file, so the error is about files.
	case err != nil && strings.ContainsAny(arg, "./\\"):
		return s, failure.Usage("no plan in "+arg+": no such file", "write one: socrates plan \"…\"")
	case err != nil:
		return s, err
	case s.Begun != nil:
		return s, failure.Usage("run "+s.Frame.Run+" has already started", "continue it: socrates work resume "+s.Frame.Run)
	// The plan's paths and checks are about the other project.
	case s.Frame.Dir != dir:
		return s, failure.Usage("run "+s.Frame.Run+" belongs to another project: "+s.Frame.Dir, "run it there, with --cwd")
	case s.Planned == nil:
		return s, failure.Usage("run "+s.Frame.Run+" has no plan", "write one: socrates plan "+s.Frame.Run)
	}
	return s, nil
}

// nameOf is the name of the run that a node began.
func nameOf(ctx context.Context, e *engine.Engine, root tree.ID) (string, error) {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return "", err
	}
	f, _ := record.FrameKind.Of(nodes[0])
	return f.Run, nil
}
