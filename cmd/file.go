package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// forceFlag lets a command replace the files it writes to.
func (a *app) forceFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.force, "force", false, "replace files that are there")
}

// writable says why nothing can be written to a path; nil: it can be. Commands ask before anything is done or paid. A
// file that holds something is only replaced with --force. An empty path stands for none.
func (a *app) writable(path string) error {
	if path == "" {
		return nil
	}
	if dir := filepath.Dir(path); !exists(dir) {
		return usage("cannot write "+path+": there is no folder "+dir, "make it first")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // it is new
	case info.IsDir():
		return usage(path+" is a folder", "name a file in it")
	case info.Mode().IsRegular() && info.Size() > 0 && !a.force:
		return usage(path+" is there already", "name another file, or replace it with --force")
	case !info.Mode().IsRegular(): // written to as it is
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".socrates-*")
	if err != nil {
		return usage("no file can be made in "+filepath.Dir(path)+" ("+because(err)+")", "name a file in a folder that you may write")
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// writeFile writes a file at once: readers see the old text or the new one, never half of it. Pipes and devices are
// written to as they are.
func writeFile(path, text string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return os.WriteFile(path, []byte(text), 0o644)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".socrates-*")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: p.Err} // not the name of a file nobody asked for
	} else if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
