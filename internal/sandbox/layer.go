package sandbox

import (
	"fmt"
	"path/filepath"
)

// Layer is a folder in which the program finds what lies in others, too, and writes as if it were its own: what it changes is kept
// in Upper alone. Only where Layers says so for Upper.
type Layer struct {
	At    string   // the folder, which exists
	Below []string // what is seen there, the first before the others; At may be among them, and all exist
	Upper string   // a folder of ours for this layer alone; what an earlier program left there is seen again
}

// Changed is the folder that has what was changed in the layer.
func (l Layer) Changed() string { return filepath.Join(l.Upper, "changed") }

// layered makes the rules for the layers: At may be written, because only Upper changes. Nothing else may be written inside of one.
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
