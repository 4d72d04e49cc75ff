package mirror

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// request is what a route is sent for an operation.
type request struct {
	method, path string
	body         any
	about        string // the ref of what it is about, whose tree is returned; empty: the answer says it
}

// Debate has the hub hold a debate, by a process of its own there.
type Debate struct{ Asked any } // what POST /api/v1/debates takes

// Do implements engine.Op. Where there is no hub it is refused: what the hub would read of its settings is not here.
func (Debate) Do(context.Context, *engine.Engine) (tree.ID, error) {
	return "", failure.Usage("this debate can only run on a hub", "add --hub URL")
}

// object is what goes into a body.
type object = map[string]any

// post is a request about one thing; parts are of its path.
func post(about string, body object, parts ...string) []request {
	return []request{{http.MethodPost, at(parts...), body, about}}
}

// remove is a request to delete each of several things of a sort.
func remove(sort string, query string, names ...string) (all []request) {
	for _, name := range names {
		all = append(all, request{method: http.MethodDelete, path: at(sort, name) + query})
	}
	return all
}

// at is a path below the API, of parts that may hold anything.
func at(parts ...string) string {
	path := "/api/v1"
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}

// requests are those of an operation: the one table of what can be done at a hub. What is not in it is refused.
func requests(op engine.Op) ([]request, error) {
	for _, find := range []func(engine.Op) []request{ofDebates, ofTrees, ofTurns, ofRuns, ofNotes} {
		if all := find(op); all != nil {
			return all, nil
		}
	}
	switch op := op.(type) {
	case Debate:
		return []request{{method: http.MethodPost, path: at("debates"), body: op.Asked}}, nil
	case turns.Say:
		return saying(op)
	case turns.Interject:
		files, err := enclosed(op.Data, op.Attach)
		return post("", object{"text": op.Text, "files": files}, "trees", op.Tree, "say"), err
	}
	return nil, failure.Usage("this command does not work on a hub from another machine",
		"run it on the hub's machine, or without --hub on your own store")
}

func ofDebates(op engine.Op) []request {
	switch op := op.(type) {
	case rooms.Tell:
		if op.Message.Verb == people.LateVerb {
			return nil
		}
		return post(rooms.Refs+op.Room, object{"text": op.Message.Typed()}, "debates", op.Room, "words")
	case rooms.Resume:
		return post(rooms.Refs+op.Room, object{}, "debates", op.Room, "resume")
	case rooms.Supersede:
		return post("", object{"by": op.New, "reason": op.Reason}, "decisions", op.Old, "supersede")
	case rooms.Delete:
		return remove("debates", "", op.Rooms...)
	case rooms.Restore:
		return post("", object{}, "debates", op.Room, "restore")
	}
	return nil
}

func ofTrees(op engine.Op) []request {
	switch op := op.(type) {
	case conversation.NewTree:
		return post("", object{"name": op.Name, "title": op.Title, "folder": op.Dir}, "trees")
	case conversation.Branch:
		if op.Stay || op.Files {
			return nil
		}
		return post("", object{"to": op.Name, "at": op.At}, "trees", op.Tree, "branch")
	case conversation.SwitchTo:
		return post("", object{"to": op.Branch, "files": op.Files}, "trees", op.Tree, "switch")
	case conversation.Back:
		return post("", object{"to": op.To, "turns": op.Turns, "files": op.Files}, "trees", op.Tree, "back")
	case conversation.Label:
		return post("", object{"at": op.At, "to": op.Name}, "trees", op.Tree, "label")
	case conversation.Rename:
		return post("", object{"to": op.Name}, "trees", op.Tree, "rename")
	case conversation.Merge:
		return post("", object{"to": op.From, "text": op.Text}, "trees", op.Tree, "merge")
	case conversation.Conclude:
		return post("", object{"to": op.Room, "run": op.Run}, "trees", op.Tree, "conclude")
	case conversation.Remark:
		if op.Handle != nil {
			return nil
		}
		return post("", object{"at": op.Parent, "role": op.Role, "text": op.Text}, "trees", op.Tree, "remarks")
	case conversation.Use:
		return post("", object{}, "trees", op.Tree, "use")
	case conversation.Undo:
		return post("", object{}, "trees", op.Tree, "undo")
	case conversation.Redo:
		return post("", object{}, "trees", op.Tree, "redo")
	case conversation.Restore:
		return post("", object{}, "trees", op.Tree, "restore")
	case conversation.Delete:
		if op.Branch != "" && len(op.Trees) == 1 {
			return []request{{method: http.MethodDelete, path: at("trees", op.Trees[0], "branches", op.Branch)}}
		}
		return remove("trees", "", op.Trees...)
	}
	return nil
}

func ofTurns(op engine.Op) []request {
	switch op := op.(type) {
	case turns.Answer:
		return post("", object{"choice": op.Choice, "reason": op.Reason}, "needs", string(op.To))
	case turns.Exec:
		if op.Mode != "" {
			return nil
		}
		return post("", object{"text": op.Command}, "trees", op.Tree, "exec")
	case turns.Set:
		if op.Tree == "" {
			return nil
		}
		return post("", object{"key": op.Key, "value": op.Value}, "trees", op.Tree, "set")
	case turns.Hold:
		return post("", object{"file": op.Name}, "trees", op.Tree, "hold")
	case turns.Release:
		return post("", object{"file": op.Name}, "trees", op.Tree, "release")
	case turns.Compact:
		return post("", object{"value": op.Model, "undo": op.Undo}, "trees", op.Tree, "compact")
	case turns.Revoke:
		var all []request
		for _, id := range op.IDs {
			all = append(all, post("", object{"text": id}, "trees", op.Tree, "revoke")...)
		}
		return all
	}
	return nil
}

func ofRuns(op engine.Op) []request {
	switch op := op.(type) {
	case runs.Advance:
		if op.Way != nil || op.Feedback != "" || op.Model != "" {
			return nil
		}
		return post("", object{}, "runs", op.Run, "resume")
	case runs.Hold:
		return post("", object{}, "runs", op.Run, map[bool]string{true: "cancel", false: "pause"}[op.Cancel])
	case runs.Decide:
		return ordered(op.Run, op.Order)
	case runs.Delete:
		return remove("runs", "?force="+strconv.FormatBool(op.Forced), op.Runs...)
	case runs.Restore:
		return post("", object{}, "runs", op.Run, "restore")
	}
	return nil
}

// ordered is a person's word about a step, or about all of a run.
func ordered(run string, o record.Order) []request {
	switch {
	case o.Task != "":
		return post("", object{"verb": o.Verb, "executor": o.Executor}, "runs", run, "steps", o.Task)
	case o.Verb == "resume":
		return post("", object{}, "runs", run, "resume")
	}
	return nil
}

func ofNotes(op engine.Op) []request {
	switch op := op.(type) {
	case notes.Keep:
		return post("", object{"text": op.Text, "folder": op.Dir}, "notes")
	case notes.Forget:
		return remove("notes", "", numbers(op.Numbers)...)
	case notes.TakeBack:
		return post("", object{}, "notes", strconv.Itoa(op.Number), "restore")
	case issues.Draft:
		return post("", object{"debate": op.Debate, "run": op.Run}, "issues")
	case issues.Edit:
		return post("", object{"title": op.Title, "body": op.Body, "version": op.Version}, "issues", strconv.Itoa(op.Number), "edit")
	case issues.Delete:
		return remove("issues", "", numbers(op.Numbers)...)
	case issues.Restore:
		return post("", object{}, "issues", strconv.Itoa(op.Number), "restore")
	}
	return nil
}

func numbers(list []int) (all []string) {
	for _, n := range list {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// saying is what is said in a conversation. What only a turn on this machine could be told is refused by name.
func saying(op turns.Say) ([]request, error) {
	for what, is := range map[string]bool{"--tool": len(op.Only) > 0, "--schema": op.Schema != nil, "--effort": op.Effort != "",
		"--bare": op.Bare, "a limit": op.Limits != (turns.Limits{}), "a page's command": op.Typed != "",
		"a picture from the clipboard": len(op.Images) > 0} {
		if is {
			return nil, failure.Usage(what+" cannot be sent to a hub", "leave it out")
		}
	}
	files, err := enclosed(op.Data, op.Attach)
	return post("", object{"text": op.Text, "model": op.Model, "phase": op.Phase, "mode": string(op.Mode), "aside": op.Aside,
		"from": string(op.From), "again": op.Again, "files": files}, "trees", op.Tree, "say"), err
}

// enclosed are the files that go with what is said: of this machine.
func enclosed(data string, paths []string) ([]object, error) {
	files := []object{}
	if data != "" {
		files = append(files, object{"name": "stdin", "data": []byte(data)})
	}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			return nil, failure.Usage("cannot attach "+p+": "+err.Error(), "")
		}
		files = append(files, object{"name": filepath.Base(p), "data": raw})
	}
	return files, nil
}

// tries is how often a request is sent whose answer did not come, before it is given up. It is done once all the same: all have one key.
const tries = 3

// Do has an operation done at the hub and brings the copy up to date, so that what came of it can be read here. It returns the root of
// the tree concerned, as the hub says it.
func (h *Hub) Do(ctx context.Context, s *store.Store, op engine.Op) (root tree.ID, err error) {
	if stop, ok := op.(engine.Interrupt); ok {
		return stop.Root, h.stop(ctx, s, stop.Root)
	}
	if stop, ok := op.(engine.Stop); ok {
		return stop.Root, h.stop(ctx, s, stop.Root)
	}
	all, err := requests(op)
	if err != nil {
		return "", err
	}
	about := ""
	for i, r := range all {
		var is outcome
		if err := h.Change(ctx, r.method, r.path, r.body, &is); err != nil {
			if i > 0 {
				h.Sync(ctx, s) // what was done before it is shown
			}
			return "", err
		}
		root, about = cmp.Or(root, is.Root), cmp.Or(about, r.about)
		if is.Debate != "" {
			about = rooms.Refs + is.Debate
		}
		for _, note := range is.Notes {
			h.tell(note)
		}
	}
	if err := h.Sync(ctx, s); err != nil {
		return root, err
	}
	if root == "" && about != "" {
		tip, err := s.Tip(ctx, about)
		return tip.Root.ID, err
	}
	return root, nil
}

// outcome is what routes say of what was done, each as much of it as it has.
type outcome struct {
	Root   tree.ID  `json:"root"`
	Debate string   `json:"debate"`
	Notes  []string `json:"notes"`
}

// Change sends what changes something, and again if no answer comes: under one key, so that it is done once.
func (h *Hub) Change(ctx context.Context, method, path string, in, out any) (err error) {
	key := rand.Text()
	for i := range tries {
		if i > 0 {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(time.Duration(i) * time.Second):
			}
		}
		if err = h.send(ctx, method, path, key, in, out); !Away(err) {
			return err
		}
	}
	return err
}

// stop ends the turn of a conversation. A debate or a run goes on: it is the hub's.
func (h *Hub) stop(ctx context.Context, s *store.Store, root tree.ID) error {
	refs, err := s.Refs(ctx, "tree/", root)
	if err != nil || len(refs) == 0 {
		return err
	}
	if err := h.Change(ctx, http.MethodPost, at("trees", refs[0].Name[len("tree/"):], "stop"), object{}, nil); err != nil {
		return fmt.Errorf("stop the turn: %w", err)
	}
	return h.Sync(ctx, s)
}
