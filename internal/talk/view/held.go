package view

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Held returns the files that a model is shown at the end of a path, each as it was shown last, by name without the prefix of a handle.
func Held(path []tree.Node) map[string]material.Handle {
	out := map[string]material.Handle{}
	for _, h := range material.HandleKind.All(held(fold(path), margin.Settings(path))) {
		if h.Held {
			out[strings.TrimPrefix(h.URI, margin.FileKey)] = h
		}
	}
	return out
}

// contextFiles tracks the files in the context, so that a model can be told which were removed: what it was shown stays.
type contextFiles struct {
	settings map[string]string // at the end of the path
	seen     map[string]bool   // by key
	gone     map[string]bool
}

// show records that a file was shown.
func (s *contextFiles) show(h material.Handle) {
	if s.seen == nil {
		s.seen, s.gone = map[string]bool{}, map[string]bool{}
	}
	s.seen[h.URI] = h.Held
}

// set returns what the model is told about a setting; empty: nothing.
func (s *contextFiles) set(set margin.Set) string {
	switch {
	case !strings.HasPrefix(set.Key, margin.FileKey) || !s.seen[set.Key] || s.gone[set.Key] == (set.Value == ""):
		return ""
	case set.Value == "":
		s.gone[set.Key] = true
		return "[" + set.Key + " is no longer in the context: do not rely on what it said]"
	}
	s.gone[set.Key] = false
	return "[" + set.Key + " is in the context again, as it was shown last]"
}

// held drops the files that are no longer set, and all but the newest handle of the others.
func held(path []tree.Node, settings map[string]string) []tree.Node {
	seen := map[string]bool{}
	out := slices.Clone(path)
	slices.Reverse(out)
	out = slices.DeleteFunc(out, func(n tree.Node) bool {
		h, ok := material.HandleKind.Of(n)
		if !ok || !h.Held {
			return false
		}
		old := seen[h.URI]
		seen[h.URI] = true
		return old || settings[h.URI] == ""
	})
	slices.Reverse(out)
	return out
}
