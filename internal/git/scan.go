package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Scan takes the fingerprint of a folder that is not a repository: the content of each file up to 1 MB, the size and
// time of change of larger ones, the targets of links. A folder that cannot be read is an error: its content could
// change unseen.
func Scan(ctx context.Context, dir string) (Fingerprint, error) {
	f := Fingerprint{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			f[filepath.ToSlash(name)], err = scanned(path, d)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking at the folder: %w", err)
	}
	return f, nil
}

// scanned is what Scan records of one file.
func scanned(path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		return "-> " + to, err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano()), nil
	}
	body, err := os.ReadFile(path)
	sum := sha256.Sum256(body)
	return info.Mode().String() + hex.EncodeToString(sum[:]), err
}
