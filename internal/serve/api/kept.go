package api

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// keptTime is how long an answer to a request with a key is kept, and mostKept how many are.
const (
	keptTime = 24 * time.Hour
	mostKept = 10_000
)

// kept is an answer for retries. A retry that arrives during the first request waits for it.
type kept struct {
	once   sync.Mutex // held during the first request
	key    string     // hash of the caller's name and the key
	body   string     // its hash
	until  time.Time
	answer *recorder // nil: none yet; written with both locks held
}

// once performs a request with a key once. A retry gets the same answer; the key with another body is refused. A
// failure is not kept. The key belongs to one caller: names of tokens are unique.
func (a *answers) once(t Route, w http.ResponseWriter, r *http.Request, c guard.Caller) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return &Problem{Status: http.StatusRequestEntityTooLarge, Detail: "the body is incomplete"}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	// Method and path count as well: a key belongs to one request.
	sum := sha256.Sum256(append([]byte(r.Method+" "+r.URL.Path+"\n"), raw...))
	key := sha256.Sum256([]byte(c.Name + "\n" + r.Header.Get("Idempotency-Key")))
	k := a.keep(hex.EncodeToString(key[:]), hex.EncodeToString(sum[:]))
	k.once.Lock()
	defer k.once.Unlock()
	switch {
	case k.body != hex.EncodeToString(sum[:]):
		return &Problem{Status: http.StatusUnprocessableEntity, Detail: "this Idempotency-Key was used for another request"}
	case k.answer != nil:
		k.answer.copyTo(w)
		return nil
	}
	// The answer is kept before anything is written to the client.
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	if err := t.perform(a.Host, rec, r, c); err != nil {
		return err // nothing happened: a retry tries again
	}
	a.write(k, rec)
	rec.copyTo(w)
	return nil
}

// keep finds or makes the entry of a key. It drops expired entries, and the oldest of a full map. All are kept
// equally long, so they expire in order of arrival.
func (a *answers) keep(key, body string) *kept {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for len(a.order) > 0 && now.After(a.kept[a.order[0]].until) {
		a.drop()
	}
	k := a.kept[key]
	if k == nil {
		if len(a.order) >= mostKept {
			a.drop()
		}
		k = &kept{key: key, body: body, until: now.Add(keptTime)}
		a.kept[key], a.order = k, append(a.order, key)
	}
	return k
}

// drop drops the oldest. The caller holds a.mu.
func (a *answers) drop() {
	delete(a.kept, a.order[0])
	a.order = a.order[1:]
}

// recorder records an answer. It is an http.ResponseWriter whose answer is sent later, perhaps more than once.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header can be changed until the answer is copied.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the status; nothing is sent yet.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write records the body.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// copyTo sends the answer, as often as it is called.
func (r *recorder) copyTo(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	w.Write(r.body.Bytes())
}

// line is an answer in the file, one a line: keys stay valid across a restart of the server.
type line struct {
	Key    string      `json:"key"`
	Body   string      `json:"body"`
	Until  time.Time   `json:"until"`
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Answer []byte      `json:"answer"`
}

// file is the file of kept answers, one for each person of a hub; empty: none. Only one server writes it: a store has
// one.
func (a *answers) file() string {
	if a.State == "" {
		return ""
	}
	if a.Person != "" {
		return filepath.Join(a.State, "answers-"+a.Person+".jsonl")
	}
	return filepath.Join(a.State, "answers.jsonl")
}

// read loads what an earlier server kept, and rewrites the file without expired answers. A damaged line is skipped:
// at worst a request is repeated.
func (a *answers) read() {
	raw, err := os.Open(a.file())
	if err != nil {
		return
	}
	lines := bufio.NewScanner(raw)
	lines.Buffer(nil, 2*guard.MostBody)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil || l.Key == "" || time.Now().After(l.Until) {
			continue
		}
		k := a.keep(l.Key, l.Body)
		k.body, k.until = l.Body, l.Until
		k.answer = &recorder{header: l.Header, status: l.Status, body: *bytes.NewBuffer(l.Answer)}
	}
	raw.Close()
	slices.SortStableFunc(a.order, func(x, y string) int { return a.kept[x].until.Compare(a.kept[y].until) })
	a.rewrite()
}

// write keeps an answer and appends it to the file, which it rewrites once most of it has expired. If that fails the
// answer is kept in memory only: the request was performed, and an error would repeat it.
func (a *answers) write(k *kept, rec *recorder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k.answer = rec
	if a.file() == "" || os.MkdirAll(a.State, 0o700) != nil {
		return
	}
	if a.lines++; a.lines > 2*mostKept {
		a.rewrite()
		return
	}
	f, err := os.OpenFile(a.file(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(k.line())
	f.Sync()
}

// rewrite writes everything that is kept. The caller holds a.mu, or nobody else has a.
func (a *answers) rewrite() {
	var all bytes.Buffer
	a.lines = 0
	for _, key := range a.order {
		if k := a.kept[key]; k.answer != nil {
			all.Write(k.line())
			a.lines++
		}
	}
	private.Replace(a.file(), all.Bytes()) // the old file is as good, only longer
}

// line encodes an answer.
func (k *kept) line() []byte {
	r := k.answer
	raw, _ := json.Marshal(line{k.key, k.body, k.until, r.status, r.header, r.body.Bytes()}) // of strings and numbers
	return append(raw, '\n')
}
