package home

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// Keyring returns the keyring of socrates login. It opens nothing.
func (k *Keys) Keyring() (keyring.Ring, error) {
	cfg, err := k.home.Settings.Load()
	if err != nil {
		return keyring.Ring{}, err
	}
	file, err := dataFile()
	return keyring.Ring{Dir: filepath.Join(filepath.Dir(file), "keys"), Files: cfg.String("keyring") == "file"}, err
}

// StoredKey returns the key of a vendor that socrates login keeps; "" if there is none. Only this may unlock
// the system's keyring. An expired key is an error, not an absent key, so that the person learns why.
func (k *Keys) StoredKey(vendor string) (string, error) {
	r, err := k.Keyring()
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

// storedReady reports whether a stored key makes a seat ready, and if one exists records why in the seat.
func (k *Keys) storedReady(f *Found, vendor string) bool {
	r, err := k.Keyring()
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

// HubKey returns the name of a hub's token among the keys.
func (k *Keys) HubKey(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return "hub-" + strings.ReplaceAll(u.Hostname(), ":", "_") + "-" + u.Port()
}

// HubToken returns the token for a hub: that of the settings, if they are about this hub or about none, else
// the stored one. Empty: there is none.
func (k *Keys) HubToken(address string) (string, error) {
	cfg, err := k.home.Settings.Load()
	if err != nil {
		return "", err
	}
	token := ""
	if own := strings.TrimRight(cfg.String("hub.url"), "/"); own == "" || strings.EqualFold(own, address) {
		if token, err = cfg.Secret("hub.token").Reveal(os.LookupEnv); err != nil {
			return "", failure.New(failure.ExitAuth, "auth", "hub.token: "+err.Error(), "")
		}
	}
	if token != "" {
		k.home.Learn(token)
		return token, nil
	}
	r, err := k.Keyring()
	if err != nil {
		return "", err
	}
	token, err = r.Get(k.HubKey(address))
	if err == keyring.ErrNone {
		return "", nil
	}
	if err != nil {
		return "", failure.New(failure.ExitAuth, "auth", "the token of the hub: "+err.Error(),
			"connect it again: socrates hub connect INVITATION")
	}
	k.home.Learn(token)
	return token, nil
}
