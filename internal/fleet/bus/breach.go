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

// What the server in this process refuses by itself reaches no handler. It tells of subjects in its log, and of connections by an event
// of the system account. A cluster of the operator's own tells its operator.

// breach is something that a connection was not let do.
type breach struct {
	conn uint64 // its number; 0: nobody knows who that was
	key  string // by which it was let in; empty: its client says something else of itself
	what string // the subject, or what it was
	why  string
}

// mostBreaches is how many wait to be told. Whoever makes more in a moment is told of already.
const mostBreaches = 1024

// watch collects breaches until they are told.
type watch struct {
	roster *roster
	own    string             // the account that signs credentials
	nats   *natsserver.Server // nil: External
	conn   *nats.Conn         // of the server's own account; nil: External
	noted  chan breach
}

// broken notes a breach. It must not wait: it is called with the server's locks held.
func (w *watch) broken(b breach) {
	select {
	case w.noted <- b:
	default:
	}
}

// tell hands breaches on until stop is closed.
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

// spokenFor is how a line of the server's log begins that is about a connection: its number, what its client says of itself, and as whom
// it was let in, which comes last.
var spokenFor = pattern.Of(`^\S+ - cid:\d+(?: - "(?:[^"\\]|\\.)*")? - "[^"\\]*/jwt:(U[A-Z2-7]+)" - (?:%s|[A-Za-z])`)

// numbered is how it begins at least.
var numbered = pattern.Of(`^\S+ - cid:(\d+) - `)

// breachOf reads a line of the server's log. What a client says of itself is in the format, so that its verbs cannot be trusted: the
// values are looked at by themselves.
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

// logged takes a line of the server's log for a breach, if it is one.
func (w *watch) logged(format string, v []any) bool {
	b, ok := breachOf(format, v)
	if ok {
		w.broken(b)
	}
	return ok
}

// workerAt is the worker of a connection, by the credential that let it in; empty: it is none's, or gone. What else a client says of
// itself, a name or a user, proves nothing.
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

// listen hears what the server says of connections that it turned away.
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

// close hears nothing more.
func (w *watch) close() {
	if w.conn != nil {
		w.conn.Close()
	}
}

// turnedAway says why somebody was not let in. Who it was is not known: whoever is turned away has proved nothing.
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

// named is the worker that has a key; empty: none.
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

// twins says whether two clients are connected with a worker's key. One that has just connected again may have two connections for a
// moment, of one name. A client may call itself as it likes, also by another's key: only its credential says whose it is. An external
// cluster is not asked.
//
// To look at all connections takes longer the more there are, and every worker makes an offer in each lease: so that is done only where
// more than one listens to the worker's orders, as each client does from the beginning.
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
