// Package keyring keeps the keys a person gave us: in the keyring of the system, or else in a file only they can
// read.
//
// Each vendor has one small file that says what is kept and where, so that listing keys never wakes the system's
// keyring. The file holds the key itself only where that keyring could not take it.
//
// A [Ring] is a folder of such files. [Ring.Set] keeps or replaces a key, [Ring.Get] returns it, [Ring.Look] and
// [Ring.List] tell what is known of it without touching it. The folder and each file must belong to the user and be
// closed to all others; else its keys are not used, and the error says which command closes it. Files are replaced
// in one step. No error text holds a key.
//
// A Ring has no state: several processes may use one folder, and of two that set the same key at once the later
// wins. The system's keyring may ask the person to unlock it, and is waited for up to a minute.
package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Origin is how a key came to us.
type Origin string

// The kinds.
const (
	Key   Origin = "key"   // the person typed it or piped it in
	OAuth Origin = "oauth" // the vendor made it when the person agreed in a browser
)

// Storage is where a key is kept.
type Storage string

// The places.
const (
	System Storage = "keyring" // of the operating system
	File   Storage = "file"
)

// Words are how a person calls a place.
func (p Storage) Words() string {
	switch p {
	case System:
		return "keyring"
	case File:
		return "key file"
	}
	return string(p)
}

// KeyInfo is what is known of a kept key without the key.
type KeyInfo struct {
	Vendor  string    `json:"vendor"`
	Kind    Origin    `json:"kind"`
	Added   time.Time `json:"added"`
	Expires time.Time `json:"expires,omitzero"` // zero: not that anybody knew
	Hint    string    `json:"hint,omitempty"`   // its last four letters, if it is long enough to spare them
	Place   Storage   `json:"place"`
}

// Expired says whether the key is known to be over.
func (e KeyInfo) Expired() bool { return !e.Expires.IsZero() && !time.Now().Before(e.Expires) }

// ErrNone says that no key of a vendor is kept.
var ErrNone = errors.New("no key is stored")

// Ring keeps keys. Its zero value is not usable: it needs a folder.
type Ring struct {
	Dir   string // of our files; made when the first key is kept
	Files bool   // leave the system's keyring alone when keeping a key
}

// record is the file of a vendor.
type record struct {
	KeyInfo
	Value string `json:"value,omitempty"` // only in Place File
}

// spareable is how long a key must be for its last letters to tell nothing.
const spareable = 16

var vendorName = pattern.Of(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Set keeps value as the key of e.Vendor in place of any other. Hint, Place and, if it is zero, Added are filled in. why
// is what kept the key out of the system's keyring, nil if it is there.
func (r Ring) Set(e KeyInfo, value string) (kept KeyInfo, why, err error) {
	if err := valid(e.Vendor); err != nil {
		return e, nil, err
	}
	if err := Check(value); err != nil {
		return e, nil, err
	}
	if e.Added.IsZero() {
		e.Added = time.Now().UTC().Truncate(time.Second)
	}
	e.Hint, e.Place = "", System
	if len(value) >= spareable {
		e.Hint = value[len(value)-4:]
	}
	was, _ := r.Look(e.Vendor)
	if why = r.setSystem(e.Vendor, value); why == nil {
		if err := r.write(record{KeyInfo: e}); err != nil {
			return e, nil, errors.Join(err, deleteSystem(e.Vendor)) // else nobody would know that it is there
		}
		return e, nil, nil
	}
	e.Place = File
	if err := r.write(record{KeyInfo: e, Value: value}); err != nil {
		return e, why, err
	}
	if was.Place == System { // of which nobody would know any more
		if err := deleteSystem(e.Vendor); err != nil {
			why = fmt.Errorf("%w; the key it replaces is still stored: %w", why, err)
		}
	}
	return e, why, nil
}

// setSystem is setSystem unless the person wants files.
func (r Ring) setSystem(vendor, value string) error {
	if r.Files {
		return errors.New("as set by keyring")
	}
	return setSystem(vendor, value)
}

// Look says what is kept of a vendor without touching the key; ErrNone if nothing is.
func (r Ring) Look(vendor string) (KeyInfo, error) {
	rec, err := r.read(vendor)
	return rec.KeyInfo, err
}

// Get returns the key of a vendor; ErrNone if none is kept.
func (r Ring) Get(vendor string) (string, error) {
	rec, err := r.read(vendor)
	if err != nil || rec.Place == File {
		return rec.Value, err
	}
	value, err := getSystem(vendor)
	if err != nil {
		return "", fmt.Errorf("the system keyring has the key but does not return it: %w", err)
	}
	return value, nil
}

// Delete forgets the key of a vendor; ErrNone if none is kept.
func (r Ring) Delete(vendor string) error {
	rec, err := r.read(vendor)
	if err != nil {
		return err
	}
	if rec.Place == System {
		if err := deleteSystem(vendor); err != nil {
			return fmt.Errorf("the key is still in the system keyring: %w", err)
		}
	}
	return r.remove(vendor)
}

// List says what is kept, sorted by vendor. What can be read is returned even if there is an error about the rest.
func (r Ring) List() ([]KeyInfo, error) {
	names, err := r.names()
	var out []KeyInfo
	for _, name := range names {
		rec, bad := r.read(name)
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		out = append(out, rec.KeyInfo)
	}
	return out, err
}

// Check is nil if value looks like a key at all.
func Check(value string) error {
	if value == "" || len(value) > longest/2 || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("a key is one word of ASCII letters, digits and symbols")
	}
	return nil
}

func valid(vendor string) error {
	if !vendorName().MatchString(vendor) {
		return fmt.Errorf("no key can be stored for %q: use lowercase letters, digits, dots and dashes", vendor)
	}
	return nil
}

// missing turns a file that is not there into ErrNone.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	return err
}
