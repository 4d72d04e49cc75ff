package sandbox

import (
	"fmt"
	"path/filepath"
)

// Layer is a folder in which the program also sees the content of others, and which it can write as if it were its own: its changes are
// stored only in Upper. It works only if Layers says so for Upper.
type Layer struct {
	At    string   // the folder, which exists
	Below []string // what is seen there, the first takes precedence; At may be among them, and all exist
	Upper string   // a folder of ours for this layer alone; changes by an earlier program are seen again
}

// Changed is the folder with the layer's changes.
func (l Layer) Changed() string { return filepath.Join(l.Upper, "changed") }

// layered extends the rules by the layers: At may be written, because only Upper changes. Nothing else may be writable inside one.
func (r *Rules) layered(layers []Layer) error {
	for _, l := range layers {
		at, err := filepath.EvalSymlinks(l.At)
		if err != nil || !filepath.IsAbs(at) {
			return fmt.Errorf("an overlay needs a folder: %s", l.At)
		}
		for i, p := range l.Below {
			if l.Below[i], err = filepath.EvalSymlinks(p); err != nil {
				return fmt.Errorf("the folder under an overlay: %w", err)
			}
		}
		if l.Upper, err = filepath.EvalSymlinks(l.Upper); err != nil {
			return fmt.Errorf("an overlay needs a folder of its own: %w", err)
		}
		l.At = at
		r.Layers, r.Write = append(r.Layers, l), append(r.Write, at)
	}
	return nil
}
