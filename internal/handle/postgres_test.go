package handle_test

import (
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// database is a loopback server that speaks the protocol: it answers a query of one number with as many rows, and keeps
// what it was asked.
type database struct {
	addr  string
	mu    sync.Mutex
	asked []string
}

func newDatabase(t *testing.T) *database {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &database{addr: l.Addr().String()}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.serve(c)
		}
	}()
	return d
}

func (d *database) note(query string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, query)
}

func (d *database) serve(c net.Conn) {
	defer c.Close()
	b := pgproto3.NewBackend(c, c)
	for {
		m, err := b.ReceiveStartupMessage()
		if err != nil {
			return
		}
		if _, ssl := m.(*pgproto3.SSLRequest); ssl {
			c.Write([]byte("N"))
			continue
		}
		if _, ok := m.(*pgproto3.StartupMessage); ok {
			break
		}
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	query := ""
	for b.Flush() == nil {
		m, err := b.Receive()
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Query:
			d.note(m.String)
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("OK")})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'T'})
		case *pgproto3.Parse:
			query = m.Query
			d.note(query)
		case *pgproto3.Sync:
			d.answer(b, query)
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'T'})
		case *pgproto3.Terminate:
			return
		}
	}
}

func (d *database) answer(b *pgproto3.Backend, query string) {
	if strings.Contains(query, "nowhere") {
		b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "42P01", Message: "relation \"nowhere\" does not exist"})
		return
	}
	b.Send(&pgproto3.ParseComplete{})
	b.Send(&pgproto3.BindComplete{})
	b.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("name")}, {Name: []byte("size")}}})
	for range strings.Count(query, "x") {
		b.Send(&pgproto3.DataRow{Values: [][]byte{[]byte("a\nb"), nil}})
	}
	b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
}

func TestDatabases(t *testing.T) {
	s, d := source(t), newDatabase(t)
	base := "postgres://me@" + d.addr + "/shop"
	f, err := s.Look(t.Context(), base+"?select * from xx where a like '%25'")
	if err != nil || f.Text != "name | size\na b | NULL\na b | NULL\n" {
		t.Fatalf("%+v %v", f, err)
	}
	if want := []string{"BEGIN TRANSACTION READ ONLY", "SET LOCAL statement_timeout = 15000", "select * from xx where a like '%'"}; !slices.Equal(d.asked, want) {
		t.Errorf("it was asked %q", d.asked)
	}
	if f, err := s.Look(t.Context(), base+"?select none"); err != nil || f.Text != "[no rows]\n" {
		t.Errorf("%+v %v", f, err)
	}
	if f, err := s.Look(t.Context(), base+"?select "+strings.Repeat("x", 600)); err != nil || !strings.Contains(f.Text, "more rows") || strings.Count(f.Text, "\n") != 502 {
		t.Errorf("%d lines %v", strings.Count(f.Text, "\n"), err)
	}
	for uri, want := range map[string]string{
		base + "?select nowhere": "does not exist",
		base + "?drop table x":   "not a query",
		base + "?":               "not a query",
		base + "?copy (select 1) to program 'touch x'":    "not a query",
		"postgres://me:secret@" + d.addr + "/shop?select": "password",
		"postgres://" + d.addr + "?select":                "no database",
		"postgres://" + d.addr + "/closed?select 1":       "no",
	} {
		if f, err := s.Look(t.Context(), uri); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %+v %v", uri, f, err)
		}
	}
}
