package rooms

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// drawKey is the key with which a room draws claims and judges. It is derived from a secret beside the store, so that a resumed room draws
// the same, and no seat can know it before the ballots are in.
func drawKey(store, room string) (string, error) {
	file := filepath.Join(filepath.Dir(store), "draw.key")
	secret, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		secret, err = newSecret(file)
	}
	if err != nil {
		return "", fmt.Errorf("reading the secret that draws judges: %w", err)
	}
	if len(secret) < secretBytes {
		return "", fmt.Errorf("the secret for drawing judges is damaged: remove %s to create a new one", file)
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("draw\x00" + room))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// secretBytes is the length of a secret.
const secretBytes = 32

// newSecret creates the file, completely or not at all. If two processes do so at once, the first one's stays.
func newSecret(file string) ([]byte, error) {
	secret := make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".draw-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(secret)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	// A link fails if the name exists; a rename would replace another process's secret that may be in use.
	if err := os.Link(f.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := os.Rename(f.Name(), file); err != nil { // a file system without links
			return nil, err
		}
	}
	// The file's content counts, whoever wrote it.
	return os.ReadFile(file)
}
