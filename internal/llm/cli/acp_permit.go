package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// permit answers a request to be allowed something: yes, once, to what reads or searches in the folder; no to all else,
// and no to whatever offers no such choice.
func (a *acpTalk) permit(ctx context.Context, p *process, l rpcLine, say func(llm.Delta)) error {
	var want struct {
		ToolCall acpAction
		Options  []struct{ OptionID, Kind string }
	}
	json.Unmarshal(l.Params, &want) // what cannot be read is refused
	a.act(want.ToolCall, say)
	kinds := []string{"reject_once", "reject_always"}
	if want.ToolCall.reads(p.dir) {
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

// reads says whether the action reads or searches, and every path it names lies below dir. It must name one.
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
			paths = append(paths, s) // a pattern that is no path passes as one
		}
	}
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return !below(dir, path) })
}

// below says whether path lies in the folder dir, links followed as far as they exist.
func below(dir, path string) bool {
	if strings.HasPrefix(path, "~") {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else {
		path = filepath.Clean(path)
	}
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}
