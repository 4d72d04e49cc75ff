package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// tried caches the results of Layers, by folder.
var tried sync.Map

// Layers returns why programs cannot have a Layer with an Upper in a folder; nil: they can. It tries: file systems differ.
func Layers(dir string) error {
	if err := Cells(); err != nil {
		return err
	}
	try, _ := tried.LoadOrStore(dir, sync.OnceValue(func() error {
		at, err := os.MkdirTemp(dir, "layer")
		if err != nil {
			return err
		}
		defer os.RemoveAll(at)
		for _, name := range []string{"at", "upper"} {
			if err := os.Mkdir(filepath.Join(at, name), 0o700); err != nil {
				return err
			}
		}
		below := filepath.Join(at, "at")
		o := child.Order{Own: true, Layers: []child.Layer{{At: below, Below: []string{below}, Upper: filepath.Join(at, "upper")}}}
		cmd := &exec.Cmd{}
		if err := give(cmd, o, nil); err != nil {
			return err
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s cannot be the bottom of an overlay (%s)", dir, reason(out, err))
		}
		return nil
	}))
	return try.(func() error)()
}
