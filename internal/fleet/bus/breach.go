package bus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Refusals by the server in this process reach no handler. It reports refused subjects in its log, and refused
// connections as an event of the system account. An operator's own cluster reports to its operator.

// breach is something that a connection was refused.
type breach struct {
	conn uint64 // its number; 0: unknown
	key  string // of its credential; empty: see conn
	what string // the subject, or a description
	why  string
}

// mostBreaches is how many may wait to be reported; more from one connection add nothing.
const mostBreaches = 1024

// watch collects breaches until they are reported.
type watch struct {
	roster *roster
	own    string             // the account that signs credentials
	nats   *natsserver.Server // nil: External
	conn   *nats.Conn         // of the server's own account; nil: External
	noted  chan breach
}

// broken records a breach. It must not block: it is called with the server's locks held.
func (w *watch) broken(b breach) {
	select {
	case w.noted <- b:
	default:
	}
}

// tell reports breaches until stop is closed.
func (w *watch) tell(h Handler, stop <-chan struct{}) {
	for {
		select {
		case b := <-w.noted:
			worker := w.roster.named(b.key)
			if worker == "" && b.conn > 0 {
				worker = w.workerAt(b.conn)
			}
			if h.Refused != nil {
				h.Refused(Refusal{Worker: worker, Subject: b.what, Why: b.why})
			}
		case <-stop:
			return
		}
	}
}

// spokenFor matches the beginning of a server's log line about a connection: its number, its client's own
// description, and its credential, which comes last.
var spokenFor = pattern.Of(`^\S+ - cid:\d+(?: - "(?:[^"\\]|\\.)*")? - "[^"\\]*/jwt:(U[A-Z2-7]+)" - (?:%s|[A-Za-z])`)

// numbered matches the beginning of any such line.
var numbered = pattern.Of(`^\S+ - cid:(\d+) - `)

// breachOf parses a line of the server's log. The client's own description is part of the format, so its verbs cannot
// be trusted: the values are parsed separately.
func breachOf(format string, v []any) (b breach, ok bool) {
	m := numbered().FindStringSubmatch(format)
	if m == nil {
		return b, false
	}
	const subscription, many = ` - Subscription Violation - Subject "`, " - maximum subscriptions exceeded"
	last := ""
	if len(v) > 0 {
		last = strings.Trim(strconv.Quote(fmt.Sprintf("%s", v[0])), `"`)
	}
	switch at := strings.LastIndex(format, subscription); {
	case strings.HasSuffix(format, " - Publish Violation - Subject %q"):
		b.what, b.why = last, "it may not publish there"
	case strings.HasSuffix(format, " - Publish Violation - Reply %q"):
		b.what, b.why = last, "it may not receive answers there"
	case at >= 0 && len(v) == 0:
		quoted, _ := strconv.QuotedPrefix(format[at+len(subscription)-1:])
		b.what, b.why = strings.Trim(quoted, `"`), "it may not listen there"
	case strings.HasSuffix(format, " - %s: %d vs %d") && len(v) == 3 && last == natsserver.ErrMaxPayload.Error():
		b.what, b.why = "a message", fmt.Sprintf("it has %v bytes; the limit is %v", v[1], v[2])
	case strings.HasSuffix(format, many):
		b.what, b.why = "a subscription", "it has too many"
	default:
		return b, false
	}
	if len(b.what) > 200 {
		b.what = b.what[:200] + "…"
	}
	b.conn, _ = strconv.ParseUint(m[1], 10, 64)
	if m := spokenFor().FindStringSubmatch(format); m != nil {
		b.key = m[1]
	}
	return b, true
}

// logged records a line of the server's log as a breach, if it is one.
func (w *watch) logged(format string, v []any) bool {
	b, ok := breachOf(format, v)
	if ok {
		w.broken(b)
	}
	return ok
}

// workerAt returns the worker of a connection, by its credential; empty: none, or gone. A name or a user that a
// client gives proves nothing.
func (w *watch) workerAt(conn uint64) string {
	z, err := w.nats.Connz(&natsserver.ConnzOptions{Username: true, CID: conn, State: natsserver.ConnAll})
	if err != nil || len(z.Conns) != 1 {
		return ""
	}
	u, err := jwt.DecodeUserClaims(z.Conns[0].JWT)
	if err != nil || fleet.Named(u.Name) != nil {
		return ""
	}
	return u.Name
}

// listen subscribes to the server's reports of refused connections.
func (w *watch) listen(system string) error {
	auth, err := ownCredential(system)
	if err != nil {
		return err
	}
	w.conn, err = nats.Connect("", nats.InProcessServer(w.nats), auth, nats.Name("hub watch"), nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort())
	if err == nil {
		_, err = w.conn.Subscribe("$SYS.SERVER.*.CLIENT.AUTH.ERR", func(m *nats.Msg) {
			var e natsserver.DisconnectEventMsg
			if json.Unmarshal(m.Data, &e) == nil {
				w.broken(breach{what: "connection", why: w.turnedAway(e.Client.Jwt, e.Client.Host)})
			}
		})
	}
	if err == nil {
		err = w.conn.FlushTimeout(patience)
	}
	if err != nil {
		return fmt.Errorf("cannot listen to the queue: %w", err)
	}
	return nil
}

// close stops listening.
func (w *watch) close() {
	if w.conn != nil {
		w.conn.Close()
	}
}

// turnedAway explains why a connection was refused. Who it was is unknown: a refused client has proved nothing.
func (w *watch) turnedAway(credential, host string) (why string) {
	u, err := jwt.DecodeUserClaims(credential)
	switch {
	case credential == "":
		why = "it has no credential"
	case err != nil || u.Issuer != w.own:
		why = "its credential is from another hub"
	case !w.roster.revoked()[u.Subject].IsZero():
		why = "the credential of " + u.Name + " was revoked"
	case u.Expires > 0 && time.Now().Unix() >= u.Expires:
		why = "the credential of " + u.Name + " has expired"
	default:
		why = "the credential of " + u.Name + " came without its key"
	}
	return why + ", from " + host
}

// named returns the worker of a key; empty: none.
func (r *roster) named(key string) string {
	if key == "" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, w := range r.data.Workers {
		if w.Key == key {
			return name
		}
	}
	return ""
}

// twins reports whether two clients are connected with a worker's key. A reconnecting client may briefly have two
// connections of one name. A client may choose any name, also that of another key: only its credential identifies it.
// An external cluster is not asked.
//
// Checking all connections takes longer the more there are, and every worker makes an offer in each lease, so it is
// done only if more than one client subscribes to the worker's orders, as each client does from the beginning.
func (s *Server) twins(w Worker) bool {
	if s.nats == nil {
		return false
	}
	if account, err := s.nats.LookupAccount(s.watch.own); err == nil && account.Interest(fleet.Control+"."+w.Name) < 2 {
		return false
	}
	z, err := s.nats.Connz(&natsserver.ConnzOptions{Username: true, User: w.Key, State: natsserver.ConnOpen})
	if err != nil {
		return false
	}
	var names []string
	for _, c := range z.Conns {
		if u, err := jwt.DecodeUserClaims(c.JWT); err == nil && u.Subject == w.Key {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return len(slices.Compact(names)) > 1
}
