package home

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// Ring is what socrates login keeps keys in. Making one touches nothing.
func (k *Keys) Ring() (keyring.Ring, error) {
	cfg, err := k.home.Settings.Load()
	if err != nil {
		return keyring.Ring{}, err
	}
	file, err := dataFile()
	return keyring.Ring{Dir: filepath.Join(filepath.Dir(file), "keys"), Files: cfg.String("keyring") == "file"}, err
}

// Kept is the key of a vendor that socrates login keeps; "" if there is none. Only this may wake the keyring of the system.
// An expired key is an error and not an absent one, so that the person learns why.
func (k *Keys) Kept(vendor string) (string, error) {
	r, err := k.Ring()
	if err != nil {
		return "", err
	}
	e, err := r.Look(vendor)
	if errors.Is(err, keyring.ErrNone) {
		return "", nil
	}
	login := "socrates login " + vendor
	if err == nil && e.Expired() {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+vendor+": the key expired on "+e.Expires.Local().Format(time.DateOnly),
			login)
	}
	var key string
	if err == nil {
		key, err = r.Get(vendor)
	}
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+vendor+": "+err.Error(), "add a new key with: "+login)
	}
	k.home.Learn(key)
	return key, nil
}

// keptReady says whether a kept key makes a seat ready, and if there is one tells the seat why.
func (k *Keys) keptReady(f *Found, vendor string) bool {
	r, err := k.Ring()
	var e keyring.KeyInfo
	if err == nil {
		e, err = r.Look(vendor)
	}
	switch {
	case errors.Is(err, keyring.ErrNone):
		return false
	case err != nil:
		f.Why = err.Error()
	case e.Expired():
		f.Why = "the key expired on " + e.Expires.Local().Format(time.DateOnly) + ": socrates login " + vendor
	default:
		f.Ready, f.Why = true, "key in the "+e.Place.Words()
	}
	return true
}
