package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeJSON writes a file that only we can read.
func writeJSON(file string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFile(file, string(raw))
}

// writeFile writes a file, and its folder if need be, that only we can read.
func writeFile(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o600)
}

// link makes name in the folder from known in the folder to as well, where links cannot be made by a copy. A file that
// is not there is none.
func link(from, to, name string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	source := filepath.Join(from, name)
	if !exists(source) {
		return nil
	}
	if os.Symlink(source, filepath.Join(to, name)) == nil {
		return nil
	}
	raw, err := os.ReadFile(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("login: %w", err)
	}
	return os.WriteFile(filepath.Join(to, name), raw, 0o600)
}
