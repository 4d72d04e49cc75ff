package hub_test

import (
	"context"
	"crypto/tls"
	"errors"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/hub"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/release"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/fleet/worker"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/local"
	"github.com/socrates-cli/socrates/internal/team"
)

// spec is the seat that workers of these tests offer, in the pool all.
const spec = "script:echo"

// testHub is a hub as the program has it, with all its parts but the pages.
type testHub struct {
	testing.TB
	dir   string // of the store: short, for a socket
	term  time.Duration
	addr  string
	web   string // where code is
	table *lease.Table
	bus   *bus.Server
	book  *team.Book
	hub   *hub.Hub
	stop  func()

	fault string // where it ends like a killed one; empty: nowhere
}

// newPlace starts a hub.
func newPlace(t testing.TB, term time.Duration) *testHub {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &testHub{TB: t, dir: dir, term: term, addr: "127.0.0.1:0", web: "127.0.0.1:0"}
	p.start()
	t.Cleanup(func() { p.stop() })
	return p
}

// start starts the hub, at the port that it has had.
func (p *testHub) start() {
	p.Helper()
	ctx, stop := context.WithCancel(context.Background())
	b, err := bus.Open(ctx, bus.Options{Dir: filepath.Join(p.dir, "hub", "bus"), Addr: p.addr, Lease: p.term})
	if err != nil {
		p.Fatal(err)
	}
	p.addr = b.URLs()[0][len("tls://"):]
	table, err := lease.Open(ctx, filepath.Join(p.dir, "hub", "hub.db"), p.term)
	if err != nil {
		p.Fatal(err)
	}
	book, err := team.Open(ctx, filepath.Join(p.dir, "hub", "team.db"), nil)
	if err != nil {
		p.Fatal(err)
	}
	tcp, err := net.Listen("tcp", p.web)
	if err != nil {
		p.Fatal(err)
	}
	p.web = tcp.Addr().String()
	h := &hub.Hub{Table: table, Bus: b, Team: book, Lease: p.term, Key: []byte("key"), Warn: func(text string) { p.Log(text) },
		Web: "https://" + p.web, Code: filepath.Join(p.dir, "hub", "code")}
	l, err := local.Listen(p.dir, socket.Name)
	if err != nil || l == nil {
		p.Fatal("no socket", err)
	}
	near := &http.Server{Handler: socket.Handler(p.puts(h.Socket()), table), ReadHeaderTimeout: time.Minute}
	web := &http.Server{Handler: p.pushes(h.Handler(h.Code)), ReadHeaderTimeout: time.Minute}
	var all sync.WaitGroup
	all.Go(func() { near.Serve(l) })
	all.Go(func() { web.Serve(tls.NewListener(tcp, b.TLS())) })
	all.Go(func() { h.RunWith(ctx, p.calls) })
	p.table, p.bus, p.book, p.hub = table, b, book, h
	p.stop = sync.OnceFunc(func() {
		stop()
		near.Close()
		web.Close()
		all.Wait()
		if err := errors.Join(b.Close(), table.Close(), book.Close()); err != nil {
			p.Error(err)
		}
	})
}

// join has a worker join and connect.
func (p *testHub) join(name string, slots int, info llm.Info) (line *bus.Client, offer fleet.Offer, dir string) {
	p.Helper()
	if err := p.table.Admit(name, []string{"all"}); err != nil {
		p.Fatal(err)
	}
	token, err := p.bus.Invite(name, time.Hour)
	if err != nil {
		p.Fatal(err)
	}
	dir = filepath.Join(p.dir, name)
	if _, err := bus.Join(p.Context(), token, dir); err != nil {
		p.Fatal(err)
	}
	offer = fleet.Offer{Speaks: release.Speaks, Pools: []string{"all"}, Seats: []fleet.Seat{{Spec: spec, Slots: slots, Info: info}}}
	if line, err = bus.Dial(p.Context(), dir, offer); err != nil {
		p.Fatal(err)
	}
	return line, offer, dir
}

// work has a worker join and do tasks with a model.
func (p *testHub) work(name string, slots int, m llm.Model) {
	p.Helper()
	line, offer, dir := p.join(name, slots, m.Info())
	w := &worker.Worker{Line: line, Offer: offer, Dir: filepath.Join(dir, "tasks"), Tell: func(string) {},
		Seats: []worker.Answerer{{Seat: offer.Seats[0], Model: m}}}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	p.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			p.Error(err)
		}
		line.Close()
	})
}

// remote is the seat of all workers together.
func (p *testHub) remote() *remote.Model {
	p.Helper()
	client := socket.NewClient(p.dir)
	list, err := client.Seats(p.Context(), "")
	if err != nil {
		p.Fatal(err)
	}
	for _, s := range list {
		if s.Where == "all" {
			return &remote.Model{Account: remote.Account{Hub: client}, Seat: s}
		}
	}
	p.Fatal("no worker offers a seat in the pool")
	return nil
}

// ask has some worker answer, as a seat of a debate does.
func (p *testHub) ask(m *remote.Model, text string) string {
	p.Helper()
	said, ends := "", 0
	for d, err := range m.Stream(p.Context(), llm.Request{Messages: []llm.Message{llm.UserText(text)}, Effect: text}) {
		if err != nil {
			p.Errorf("%s: %v", text, err)
			return ""
		}
		if d.Retry != nil && d.Retry.Void {
			said = ""
		}
		said += d.Text
		if d.End != nil {
			ends++
		}
	}
	if ends != 1 {
		p.Errorf("%s ended %d times", text, ends)
	}
	return said
}

// echo says at once what it is asked.
type echo struct{ after time.Duration }

// Info is a model of an own vendor.
func (echo) Info() llm.Info { return llm.Info{ID: "echo", Lineage: "acme"} }

// Stream is that of llm.Model.
func (e echo) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if e.after > 0 {
			select {
			case <-time.After(e.after):
			case <-ctx.Done():
				yield(llm.Delta{}, context.Cause(ctx))
				return
			}
		}
		text := req.Messages[len(req.Messages)-1].Text()
		if yield(llm.Delta{Text: text}, nil) {
			yield(llm.Delta{End: &llm.End{Message: llm.AssistantText(text)}}, nil)
		}
	}
}
