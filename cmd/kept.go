package cmd

import (
	"cmp"
	"errors"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// ring is what socrates login keeps keys in. Making one touches nothing.
func (a *app) ring() (keyring.Ring, error) {
	cfg, err := a.settings()
	if err != nil {
		return keyring.Ring{}, err
	}
	file, err := dataFile()
	return keyring.Ring{Dir: filepath.Join(filepath.Dir(file), "keys"), Files: cfg.String("keyring") == "file"}, err
}

// kept is the key of a vendor that socrates login keeps; "" if there is none. Only this may wake the keyring of the system.
func (a *app) kept(vendor string) (string, error) {
	r, err := a.ring()
	if err != nil {
		return "", err
	}
	e, err := r.Look(vendor)
	if errors.Is(err, keyring.ErrNone) {
		return "", nil
	}
	login := "socrates login " + vendor
	if err == nil && e.Expired() {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+vendor+": its key expired on "+day(e.Expires), login)
	}
	var key string
	if err == nil {
		key, err = r.Get(vendor)
	}
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "seat "+vendor+": "+err.Error(), login+" keeps a new one")
	}
	a.out.Learn(key)
	return key, nil
}

// keptReady says whether a kept key makes a seat ready, and if there is one tells the seat why.
func (a *app) keptReady(f *found, vendor string) bool {
	r, err := a.ring()
	var e keyring.Entry
	if err == nil {
		e, err = r.Look(vendor)
	}
	switch {
	case errors.Is(err, keyring.ErrNone):
		return false
	case err != nil:
		f.Why = err.Error()
	case e.Expired():
		f.Why = "its key expired on " + day(e.Expires) + ": socrates login " + vendor
	default:
		f.Ready, f.Why = true, "key in the "+where(e.Place)
	}
	return true
}

// where is a place in words.
func where(p keyring.Place) string {
	return cmp.Or(map[keyring.Place]string{keyring.System: "keyring", keyring.File: "key file"}[p], string(p))
}

func day(t time.Time) string { return t.Local().Format("2006-01-02") }
