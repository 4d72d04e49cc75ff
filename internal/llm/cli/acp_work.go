package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// acpWork is the state of a turn that has leave to work: it answers requests for a permission, as in
// agentclientprotocol.com/protocol/tool-calls, November 2026. What an agent does without asking is reported when it
// ends.
type acpWork struct {
	leave  func(context.Context, llm.Call) error // nil: the program only reads
	deeds  map[string]*acpAction                 // what is known of each action, by id; nil once its result was reported
	no     string                                // why the last one was refused, until the model says something
	before cost.Usage                            // used before the program stopped because of a refusal and was told to go on
}

// newACPWork returns the state at the start of a turn.
func newACPWork(req llm.Request) acpWork {
	return acpWork{leave: req.Leave, deeds: map[string]*acpAction{}}
}

// learn merges new facts about an action into what is known; it returns nil if the result was already reported, or
// nobody wants to know.
func (w *acpWork) learn(is acpAction, content json.RawMessage) *acpAction {
	if w.leave == nil || is.ToolCallID == "" {
		return nil
	}
	known, begun := w.deeds[is.ToolCallID]
	if !begun {
		known = &acpAction{ToolCallID: is.ToolCallID, RawInput: map[string]any{}}
		w.deeds[is.ToolCallID] = known
	}
	if known == nil {
		return nil
	}
	known.Kind, known.Title, known.Status = cmp.Or(is.Kind, known.Kind), cmp.Or(is.Title, known.Title), is.Status
	maps.Copy(known.RawInput, is.RawInput)
	if len(is.Locations) > 0 {
		known.Locations = is.Locations
	}
	var blocks []acpContent
	if json.Unmarshal(content, &blocks) == nil && len(blocks) > 0 {
		known.content = blocks
	}
	if len(is.RawOutput) > 0 {
		known.RawOutput = is.RawOutput
	}
	return known
}

// permits decides about an action that the program asks about. A refusal is reported as its result: the protocol has
// no place for the reason.
func (a *acpTalk) permits(ctx context.Context, is acpAction, content json.RawMessage, say func(llm.Delta)) bool {
	known := a.learn(is, content)
	if known == nil {
		return false
	}
	call := known.call(a.dir)
	err := a.leave(ctx, call)
	if err == nil && ctx.Err() == nil {
		return true
	}
	text := "stopped before it began"
	if err != nil {
		text = err.Error()
	}
	a.deeds[is.ToolCallID], a.no = nil, text
	say(llm.Delta{Call: &call, Result: &llm.Result{ID: call.ID, Name: call.Name, Text: text, Failed: true}})
	return false
}

// goesOn makes a program continue that ended its turn because something was refused, as some do, and tells the model
// why. It does so once for each refusal, and not if the model has said something since.
func (a *acpTalk) goesOn(ctx context.Context, p *process, l rpcLine) (bool, error) {
	if a.leave == nil || a.no == "" || l.Error != nil || !a.acted && !a.given.certain {
		return false, nil
	}
	var r acpResult
	json.Unmarshal(l.Result, &r) // an unreadable result counts as nothing
	if a.count.sum.Total() == 0 {
		u := a.usage(r)
		u.USD, u.Source = 0, "" // the session's dollars are counted at the end
		a.acpWork.before = a.acpWork.before.Add(u)
	}
	text := "Your last call was refused: " + a.no + ". Continue without it; if that is not possible, say what you wanted and why."
	a.no, a.acted, a.held, a.given = "", true, "", acpAside{}
	var err error
	a.asked, err = a.request(ctx, p, "session/prompt", object{"sessionId": a.session, "prompt": []object{{"type": "text", "text": text}}})
	return err == nil, err
}

// did reports the result of an action that has ended.
func (a *acpTalk) did(is acpAction, content json.RawMessage, say func(llm.Delta)) {
	known := a.learn(is, content)
	if known == nil || is.Status != "completed" && is.Status != "failed" {
		return
	}
	a.deeds[is.ToolCallID] = nil
	call := known.call(a.dir)
	say(llm.Delta{Call: &call, Result: &llm.Result{ID: call.ID, Name: call.Name, Text: known.result(), Failed: is.Status == "failed"}})
}

// acpContent is a block that describes an action.
type acpContent struct {
	Type, Path, OldText, NewText string // the texts of a diff are the whole file, or the part that changes
	Content                      struct{ Text string }
}

// result returns the output of an action.
func (is *acpAction) result() string {
	var all []string
	for _, b := range is.content {
		if b.Content.Text != "" {
			all = append(all, b.Content.Text)
		} else if b.Type == "diff" {
			all = append(all, "changed "+b.Path)
		}
	}
	if len(all) > 0 {
		return strings.Join(all, "\n")
	}
	var text string
	var fields struct{ Output, Content, Error string }
	if json.Unmarshal(is.RawOutput, &text) != nil {
		json.Unmarshal(is.RawOutput, &fields) // output of another shape has nothing we can read
	}
	return cmp.Or(text, fields.Output, fields.Content, fields.Error)
}

// workingFolder matches gemini's note of where a command runs.
var workingFolder = pattern.Of(`^\[(?:current working directory|in) ([^\]]+)\]`)

// call converts an action to a call of ours. An action of an unknown kind keeps the kind as its name, which no rule
// for our tools covers.
func (is *acpAction) call(dir string) llm.Call {
	switch is.Kind {
	case "execute":
		args := map[string]any{"command": cmp.Or(is.arg("command", "cmd"), is.Title)}
		if at := is.arg("cwd", "workdir", "dir_path", "directory"); at != "" {
			args["dir"] = at
		}
		for _, b := range is.content {
			if found := workingFolder().FindStringSubmatch(b.Content.Text); found != nil {
				args["dir"] = found[1]
			}
		}
		return ourCall(dir, is.ToolCallID, "bash", args)
	case "edit", "delete", "move":
		return is.change(dir)
	case "read", "search":
		args := map[string]any{"path": "."}
		if paths := is.paths(dir); len(paths) > 0 {
			args = pathsArg(paths)
		}
		if text := is.arg("pattern", "query"); text != "" {
			args["pattern"] = text
		}
		return ourCall(dir, is.ToolCallID, map[string]string{"read": "read", "search": "grep"}[is.Kind], args)
	case "fetch":
		if url := is.arg("url"); url != "" {
			return ourCall(dir, is.ToolCallID, "fetch", map[string]any{"url": url})
		}
	}
	return ourCall(dir, is.ToolCallID, cmp.Or(is.Kind, "other"), map[string]any{"title": is.Title, "input": is.RawInput})
}

// change converts a change of files. If its new content is known, it is shown as a diff.
func (is *acpAction) change(dir string) llm.Call {
	paths := is.paths(dir)
	if is.Kind == "delete" {
		return ourCall(dir, is.ToolCallID, "delete", pathsArg(paths))
	}
	if i := slices.IndexFunc(is.content, func(b acpContent) bool { return b.Type == "diff" }); i >= 0 && len(paths) == 1 {
		if is.content[i].OldText != "" {
			return ourCall(dir, is.ToolCallID, "edit",
				map[string]any{"path": paths[0], "old": is.content[i].OldText, "new": is.content[i].NewText})
		}
		return ourCall(dir, is.ToolCallID, "write", map[string]any{"path": paths[0], "content": is.content[i].NewText})
	}
	args := pathsArg(paths)
	if is.Kind == "move" {
		args["deletes"] = paths
	}
	if text := is.arg("diff", "patch"); text != "" {
		args["diff"] = text
	}
	return ourCall(dir, is.ToolCallID, "edit", args)
}

// pathsArg returns arguments that name files.
func pathsArg(paths []string) map[string]any {
	if len(paths) == 1 {
		return map[string]any{"path": paths[0]}
	}
	return map[string]any{"paths": paths}
}

// paths returns the files an action names; those below dir are relative to it.
func (is *acpAction) paths(dir string) (all []string) {
	for _, b := range is.content {
		if b.Type == "diff" {
			all = append(all, b.Path)
		}
	}
	for _, l := range is.Locations {
		all = append(all, l.Path)
	}
	for _, key := range []string{"file_path", "filePath", "fileName", "filepath", "path", "target_file"} {
		all = append(all, is.arg(key))
	}
	for i, path := range all {
		all[i] = within(dir, path)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(p string) bool { return p == "" })
}

// arg returns the first text among its arguments with one of some names.
func (is *acpAction) arg(names ...string) string {
	for _, name := range names {
		if text, ok := is.RawInput[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}
