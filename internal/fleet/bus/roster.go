package bus

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/private"
)

// Worker is the hub's record of a worker.
type Worker struct {
	Name     string    `json:"name"`
	Key      string    `json:"key"`              // its public key
	Queues   []string  `json:"queues,omitempty"` // the last grant
	Admitted time.Time `json:"admitted"`
	Revoked  time.Time `json:"revoked,omitzero"` // zero: it is not revoked
	Expires  time.Time `json:"expires"`          // when it must join again, unless it connects before
	Seen     time.Time `json:"seen,omitzero"`    // its last call; up to a minute may be lost when the hub is killed
}

// invitation is a token without its secret.
type invitation struct {
	ID      string    `json:"id"`
	Worker  string    `json:"worker"`
	Hash    string    `json:"hash"` // of the secret
	Expires time.Time `json:"expires"`
	Used    string    `json:"used,omitempty"` // the key that joined with it
}

// roster is the list of workers, in one file. Every change is on disk before it takes effect.
type roster struct {
	file string
	now  func() time.Time

	mu    sync.Mutex
	saved time.Time
	data  rosterData
}

type rosterData struct {
	Workers map[string]*Worker     `json:"workers"`
	Invited map[string]*invitation `json:"invited"`
	Revoked map[string]time.Time   `json:"revoked"` // revoked keys, and when
}

// openRoster reads the file; a new folder has none.
func openRoster(file string, now func() time.Time) (*roster, error) {
	r := &roster{file: file, now: now, saved: now()}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cannot read the hub's workers: %w", err)
	default:
		if err := json.Unmarshal(text, &r.data); err != nil {
			return nil, fmt.Errorf("%s is damaged: restore it from a backup: %w", file, err)
		}
	}
	r.data = r.data.whole()
	return r, nil
}

// whole returns the data with writable maps.
func (d rosterData) whole() rosterData {
	if d.Workers == nil {
		d.Workers = map[string]*Worker{}
	}
	if d.Invited == nil {
		d.Invited = map[string]*invitation{}
	}
	if d.Revoked == nil {
		d.Revoked = map[string]time.Time{}
	}
	return d
}

// change makes a change and saves it; if that fails, the change is undone.
func (r *roster) change(make func(*rosterData) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, err := json.Marshal(r.data)
	if err != nil {
		return err
	}
	if err = make(&r.data); err == nil {
		err = r.save()
	}
	if err != nil {
		r.data = rosterData{}
		if bad := json.Unmarshal(before, &r.data); bad != nil {
			return errors.Join(err, bad)
		}
		r.data = r.data.whole()
	}
	return err
}

// save writes the file without obsolete entries.
func (r *roster) save() error {
	now := r.now()
	maps.DeleteFunc(r.data.Invited, func(_ string, i *invitation) bool { return now.Sub(i.Expires) > kept })
	maps.DeleteFunc(r.data.Revoked, func(_ string, at time.Time) bool { return now.Sub(at) > kept+granted })
	text, err := json.MarshalIndent(r.data, "", "  ")
	if err != nil {
		return err
	}
	if err := private.Replace(r.file, append(text, '\n')); err != nil {
		return fmt.Errorf("cannot save the hub's workers: %w", err)
	}
	r.saved = now
	return nil
}

// invite records a token for a worker, and returns its id and secret.
func (r *roster) invite(worker string, life time.Duration) (id, secret string, err error) {
	id, secret = rand.Text()[:16], rand.Text()
	err = r.change(func(d *rosterData) error {
		d.Invited[id] = &invitation{ID: id, Worker: worker, Hash: hashed(secret), Expires: r.now().Add(life)}
		return nil
	})
	return id, secret, err
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// refusal is why a worker is refused, in words for it.
type refusal string

// Error returns the reason.
func (r refusal) Error() string { return string(r) }

// admit admits a key with a token, and returns the worker's name and the key that it replaces, if any. The same key
// may use the same token again, in case the answer was lost.
func (r *roster) admit(id, secret, key string) (worker, replaced string, err error) {
	err = r.change(func(d *rosterData) error {
		i := d.Invited[id]
		switch {
		case i == nil || subtle.ConstantTimeCompare([]byte(i.Hash), []byte(hashed(secret))) == 0:
			return refusal("the hub does not know this token")
		case i.Used != "" && i.Used != key:
			return refusal("this token was used before")
		case !r.now().Before(i.Expires):
			return refusal("this token has expired")
		case !d.Revoked[key].IsZero():
			return refusal("this key was revoked")
		}
		worker = i.Worker
		if old := d.Workers[worker]; old != nil && old.Key != key {
			replaced = old.Key
			d.Revoked[old.Key] = r.now()
		}
		if old := d.Workers[worker]; old == nil || old.Key != key {
			d.Workers[worker] = &Worker{Name: worker, Key: key, Admitted: r.now(), Expires: r.now().Add(kept)}
		}
		i.Used = key
		return nil
	})
	return worker, replaced, err
}

// revoke revokes a worker and the tokens made for it.
func (r *roster) revoke(worker string) error {
	return r.change(func(d *rosterData) error {
		w, known := d.Workers[worker], false
		maps.DeleteFunc(d.Invited, func(_ string, i *invitation) bool {
			known = known || i.Worker == worker
			return i.Worker == worker
		})
		if w == nil {
			if !known {
				return fmt.Errorf("%w %q", ErrUnknown, worker)
			}
			return nil
		}
		if w.Revoked.IsZero() {
			w.Revoked, w.Queues = r.now(), nil
			d.Revoked[w.Key] = w.Revoked
		}
		return nil
	})
}

// grant records a worker's grant.
func (r *roster) grant(worker string, queues []string) error {
	return r.change(func(d *rosterData) error {
		w := d.Workers[worker]
		if w == nil || !w.Revoked.IsZero() {
			return refusal("this worker was revoked")
		}
		w.Queues, w.Expires = slices.Clone(queues), r.now().Add(kept)
		return nil
	})
}

// seen records a call of a worker. It returns false if the worker may not call.
func (r *roster) seen(worker string) (Worker, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.data.Workers[worker]
	if w == nil || !w.Revoked.IsZero() {
		return Worker{}, false
	}
	w.Seen = r.now()
	if w.Seen.Sub(r.saved) > time.Minute {
		r.saved = w.Seen
		_ = r.save() // the next one tries again: only a time is lost
	}
	return *w, true
}

// list returns all workers that ever joined, by name.
func (r *roster) list() (all []Worker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.data.Workers)) {
		w := *r.data.Workers[name]
		w.Queues = slices.Clone(w.Queues)
		all = append(all, w)
	}
	return all
}

// revoked returns the revoked keys.
func (r *roster) revoked() map[string]time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.data.Revoked)
}

// queues returns all granted queues.
func (r *roster) queues() (all []string) {
	for _, w := range r.list() {
		all = append(all, w.Queues...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// flush saves the times of the last calls.
func (r *roster) flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.save()
}

// knows reports whether a worker ever joined.
func (r *roster) knows(worker string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data.Workers[worker] != nil
}
