package cli

import "path/filepath"

// Shown is a folder that a held program finds in another place: it reads a copy of the project at the project's own
// path, so that the paths it reports are those the person knows.
type Shown struct {
	From, At string
	Git      string   // what it finds as At/.git; empty: nothing
	Hidden   []string // what it cannot read, by whole path below At
}

// shown returns what a program finds in dir, if dir stands for another folder; else nil.
func (h *Hold) shown(dir string) *Shown {
	if h == nil || h.Show == nil || dir == "" {
		return nil
	}
	return h.Show(dir)
}

// seen returns the folder that a program finds in dir. Checks before it starts, such as for settings in the folder
// that would run something, must look there.
func (h *Hold) seen(dir string) string {
	if s := h.shown(dir); s != nil {
		if rest, err := filepath.Rel(s.At, dir); err == nil {
			return filepath.Join(s.From, rest)
		}
	}
	return dir
}

// moved returns those paths that are below From, as the program finds them.
func (s *Shown) moved(paths []string) (out []string) {
	for _, p := range paths {
		if rest, err := filepath.Rel(s.From, p); err == nil && filepath.IsLocal(rest) && rest != "." {
			out = append(out, filepath.Join(s.At, rest))
		}
	}
	return out
}
