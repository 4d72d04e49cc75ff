package hub_test

import (
	"context"
	"database/sql"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
)

// The steps between which a hub may be killed, in the order in which a task comes to them.
var faults = []string{
	"put is committed, and not queued", "claim is committed, and not answered", "use of a tool is committed, and not answered",
	"push is taken, and not answered", "text is committed, and not answered", "end is committed, and not acknowledged",
	"end is acknowledged, and not answered",
}

// die ends this process as kill -9 does, if it was to end here.
func (p *testHub) die(here string) {
	if p.fault == here {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		p.Log(err)
		select {}
	}
}

// puts is the socket's part of the faults.
func (p *testHub) puts(h socket.Hub) socket.Hub {
	put := h.Put
	h.Put = func(ctx context.Context, k lease.Task) error {
		if p.fault == faults[0] {
			if _, err := p.table.Put(k); err != nil {
				return err
			}
		}
		p.die(faults[0])
		return put(ctx, k)
	}
	return h
}

// calls is the part of workers' calls.
func (p *testHub) calls(h bus.Handler) bus.Handler {
	faulty := h
	faulty.Claim = func(ctx context.Context, w string, c fleet.Claim) (fleet.Claimed, error) {
		got, err := h.Claim(ctx, w, c)
		if got.Verdict == fleet.OK {
			p.die(faults[1])
		}
		return got, err
	}
	faulty.May = func(ctx context.Context, w string, m fleet.May) (fleet.Told, error) {
		told, err := h.May(ctx, w, m)
		p.die(faults[2])
		return told, err
	}
	faulty.Node = func(ctx context.Context, w string, n fleet.Node) (fleet.Told, error) {
		told, err := h.Node(ctx, w, n)
		p.die(faults[4])
		return told, err
	}
	faulty.Done = func(ctx context.Context, w string, d fleet.Done) (fleet.Told, error) {
		if p.fault == faults[5] {
			if _, _, err := p.table.Done(w, d); err != nil {
				return fleet.Told{}, err
			}
			p.die(faults[5])
		}
		told, err := h.Done(ctx, w, d)
		p.die(faults[6])
		return told, err
	}
	return faulty
}

// pushes is the part of code.
func (p *testHub) pushes(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.fault == faults[3] && strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
			h.ServeHTTP(httptest.NewRecorder(), r)
			p.die(faults[3])
		}
		h.ServeHTTP(w, r)
	})
}

// long is more than fits into the report of a call's end, so that some of it is sent before, however fast the machine is.
var long = strings.Repeat(".", 300<<10)

// works is a program that asks before it writes a file.
type works struct{}

// Info is a program of an own vendor.
func (works) Info() llm.Info { return llm.Info{ID: "works", Lineage: "acme", Acts: true} }

// Stream is that of llm.Model.
func (works) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		text := req.Messages[0].Text()
		err := req.Leave(ctx, llm.Call{Name: "write"})
		if err == nil {
			err = os.WriteFile(filepath.Join(req.Dir, text), []byte("here"), 0o600)
		}
		switch {
		case err != nil:
			yield(llm.Delta{}, err)
		case yield(llm.Delta{Text: text + long}, nil):
			yield(llm.Delta{End: &llm.End{Message: llm.AssistantText(text)}}, nil)
		}
	}
}

// TestHubThatIsKilled is a process of TestKilledBetween: a hub that ends at one of the faults.
func TestHubThatIsKilled(t *testing.T) {
	at := strings.Split(os.Getenv("HUB_IS_KILLED"), "\n")
	if len(at) != 4 {
		t.Skip("a hub that TestKilledBetween starts")
	}
	p := &testHub{TB: t, dir: at[0], term: 30 * time.Second, addr: at[1], web: at[2], fault: at[3]}
	p.start()
	<-t.Context().Done() // it is killed before
}

// A hub that is killed between any two steps of a task loses nothing and does nothing twice: each task is claimed once, done once, answered
// once, and what it changed is there.
func TestKilledBetween(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, project := newPlace(t, 30*time.Second), repository(t)
			p.work("w1", 1, works{})
			p.work("w2", 1, works{})
			m := p.remote()
			p.stop()
			hub := exec.Command(os.Args[0], "-test.run", "^TestHubThatIsKilled$")
			hub.Env = append(os.Environ(), "HUB_IS_KILLED="+strings.Join([]string{p.dir, p.addr, p.web, fault}, "\n"))
			var out strings.Builder
			hub.Stdout, hub.Stderr = &out, &out
			if err := hub.Start(); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			tasks := []string{"one", "two", "three"}
			for _, text := range tasks {
				all.Go(func() {
					said, ends := "", 0
					req := llm.Request{Messages: []llm.Message{llm.UserText(text)}, Dir: project, Effect: text,
						Leave: func(context.Context, llm.Call) error { return nil }}
					for d, err := range m.Stream(t.Context(), req) {
						if err != nil {
							t.Errorf("%s: %v", text, err)
							return
						}
						said += d.Text
						if d.End != nil {
							ends++
						}
					}
					if here, err := os.ReadFile(filepath.Join(project, text)); said != text+long || ends != 1 || string(here) != "here" {
						t.Errorf("%s: it said %.20q (%d bytes), ended %d times and left %q, %v", text, said, len(said), ends, here, err)
					}
				})
			}
			if err := hub.Wait(); err == nil || strings.Contains(out.String(), "FAIL") {
				t.Errorf("the hub was not killed: %v\n%s", err, &out)
			}
			p.fault = ""
			p.start()
			all.Wait()
			p.once(3)
		})
	}
}

// once wants so many tasks, each done, and claimed once.
func (p *testHub) once(tasks int) {
	p.Helper()
	workers, err := p.table.Workers(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	done, busy := 0, 0
	for _, w := range workers {
		done, busy = done+w.Done, busy+w.Busy
	}
	open, err := p.table.Tasks(p.Context())
	if err != nil || done != tasks || busy != 0 || len(open) != 0 {
		p.Errorf("%d tasks are done, %d held, %d open, %v; want %d and none", done, busy, len(open), err, tasks)
	}
	claims, err := p.claims()
	if err != nil || claims != tasks {
		p.Errorf("%d claims for %d tasks, %v", claims, tasks, err)
	}
}

// claims counts those of all tasks.
func (p *testHub) claims() (n int, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.dir, "hub", "hub.db")+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow("SELECT count(*) FROM claim").Scan(&n)
	return n, err
}
