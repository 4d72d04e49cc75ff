// Package mirror keeps a copy of a hub's store on this machine, brings it up to date before it is read, and has what changes something
// done at the hub. So every command that reads works with a hub as with the person's own store, and without the hub with what is there.
//
// A Hub is one that was connected (Connect), below a folder of its own: what is known of it, how far the copy is, and the copy. Sync brings
// the copy up to date: nodes come by their numbers, each once, refs by when they were moved, and what runs there by name. Follow does so as
// long as something is watched, woken by the hub's events. Do has an operation done there, by the one route that is for it.
//
// What a hub says is not trusted further than it must be: a node, a text or a name that is not what it says is refused, with all that came
// with it, and nothing but the hub's own folder is written. Errors are failures with a sentence; Away says of one that the hub could not
// be reached, so what was copied may be read.
package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/private"
)

// Hub is one that was connected. Safe for concurrent use.
type Hub struct {
	Link
	Token string // what lets us in
	// Warn hears of what a person should know while something is followed; nil: nobody does.
	Warn   func(text string)
	dir    string
	client *http.Client

	syncing sync.Mutex // held while the copy is brought up to date
	mu      sync.Mutex // guards the rest
	at      standing
}

// Link is how a hub is known.
type Link struct {
	URL       string `json:"url"`
	Authority string `json:"ca,omitempty"` // fingerprint of its authority; empty: one that the system trusts
}

// standing is how far a copy is.
type standing struct {
	View     string    `json:"view,omitempty"`
	After    int64     `json:"after"`
	Moved    int64     `json:"moved"`
	Synced   time.Time `json:"synced,omitzero"`
	Busy     []string  `json:"busy,omitempty"`
	Projects []Project `json:"projects,omitempty"`
}

// The files in a hub's folder.
const (
	linkFile  = "hub.json"
	standFile = "copy.json"
	storeFile = "socrates.db"
)

// Folder is where what belongs to a hub lies, below a person's data folder.
func Folder(data, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ReplaceAll(u.Hostname(), ":", "_")
	return filepath.Join(data, "hubs", host+"-"+u.Port())
}

// Open is the hub at an address that invitation.Address has approved, whether it was connected or not: without a link it is trusted as
// the system does. It reaches nobody yet.
func Open(data, address, token string) (*Hub, error) {
	h := &Hub{Link: Link{URL: address}, Token: token, dir: Folder(data, address)}
	raw, err := os.ReadFile(filepath.Join(h.dir, linkFile))
	if err == nil {
		err = json.Unmarshal(raw, &h.Link)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) || h.URL != address || h.Authority != "" && !invitation.Fingerprint(h.Authority) {
		return nil, failure.New(failure.ExitConfig, "hub", "cannot read the connection to hub "+address+" in "+h.dir,
			"connect it again: socrates hub connect INVITATION")
	}
	if raw, err := os.ReadFile(filepath.Join(h.dir, standFile)); err == nil && json.Unmarshal(raw, &h.at) != nil {
		h.at = standing{} // it is copied again
	}
	h.dial()
	return h, nil
}

// New is a hub by its link, before it is connected.
func New(data string, l Link, token string) *Hub {
	h := &Hub{Link: l, Token: token, dir: Folder(data, l.URL)}
	h.dial()
	return h
}

// dial makes the client. It does not go where a hub sends it.
func (h *Hub) dial() {
	host := ""
	if u, err := url.Parse(h.URL); err == nil {
		host = u.Hostname()
	}
	h.client = &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: invitation.TLS(host, h.Authority),
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: patience, ResponseHeaderTimeout: 2 * time.Minute,
			DialContext: dialer.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Connect keeps the link of a hub that let us in. What was copied from another one at this address is forgotten.
func (h *Hub) Connect(ctx context.Context) error {
	if err := h.Hello(ctx); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(h.Link, "", "  ")
	if err != nil {
		return err
	}
	return private.Replace(filepath.Join(h.dir, linkFile), append(raw, '\n'))
}

// Connected says whether there is a link.
func (h *Hub) Connected() bool {
	_, err := os.Stat(filepath.Join(h.dir, linkFile))
	return err == nil
}

// Forget removes what is kept of a hub, with the copy of its store.
func (h *Hub) Forget() error { return os.RemoveAll(h.dir) }

// StoreFile is where the copy lies.
func (h *Hub) StoreFile() string { return filepath.Join(h.dir, storeFile) }

// Synced is when the copy was last brought up to date; zero: never.
func (h *Hub) Synced() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at.Synced
}

// Busy says whether a process at the hub held the lock of this name when the copy was last brought up to date.
func (h *Hub) Busy(lock string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.at.Busy, lock)
}

// stand is how far the copy is.
func (h *Hub) stand() standing {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// keep notes how far the copy is. The copy itself is on disk by then: what is noted too late is copied twice, which changes nothing.
func (h *Hub) keep(at standing) error {
	h.mu.Lock()
	h.at = at
	h.mu.Unlock()
	raw, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return private.Replace(filepath.Join(h.dir, standFile), append(raw, '\n'))
}

// List are the hubs that were connected.
func List(data string) (list []Link, err error) {
	files, err := filepath.Glob(filepath.Join(data, "hubs", "*", linkFile))
	for _, f := range files {
		var l Link
		raw, err := os.ReadFile(f)
		if err == nil && json.Unmarshal(raw, &l) == nil {
			list = append(list, l)
		}
	}
	return list, err
}
