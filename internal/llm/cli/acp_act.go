package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// acpAction is something the program does or wants to do.
type acpAction struct {
	ToolCallID, Title, Kind, Status string
	Locations                       []struct{ Path string }
	RawInput                        map[string]any
	RawOutput                       json.RawMessage

	content []acpContent
}

// reads reports whether the action reads or searches, and every path it names is below dir. It must name at least
// one. All texts among its arguments count as paths, since programs name them as they like; an argument that is not a
// path can only cause a refusal.
func (is acpAction) reads(dir string) bool {
	if is.Kind != "read" && is.Kind != "search" {
		return false
	}
	var paths []string
	for _, l := range is.Locations {
		paths = append(paths, l.Path)
	}
	for _, v := range is.RawInput {
		if s, ok := v.(string); ok {
			paths = append(paths, s) // a pattern that is not a path passes as one
		}
	}
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return !below(dir, path) })
}

// below reports whether path is in the folder dir, with links followed as far as they exist. A path in another user's
// home is not.
func below(dir, path string) bool {
	if strings.HasPrefix(path, "~") {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	rest, err := filepath.Rel(followed(dir), followed(path))
	return err == nil && filepath.IsLocal(rest)
}

// followed returns path with its links followed as far as it exists.
func followed(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(followed(up), filepath.Base(path))
	}
	return path
}

// act reports an action, and again when more is known of it. Each note about it is sent once.
func (a *acpTalk) act(is acpAction, say func(llm.Delta)) {
	told, known := a.calls[is.ToolCallID]
	if a.calls == nil || is.ToolCallID == "" {
		return
	}
	a.acted, a.tried = a.acted || !known, 0
	note := is.note(a.dir)
	if note == "" || note == told || known && is.Kind == "" {
		a.calls[is.ToolCallID] = told
		return
	}
	a.calls[is.ToolCallID] = note
	say(llm.Delta{Note: note})
}

// note says in a few words what the program does; empty if nothing is worth reporting.
func (is acpAction) note(dir string) string {
	verb := map[string]string{"read": "Read", "search": "Search", "execute": "Run", "edit": "Edit", "delete": "Delete",
		"move": "Move", "fetch": "Fetch"}[is.Kind]
	what := is.Title
	if len(is.Locations) > 0 && (is.Kind == "read" || is.Kind == "edit" || is.Kind == "delete") {
		what = within(dir, is.Locations[0].Path)
	}
	if strings.HasPrefix(strings.ToLower(what), strings.ToLower(verb)) {
		verb = ""
	}
	return oneLine(verb + " " + what)
}

// permit answers a permission request: yes, once, to what reads or searches in the folder; no to everything else, and
// no if the choices do not include that.
func (a *acpTalk) permit(ctx context.Context, p *process, l rpcLine, say func(llm.Delta)) error {
	var want struct {
		ToolCall struct {
			acpAction
			Content json.RawMessage
		}
		Options []struct{ OptionID, Kind string }
	}
	json.Unmarshal(l.Params, &want) // a request that cannot be read is refused
	is := want.ToolCall.acpAction
	a.act(is, say)
	kinds := []string{"reject_once", "reject_always"}
	if a.leave == nil && is.reads(p.dir) || a.leave != nil && a.permits(ctx, is, want.ToolCall.Content, say) {
		kinds = []string{"allow_once", "reject_once", "reject_always"}
	}
	for _, kind := range kinds {
		for _, o := range want.Options {
			if o.Kind == kind {
				return a.reply(ctx, p, l, object{"outcome": object{"outcome": "selected", "optionId": o.OptionID}})
			}
		}
	}
	return a.reply(ctx, p, l, object{"outcome": object{"outcome": "cancelled"}})
}
