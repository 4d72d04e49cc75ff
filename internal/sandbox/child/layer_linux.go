package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Layer is a folder that shows what others hold, too; what is changed there goes to Upper.
type Layer struct {
	At    string
	Below []string // the first comes before the others
	Upper string
}

// mount puts the layer over its folder. Links in Upper are ours: nobody else writes there.
func (l Layer) mount() error {
	changed, work := filepath.Join(l.Upper, "changed"), filepath.Join(l.Upper, "work")
	for _, dir := range []string{changed, work} {
		if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
			return err
		}
	}
	var below []string
	for _, dir := range l.Below {
		below = append(below, strings.NewReplacer(`\`, `\\`, `:`, `\:`).Replace(dir))
	}
	fd, err := system("overlay", map[string]string{"lowerdir": strings.Join(below, ":"), "upperdir": changed, "workdir": work,
		"userxattr": ""}, 0)
	if err == nil {
		defer unix.Close(fd)
		err = attach(fd, l.At)
	}
	if err != nil {
		return fmt.Errorf("%s cannot get a layer: %w", l.At, err)
	}
	return nil
}

// layer takes a part of an order that speaks of layers.
func (o *Order) layer(kind byte, text string) bool {
	last := len(o.Layers) - 1
	switch {
	case kind == 'A':
		o.Layers = append(o.Layers, Layer{At: text})
	case kind == 'U' && last >= 0:
		o.Layers[last].Upper = text
	case kind == 'B' && last >= 0:
		o.Layers[last].Below = append(o.Layers[last].Below, text)
	default:
		return false
	}
	return true
}
