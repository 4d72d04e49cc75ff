package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/code"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// task is a task held by this worker.
type task struct {
	w     *Worker
	name  string
	claim fleet.Claimed
	dir   string       // the folder of a program; empty: none
	wish  atomic.Int64 // the number of the last request to use a tool
}

// do executes a task with a seat's model, sends beats meanwhile, and reports how it ended. An error is why nothing
// was reported. ctx is that of the task, which stop ends; reports are sent until run ends, whatever happens to the
// task.
func (w *Worker) do(run, ctx context.Context, stop context.CancelCauseFunc, s Answerer, name string, c fleet.Claimed) error {
	t := &task{w: w, name: name, claim: c}
	go t.beat(ctx, stop)
	out := newSender(run, t)
	commit, err := t.answer(ctx, s.Model, out)
	if cause := context.Cause(ctx); errors.Is(cause, errStale) {
		return errStale
	} else if err != nil && ctx.Err() != nil && !errors.Is(cause, errCancel) {
		return cause // this worker ends: another takes over after a lease
	}
	d := fleet.Done{Task: name, Epoch: c.Epoch, Commit: commit}
	if err != nil {
		d.Failed = trouble.As(err)
	}
	if d.First, d.Deltas, err = out.finish(run); err != nil && !errors.Is(err, errCancel) {
		return err
	}
	d.Count = d.First + len(d.Deltas)
	return w.report(run, d)
}

// report reports how a task ended, with the unsent deltas. A hub of the previous release accepts those only by
// themselves.
func (w *Worker) report(run context.Context, d fleet.Done) error {
	for {
		told, err := w.Line.Done(run, d)
		if err := outcome(told, err); err != nil || told.Have >= d.Count {
			return err
		}
		if told.Have < d.First {
			return errStale // the hub lost deltas that it had confirmed
		}
		told, err = w.Line.Node(run, fleet.Node{Task: d.Task, Epoch: d.Epoch, First: told.Have, Deltas: d.Deltas[told.Have-d.First:]})
		if err := outcome(told, err); err != nil {
			return err
		}
	}
}

// outcome converts the hub's answer, or its absence, to an error.
func outcome(told fleet.Told, err error) error {
	if errors.Is(err, bus.ErrRefused) {
		return errStale
	} else if err != nil {
		return err
	}
	return verdict(told.Verdict)
}

// verdict converts the hub's verdict to an error.
func verdict(v fleet.Verdict) error {
	switch v {
	case fleet.OK, fleet.Drain:
		return nil
	case fleet.Cancel:
		return errCancel
	}
	return errStale
}

// beat sends beats until ctx ends or the hub says that the task must stop.
func (t *task) beat(ctx context.Context, stop context.CancelCauseFunc) {
	every := time.NewTicker(max(t.w.Line.Admitted().Beat, 100*time.Millisecond))
	defer every.Stop()
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		told, err := t.w.Line.Beat(ctx, fleet.Beat{Task: t.name, Inst: t.w.inst, Epoch: t.claim.Epoch}) // until there is an answer
		if err == nil && told.Verdict == fleet.Drain {
			t.w.Drain()
		}
		if err := outcome(told, err); err != nil {
			stop(err)
			return
		}
	}
}

// answer lets the model answer, and returns the commit of its changes; empty: none.
func (t *task) answer(ctx context.Context, m llm.Model, out *sender) (commit string, err error) {
	req, err := t.request(ctx)
	if err != nil {
		return "", err
	}
	from, top := code.Remote{Task: t.name, Pass: t.claim.Pass, Dir: filepath.Join(t.w.Dir, "objects")}, ""
	if t.claim.Base != "" {
		from.URL, from.TLS = t.w.Line.Web()
		dir, free, err := t.w.folder(req.Session, t.name)
		if err != nil {
			return "", err
		}
		defer free()
		if err := t.again(ctx, func() (err error) {
			req.Dir, err = code.Fetch(ctx, from, t.claim.Base, dir)
			return err
		}); err != nil {
			return "", &trouble.Error{Kind: trouble.Crash, Message: "the worker could not fetch the files: " + err.Error(), Err: err}
		}
		top = dir
	}
	if t.claim.Works {
		req.Leave = t.leave
	}
	t.dir = req.Dir
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		if d.Call != nil {
			c := t.masked(*d.Call)
			d.Call = &c
		}
		if err := out.add(ctx, d); err != nil {
			return "", err
		}
	}
	if top == "" {
		return "", nil
	}
	err = t.again(ctx, func() (err error) {
		commit, err = code.Push(ctx, from, top, t.claim.Epoch)
		return err
	})
	if errors.Is(err, code.ErrStale) || errors.Is(err, errStale) {
		return "", errStale
	} else if err != nil {
		return "", &trouble.Error{Kind: trouble.Crash, Message: "the worker could not send its changes: " + err.Error(), Err: err}
	}
	return commit, nil
}

// request returns the request: from the claim, or from the hub's web address if it is too long for a message.
func (t *task) request(ctx context.Context) (req llm.Request, err error) {
	text := []byte(t.claim.Request)
	if len(text) == 0 {
		if err := t.again(ctx, func() (err error) {
			text, err = t.long(ctx)
			return err
		}); err != nil {
			return req, &trouble.Error{Kind: trouble.Network, Message: "the worker could not fetch the request: " + err.Error(), Err: err}
		}
	}
	if err := json.Unmarshal(text, &req); err != nil {
		return req, &trouble.Error{Kind: trouble.BadRequest, Message: "the worker cannot read the request: " + err.Error(), Err: err}
	}
	req.Effect = "" // it belongs to the hub's record
	return req, nil
}

// longest is the maximum size of a request, in bytes.
const longest = 64 << 20

// long fetches a request that is too long for a message.
func (t *task) long(ctx context.Context) ([]byte, error) {
	web, trusted := t.w.Line.Web()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, web+"/task/"+t.name+"/request", nil)
	if err != nil {
		return nil, err
	}
	r.SetBasicAuth(t.name, t.claim.Pass)
	c := http.Client{Transport: &http.Transport{TLSClientConfig: trusted, DisableKeepAlives: true}}
	resp, err := c.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", code.ErrAway, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, longest))
	if err != nil {
		err = fmt.Errorf("%w any more: %w", code.ErrAway, err)
	}
	return text, err
}

// tries is how often code is requested from a hub that answers beats.
const tries = 20

// again requests code until the hub answers: it may be restarting. A beat waits until it is back, and tells whether
// the task is still this worker's.
func (t *task) again(ctx context.Context, ask func() error) error {
	for n := 0; ; n++ {
		err := ask()
		if !errors.Is(err, code.ErrAway) || n == tries {
			return err
		}
		told, failed := t.w.Line.Beat(ctx, fleet.Beat{Task: t.name, Inst: t.w.inst, Epoch: t.claim.Epoch})
		if failed := outcome(told, failed); failed != nil {
			return failed
		}
		pause(ctx, min(100*time.Millisecond<<n, 3*time.Second))
	}
}

// masked replaces the folder in a call: the hub's has another name.
func (t *task) masked(c llm.Call) llm.Call {
	if t.dir == "" {
		return c
	}
	quoted, err := json.Marshal(t.dir)
	if err == nil {
		c.Args = bytes.ReplaceAll(c.Args, quoted[1:len(quoted)-1], []byte(code.Here))
	}
	return c
}

// leave asks the hub whether a tool may be used. It may wait for a person.
func (t *task) leave(ctx context.Context, c llm.Call) error {
	n := int(t.wish.Add(1))
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		told, err := t.w.Line.May(ctx, fleet.May{Task: t.name, Epoch: t.claim.Epoch, N: n, Call: t.masked(c)})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && told.Verdict == fleet.OK && told.No == "":
			return nil
		case err == nil && told.Verdict == fleet.OK:
			return errors.New(told.No)
		case err == nil && told.Verdict != fleet.Busy:
			return verdict(told.Verdict)
		}
		pause(ctx, wait)
	}
}

// empty makes an empty folder.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty the folder of tasks: %w", err)
	}
	return os.MkdirAll(dir, 0o700)
}

// folder returns an empty folder for a task: that of its session, so that a warm program finds the files in the same
// place.
func (w *Worker) folder(session, name string) (dir string, free func(), err error) {
	sum := sha256.Sum256([]byte(session))
	key := hex.EncodeToString(sum[:8])
	w.mu.Lock()
	if session == "" || w.folders[key] {
		key = name
	}
	w.folders[key] = true
	w.mu.Unlock()
	dir = filepath.Join(w.Dir, key)
	free = func() {
		if key == name { // nobody reuses it
			os.RemoveAll(dir)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.folders, key)
	}
	old, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, free, os.MkdirAll(dir, 0o700)
	}
	for _, e := range old {
		err = errors.Join(err, scratch.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return dir, free, err
}
