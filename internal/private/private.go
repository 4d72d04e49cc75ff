// Package private writes files that their owner alone can read, in one step: others see the old text or the new one.
package private

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file, 0600, whether it is there or not, and makes its folder, 0700, if that is not. The text is on disk
// before it takes the file's name.
//
// It writes a file of its own beside the old one and gives it the name, so a link at that name is replaced and not
// followed, and a file that others could read is closed to them. After an error the old text is there whole.
func Replace(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
