package talk

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tree"
)

// FileKey begins the key of a setting that holds a file in the context; what follows is its name. It is how its handle
// begins, too.
const FileKey = "file:"

// Files are the names of the files that settings hold in the context, in order.
func Files(settings map[string]string) []string {
	var out []string
	for key := range settings {
		if name, ok := strings.CutPrefix(key, FileKey); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Held are the files that a model is shown at the end of a path, each as it was shown last.
func Held(path []tree.Node) map[string]Handle {
	out := map[string]Handle{}
	for _, h := range HandleKind.All(held(fold(path), Settings(path))) {
		if h.Held {
			out[strings.TrimPrefix(h.URI, FileKey)] = h
		}
	}
	return out
}

// shelf follows which files are in the context, so that a model is told what is no longer there: what it was shown stays.
type shelf struct {
	settings map[string]string // at the end of the path
	seen     map[string]bool   // by key
	gone     map[string]bool
}

// show notes that a file was shown.
func (s *shelf) show(h Handle) {
	if s.seen == nil {
		s.seen, s.gone = map[string]bool{}, map[string]bool{}
	}
	s.seen[h.URI] = h.Held
}

// set is what the model is told of a setting; empty: nothing.
func (s *shelf) set(set Set) string {
	switch {
	case !strings.HasPrefix(set.Key, FileKey) || !s.seen[set.Key] || s.gone[set.Key] == (set.Value == ""):
		return ""
	case set.Value == "":
		s.gone[set.Key] = true
		return "[" + set.Key + " is no longer in the context: do not rely on what it said]"
	}
	s.gone[set.Key] = false
	return "[" + set.Key + " is in the context again, as it was shown last]"
}

// held leaves out the files that are no longer set, and all but the newest handle of each of the others.
func held(path []tree.Node, settings map[string]string) []tree.Node {
	seen := map[string]bool{}
	out := slices.Clone(path)
	slices.Reverse(out)
	out = slices.DeleteFunc(out, func(n tree.Node) bool {
		h, ok := HandleKind.Of(n)
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
