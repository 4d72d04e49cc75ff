package code

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
)

const (
	mostAsked  = 4 << 20 // bytes of a fetch request, unpacked
	mostPushed = 1 << 30 // bytes of a push
	mostAtOnce = 3       // concurrent requests of one task, so that none can block all others
	longest    = time.Hour
)

// Hub is what Handler needs of the hub. All of it must be quick and safe for concurrent use.
type Hub struct {
	// Gate reports whether a pass is valid now, and returns its epoch, also if it no longer is. It is called at the
	// beginning of each request and once more at the end of a push.
	Gate    func(pass, task string) (epoch int, ok bool)
	Request func(ctx context.Context, task string) ([]byte, error)
	Refused func(task string, epoch int, why string) // receives refusals; epoch 0: the pass was never valid
}

// Handler serves the tasks in dir to the workers that hold them:
//
//   - /code/TASK.git by git's smart HTTP, version 1: unlike version 2, it serves only what refs reach;
//   - GET /task/TASK/request, a call that is too large for a message, which Request returns.
//
// The user is the task, the password its pass.
func Handler(dir string, of Hub) http.Handler {
	h := &handler{dir: dir, Hub: of, turns: make(chan struct{}, 2+2*runtime.GOMAXPROCS(0)), most: mostPushed, busy: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /code/{task}/info/refs", h.guarded(h.refs))
	mux.HandleFunc("POST /code/{task}/git-upload-pack", h.guarded(h.upload))
	mux.HandleFunc("POST /code/{task}/git-receive-pack", h.guarded(h.receive))
	mux.HandleFunc("GET /task/{task}/request", h.guarded(h.call))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.Refused("", 0, "it asked for an unknown address")
		http.NotFound(w, r)
	})
	return mux
}

// handler is what Handler makes.
type handler struct {
	dir string
	Hub
	turns chan struct{} // limits concurrent git processes
	most  int64         // bytes of a push

	making sync.Mutex // held while a ref is made

	mu   sync.Mutex
	busy map[string]int // current requests of each task
}

// visit is an authorized request.
type visit struct {
	w          http.ResponseWriter
	r          *http.Request
	conn       *http.ResponseController
	task, pass string
	epoch      int
}

// guarded authorizes requests with the task's pass. Others get the same answer for every task, whether it exists or
// not.
func (h *handler) guarded(next func(v visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		task, ok := r.PathValue("task"), true
		if strings.HasPrefix(r.URL.Path, "/code/") {
			task, ok = strings.CutSuffix(task, ".git")
		}
		user, pass, has := r.BasicAuth()
		if !has {
			h.Refused("", 0, "it has no pass")
			w.Header().Set("WWW-Authenticate", `Basic realm="socrates"`)
			http.Error(w, "a pass is needed", http.StatusUnauthorized)
			return
		}
		v := visit{w, r, http.NewResponseController(w), task, pass, 0}
		if ok = ok && user == task && named(task) == nil; ok {
			v.epoch, ok = h.Gate(pass, task)
		} else {
			task = "" // an invalid name
		}
		if !ok {
			h.Refused(task, v.epoch, "its pass is not that of the task's current holder")
			http.Error(w, ErrStale.Error(), http.StatusForbidden)
			return
		}
		if !h.enter(task) {
			h.Refused(task, v.epoch, "the task has too many requests open")
			http.Error(w, "the task has too many requests open", http.StatusTooManyRequests)
			return
		}
		defer h.leave(task)
		ctx, cancel := context.WithTimeout(r.Context(), longest)
		defer cancel()
		v.r = r.WithContext(ctx)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next(v)
	}
}

// enter counts a request of a task, unless it has too many.
func (h *handler) enter(task string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[task] == mostAtOnce {
		return false
	}
	h.busy[task]++
	return true
}

// leave ends what enter began.
func (h *handler) leave(task string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[task]--; h.busy[task] == 0 {
		delete(h.busy, task)
	}
}

// store opens the repository of the task and waits for a turn. done returns the turn.
func (h *handler) store(v visit) (s git.Store, done func(), ok bool) {
	select {
	case h.turns <- struct{}{}:
	case <-v.r.Context().Done():
		return s, nil, false
	}
	s, err := open(v.r.Context(), h.dir, v.task)
	if err == nil {
		return frugal(s), func() { <-h.turns }, true
	}
	<-h.turns
	status := http.StatusInternalServerError
	if errors.Is(err, fs.ErrNotExist) {
		status = http.StatusNotFound
	}
	http.Error(v.w, http.StatusText(status), status)
	return s, nil, false
}

// refs answers what can be fetched, or pushed to.
func (h *handler) refs(v visit) {
	service := v.r.URL.Query().Get("service")
	if service != "git-upload-pack" && service != "git-receive-pack" {
		h.Refused(v.task, v.epoch, "it does not speak git's smart HTTP")
		http.Error(v.w, "only git's smart HTTP is spoken here", http.StatusForbidden)
		return
	}
	s, done, ok := h.store(v)
	if !ok {
		return
	}
	defer done()
	v.w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
	out := moving{w: v.w, conn: v.conn}
	io.WriteString(out, pkt("# service=%s\n", service)+flush)
	if service == "git-upload-pack" {
		h.serve(v, s, nil, "upload-pack", "--stateless-rpc", "--advertise-refs", "--strict", place(h.dir, v.task))
		return
	}
	all, err := refs(v.r.Context(), s)
	if err != nil || len(all) == 0 {
		return // an incomplete answer is visible to the client
	}
	able := "\x00report-status ofs-delta object-format=sha1 " + agent
	for _, name := range slices.Sorted(maps.Keys(all)) {
		io.WriteString(out, pkt("%s %s%s\n", all[name], name, able))
		able = ""
	}
	io.WriteString(out, flush)
}

// upload answers a fetch.
func (h *handler) upload(v visit) {
	body := io.Reader(http.MaxBytesReader(v.w, v.r.Body, mostAsked))
	if v.r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			h.Refused(v.task, v.epoch, "a fetch that cannot be unpacked")
			http.Error(v.w, "the request cannot be unpacked", http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	asked, err := io.ReadAll(io.LimitReader(moving{r: body, conn: v.conn}, mostAsked+1))
	if err != nil || len(asked) > mostAsked {
		if _, large := errors.AsType[*http.MaxBytesError](err); large || err == nil {
			h.Refused(v.task, v.epoch, "a fetch that asks for too much")
		}
		http.Error(v.w, "the request is incomplete or too large", http.StatusBadRequest)
		return
	}
	s, done, ok := h.store(v)
	if !ok {
		return
	}
	defer done()
	if err := wanted(v.r.Context(), s, asked); err != nil {
		h.Refused(v.task, v.epoch, err.Error())
		http.Error(v.w, err.Error(), http.StatusForbidden)
		return
	}
	v.w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	h.serve(v, s, asked, "upload-pack", "--stateless-rpc", "--strict", place(h.dir, v.task))
}

// wanted returns an error if a fetch asks for anything that no ref names. Git checks that as well, but only for
// commits: whoever knows the name of another object would get it.
func wanted(ctx context.Context, s git.Store, asked []byte) error {
	all, err := refs(ctx, s)
	if err != nil {
		return errors.New("the refs cannot be read")
	}
	tips := map[string]bool{}
	for _, hash := range all {
		tips[hash] = true
	}
	in := bufio.NewReader(bytes.NewReader(asked))
	for {
		text, _, err := readPkt(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("this is not a fetch request")
		}
		if rest, ok := strings.CutPrefix(text, "want "); ok && (len(rest) < 40 || !tips[rest[:40]]) {
			return errors.New("only what refs name can be fetched")
		}
	}
}

// serve runs git and relays its output. If it fails midway the connection is broken, so that nobody takes the answer
// for complete.
func (h *handler) serve(v visit, s git.Store, in []byte, args ...string) {
	if err := v.conn.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
	pass := func(out io.Reader) error {
		_, err := io.Copy(moving{w: v.w, conn: v.conn}, out)
		return err
	}
	if err := s.Stream(v.r.Context(), strings.NewReader(string(in)), pass, args...); err != nil {
		panic(http.ErrAbortHandler) // how net/http breaks a connection
	}
}

// call answers with the task's request.
func (h *handler) call(v visit) {
	raw, err := h.Request(v.r.Context(), v.task)
	if err != nil {
		http.Error(v.w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	}
	v.w.Header().Set("Content-Type", "application/json")
	moving{w: v.w, conn: v.conn}.Write(raw)
}

// frugal limits git's memory for packing and unpacking.
func frugal(s git.Store) git.Store {
	return s.With("pack.threads", "1").With("pack.windowMemory", "64m").With("core.bigFileThreshold", bigFile).
		With("core.deltaBaseCacheLimit", "32m")
}
