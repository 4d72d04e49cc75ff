package mirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/mirror"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// far is a hub with a store, as far as copies of it go.
type far struct {
	*testing.T
	store *store.Store
	edit  func(c *engine.Copy)                                     // what it says instead; nil: what is so
	other func(w http.ResponseWriter, r *http.Request) (done bool) // what it does instead; nil: nothing
	asked []string
}

// newFar starts a hub, and a copy of it that has nothing yet.
func newFar(t *testing.T) (f *far, h *mirror.Hub, copied *store.Store) {
	f = &far{T: t}
	open := func(path string) *store.Store {
		s, err := store.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	f.store = open(filepath.Join(t.TempDir(), "far.db"))
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	h = mirror.New(t.TempDir(), mirror.Link{URL: server.URL}, "token")
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f, h, open(h.StoreFile())
}

// ServeHTTP answers as a hub does.
func (f *far) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
	if r.Header.Get("Authorization") != "Bearer token" {
		f.Error("no token:", r.Header)
	}
	if f.other != nil && f.other(w, r) {
		return
	}
	var c engine.Copy
	if r.URL.Path == "/api/v1/mirror" {
		number := func(key string) int64 {
			n, err := strconv.ParseInt(r.FormValue(key), 10, 64)
			if err != nil {
				f.Error(key, err)
			}
			return n
		}
		var err error
		c.Page, err = store.CopiesOf(f.store).Page(r.Context(), store.PageQuery{After: number("after"), Moved: time.UnixMilli(number("moved"))})
		if err != nil {
			f.Error(err)
		}
		c.View, c.Busy = "all", []string{"room-x"}
		if f.edit != nil {
			f.edit(&c)
		}
	}
	json.NewEncoder(w).Encode(c)
}

// say commits a node with a ref at the hub.
func (f *far) say(name, text string) tree.ID {
	f.Helper()
	n := tree.Node{ID: tree.NewID(), Kind: string(record.OrderKind), By: "person", Body: json.RawMessage(fmt.Sprintf(`{"text":%q}`, text))}
	moves := []store.Move{{Ref: "tree/" + name, To: n.ID}}
	if _, err := f.store.Commit(f.Context(), store.Change{Nodes: []tree.Node{n}, Moves: moves}); err != nil {
		f.Fatal(err)
	}
	return n.ID
}

// has wants the copy to have what the hub has.
func (f *far) has(h *mirror.Hub, copied *store.Store) {
	f.Helper()
	if err := h.Sync(f.Context(), copied); err != nil {
		f.Fatal(err)
	}
	a, err := store.CopiesOf(f.store).Digest(f.Context())
	b, failed := store.CopiesOf(copied).Digest(f.Context())
	if err := errors.Join(err, failed); err != nil || a != b {
		f.Errorf("the copy has %s, the hub %s, %v", b, a, err)
	}
}

// A copy takes each node once, follows what is moved and discarded, and starts over where the person sees other things than before.
func TestSync(t *testing.T) {
	f, h, copied := newFar(t)
	if !h.Synced().IsZero() || h.Busy("room-x") {
		t.Error("it is synced before it was")
	}
	one := f.say("one", "a")
	f.has(h, copied)
	if h.Synced().IsZero() || !h.Busy("room-x") || h.Busy("room-y") {
		t.Error("synced", h.Synced(), "busy", h.Busy("room-x"))
	}
	two := f.say("two", "b")
	f.asked = nil
	f.has(h, copied)
	if len(f.asked) == 0 || !strings.Contains(f.asked[0], "after=1&") {
		t.Error("asked", f.asked)
	}
	if _, err := f.store.Commit(t.Context(), store.Change{Moves: []store.Move{{Ref: "tree/one", From: one, To: two}}}); err != nil {
		t.Fatal(err)
	}
	f.has(h, copied)
	if ref, err := f.store.Ref(t.Context(), "tree/two"); err != nil || f.store.Discard(t.Context(), "person", ref) != nil {
		t.Fatal("not discarded", err)
	}
	f.has(h, copied)
	again, err := mirror.Open(filepath.Dir(filepath.Dir(filepath.Dir(h.StoreFile()))), h.URL, "token")
	if err != nil || !again.Connected() || !again.Busy("room-x") {
		t.Error("what is known of it is not there any more:", err)
	}
	f.edit = func(c *engine.Copy) { c.View = "some" } // it may see other things
	f.has(h, copied)
	if !strings.Contains(strings.Join(f.asked, " "), "after=0&moved=0") {
		t.Error("asked", f.asked)
	}
	if err := h.Forget(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(h.StoreFile()); err == nil || h.Connected() {
		t.Error("it is not forgotten")
	}
}

// What cannot be is refused, and the copy stays as it was.
func TestAHubThatLies(t *testing.T) {
	for name, row := range map[string]struct {
		edit func(c *engine.Copy)
		says string
	}{
		"a node twice":           {func(c *engine.Copy) { c.Nodes = append(c.Nodes, c.Nodes[0]) }, "out of order"},
		"a node of no number":    {func(c *engine.Copy) { c.Nodes[0].Seq = 0 }, "out of order"},
		"a node behind the last": {func(c *engine.Copy) { c.Nodes[0].Seq = 9 }, "out of order"},
		"no end":                 {func(c *engine.Copy) { *c = engine.Copy{Page: store.Page{More: true}, View: c.View} }, "another one follows"},
		"a lock upwards":         {func(c *engine.Copy) { c.Busy = []string{"../../x"} }, "not the name of a lock"},
		"a long lock":            {func(c *engine.Copy) { c.Busy = []string{strings.Repeat("x", 301)} }, "not the name of a lock"},
		"a text of another hash": {func(c *engine.Copy) { c.Texts = map[string]string{strings.Repeat("ab", 32): "x"} }, "was refused"},
		"a ref upwards":          {func(c *engine.Copy) { c.Refs[0].Name = "../x" }, "was refused"},
		"a ref to nothing":       {func(c *engine.Copy) { c.Refs[0].Head = tree.NewID() }, "was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			f, h, copied := newFar(t)
			f.say("one", "a")
			f.edit = row.edit
			if err := h.Sync(t.Context(), copied); err == nil || !strings.Contains(err.Error(), row.says) || mirror.Away(err) {
				t.Errorf("%v, want %q", err, row.says)
			}
			if last, err := copied.Version(t.Context()); err != nil || last != 0 || !h.Synced().IsZero() {
				t.Errorf("the copy has %d, %v", last, err)
			}
			f.edit = nil
			f.has(h, copied)
		})
	}
}

// What a hub answers instead is told by what it means for whoever asked; only where it could not be reached may the copy be read.
func TestAnswers(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		says   string
		code   int
		away   bool
	}{
		"a token that ended": {401, "", "does not know the token", failure.ExitAuth, false},
		"too small a scope":  {403, `{"detail":"no scope"}`, "at the hub: no scope", failure.ExitDenied, false},
		"an older hub":       {404, `{"detail":"no such page"}`, "older version", failure.ExitFailed, false},
		"another name":       {421, `{"detail":"x"}`, "does not go by this name", failure.ExitFailed, false},
		"a proxy":            {502, `{"detail":"no hub"}`, "cannot be reached", failure.ExitProvider, true},
		"its own code":       {400, `{"detail":"no","exit_code":7}`, "at the hub: no", 7, false},
		"a code of nobody":   {400, `{"detail":"no","exit_code":700}`, "at the hub: no", failure.ExitFailed, false},
		"no hub":             {200, `<html>`, "does not respond like a hub", failure.ExitFailed, false},
		"somewhere else":     {302, "", "answers 302", failure.ExitFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, h, copied := newFar(t)
			f.other = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(row.status)
				fmt.Fprint(w, row.body)
				return true
			}
			err := h.Sync(t.Context(), copied)
			e, ok := errors.AsType[*failure.Error](err)
			if !ok || !strings.Contains(err.Error(), row.says) || e.Code != row.code || mirror.Away(err) != row.away {
				t.Errorf("%v (%+v), away: %t", err, e, mirror.Away(err))
			}
		})
	}
	h := mirror.New(t.TempDir(), mirror.Link{URL: "http://127.0.0.1:1"}, "token")
	if err := h.Hello(t.Context()); !mirror.Away(err) {
		t.Error(err)
	}
}

// The hub's project is found by a name, a folder or the first commit, also while the hub is away; what is no folder of its is not listed.
func TestProject(t *testing.T) {
	f, h, _ := newFar(t)
	f.other = func(w http.ResponseWriter, r *http.Request) bool {
		fmt.Fprint(w, `{"items":[{"folder":"/srv/app","commit":"c1"},{"folder":"/old/app","commit":"c2"},{"folder":"C:\\work\\web","commit":"c3"},
			{"folder":"up","commit":"c4"}]}`)
		return true
	}
	for i := range 2 {
		for _, row := range []struct{ name, commit, want, says string }{
			{"", "c1", "/srv/app", ""}, {"web", "", `C:\work\web`, ""}, {"/old/app", "", "/old/app", ""}, {"web", "c1", `C:\work\web`, ""},
			{"app", "", "", "several projects"}, {"none", "", "", "no project none"}, {"", "", "", "no project for this repository"},
			{"", "c4", "", "no project for this repository"}, {"up", "", "", "no project up"},
		} {
			p, err := h.Project(t.Context(), row.name, row.commit)
			if p.Folder != row.want || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%d: %+v: %+v, %v", i, row, p, err)
			}
		}
		f.other = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true } // it is away
	}
}

// A change whose answer is lost is sent again under the same key, so that it is done once; one that is refused is not.
func TestChange(t *testing.T) {
	f, h, _ := newFar(t)
	var keys []string
	answer := []int{502, 200}
	f.other = func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(answer[len(keys)])
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		fmt.Fprint(w, `{"detail":"x"}`)
		return true
	}
	err := h.Change(t.Context(), http.MethodPost, "/api/v1/x", map[string]any{"a": 1}, nil)
	if err != nil || len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Error(keys, err)
	}
	keys, answer = nil, []int{400}
	if err := h.Change(t.Context(), http.MethodPost, "/api/v1/x", nil, nil); err == nil || len(keys) != 1 {
		t.Error(keys, err)
	}
}
