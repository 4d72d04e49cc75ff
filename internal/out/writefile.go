package out

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file at once: readers see the old text or the new one, never half of it. Pipes and
// devices are written directly. The text is written beside path and renamed, so path's folder must be writable
// and an existing file loses its mode for 0644. If path is a link, the link is replaced and not its target. The
// caller has checked whether it may be replaced; see Call.Writable.
func WriteFile(path, text string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return os.WriteFile(path, []byte(text), 0o644)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".socrates-*")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: path, Err: p.Err} // name the file that was asked for
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
