package hub_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/release"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/team"
)

// hostile is a worker that does as it likes with what it was given: the key, the credential and the pass of w1. w2 works beside it.
type hostile struct {
	*testHub
	w1, w2 *hands
	nc     *nats.Conn // as w1
}

// papers are what lies in a worker's folder.
type papers struct {
	URLs                           []string
	Authority, Seed, Base, Granted string
}

func (x *hostile) papers(worker string) (p papers) {
	x.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, worker, "worker.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		x.Fatal(err)
	}
	return p
}

// tls knows the hub.
func (p papers) tls() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(p.Authority))
	return &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: "127.0.0.1"}
}

// connect uses a credential with a key.
func (p papers) connect(credential, seed string, more ...nats.Option) (*nats.Conn, error) {
	opts := []nats.Option{nats.Secure(p.tls()), nats.NoReconnect(), nats.Timeout(time.Minute),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if credential != "" {
		k, err := nkeys.FromSeed([]byte(seed))
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserJWT(func() (string, error) { return credential, nil }, k.Sign))
	}
	return nats.Connect(p.URLs[0], append(opts, more...)...)
}

// noConnection is a try to connect.
func (x *hostile) noConnection(credential, seed string) error {
	nc, err := x.papers("w1").connect(credential, seed)
	if err == nil {
		nc.Close()
		return errors.New("it is let in")
	}
	return nil
}

// publish sends something as w1. Whether it arrives is seen by what it does.
func (x *hostile) publish(to, reply string, body any) error {
	text, err := json.Marshal(body)
	if raw, ok := body.(string); ok {
		text = []byte(raw)
	}
	if err == nil {
		err = errors.Join(x.nc.PublishMsg(&nats.Msg{Subject: to, Reply: reply, Data: text}), x.nc.Flush())
	}
	return err
}

func (x *hostile) listen(to, queue string) error {
	sub, err := x.nc.QueueSubscribeSync(to, queue)
	if queue == "" {
		sub, err = x.nc.SubscribeSync(to)
	}
	if err = errors.Join(err, x.nc.Flush()); err != nil {
		return err
	}
	if err := x.nc.LastError(); !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), fmt.Sprintf("%q", to)) {
		return fmt.Errorf("it hears %s: %v", to, err)
	}
	return sub.Unsubscribe()
}

// stale is what a call must be told that does not count.
func stale(told fleet.Told, err error) error {
	if err != nil || told.Verdict != fleet.Stale {
		return fmt.Errorf("it is told %+v, %v", told, err)
	}
	return nil
}

// claim is one that the hub must refuse to answer.
func (x *hostile) claim(task, reply string) error {
	if got, err := x.w1.line.Claim(x.Context(), fleet.Claim{Task: task, Inst: "i", Reply: reply}); !errors.Is(err, bus.ErrRefused) {
		return fmt.Errorf("it is told %+v, %v", got, err)
	}
	return nil
}

// ask asks for code; what is answered must be no success.
func (x *hostile) ask(method, path, user, pass, body string) error {
	r, err := http.NewRequestWithContext(x.Context(), method, "https://"+x.web+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if pass != "" {
		r.SetBasicAuth(user, pass)
	}
	_, trusted := x.w1.line.Web()
	c := http.Client{Transport: &http.Transport{TLSClientConfig: trusted, DisableKeepAlives: true}}
	answer, err := c.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if refusal := "ng refs/"; err != nil || answer.StatusCode == http.StatusOK && !strings.Contains(string(said), refusal) {
		return fmt.Errorf("%s: %s %q %v", path, answer.Status, said, err)
	}
	return nil
}

// push orders one ref of w1's task to go to a commit, with no objects behind it.
func (x *hostile) push(ref, from, to string) error {
	text := fmt.Sprintf("%s %s %s\x00report-status", from, to, ref)
	return x.ask(http.MethodPost, "/code/"+x.w1.task+".git/git-receive-pack", x.w1.task, x.w1.got.Pass, line(text)+"0000")
}

// line is one of git's protocol.
func line(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// offer makes one as w3, which has joined and offered nothing so far.
func (x *hostile) offer(o fleet.Offer) error {
	p := x.papers("w3")
	nc, err := p.connect(p.Base, p.Seed, nats.CustomInboxPrefix("_INBOX_w3"))
	if err != nil {
		return err
	}
	defer nc.Close()
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	m, err := nc.RequestWithContext(x.Context(), fleet.OfferTo+".w3", body)
	var a fleet.Admitted
	if err != nil || json.Unmarshal(m.Data, &a) != nil || a.Refused == "" || a.Credential != "" {
		return fmt.Errorf("it is told %+v, %v", a, err)
	}
	return nil
}

// token makes one, and changes what it says.
func (x *hostile) token(worker string, change func(t map[string]any)) string {
	x.Helper()
	token, err := x.bus.Invite(worker, time.Hour)
	if err != nil {
		x.Fatal(err)
	}
	const head = "socrates-join-"
	raw, err := base64.RawURLEncoding.DecodeString(token[len(head):])
	t := map[string]any{}
	if err = errors.Join(err, json.Unmarshal(raw, &t)); err != nil {
		x.Fatal(err)
	}
	change(t)
	raw, _ = json.Marshal(t)
	return head + base64.RawURLEncoding.EncodeToString(raw)
}

// noPlace is a try to join.
func (x *hostile) noPlace(token string) error {
	if name, err := bus.Join(x.Context(), token, x.TempDir()); !errors.Is(err, bus.ErrRefused) {
		return fmt.Errorf("it joins as %q, %v", name, err)
	}
	return nil
}

// begin has a turn of ann asked for, which says what it comes to.
func (x *hostile) begin(project, text string) <-chan string {
	m := x.remote()
	m.Account = remote.Account{Hub: m.Hub, Person: "ann", Project: project}
	ended, ctx := make(chan string, 1), x.Context()
	go func() {
		req := llm.Request{Messages: []llm.Message{llm.UserText(text)}, Dir: project, Effect: text,
			Leave: func(context.Context, llm.Call) error { return nil }}
		said := ""
		for d, err := range m.Stream(ctx, req) {
			if err != nil {
				said = err.Error()
			}
			said += d.Text
		}
		ended <- said
	}()
	return ended
}

// newHostile has w1 and w2 each work on a task of ann's, w3 joined, and w4 joined and revoked.
func newHostile(t *testing.T) (x *hostile, ended []<-chan string) {
	x = &hostile{testHub: newPlace(t, time.Minute)}
	info := llm.Info{ID: "echo", Lineage: "acme", Acts: true}
	if err := errors.Join(x.book.Enter(t.Context(), team.Person{Name: "ann", Role: team.Agent}), x.book.Limit(t.Context(),
		team.Quota{Kind: team.OfPerson, Name: "ann", Tokens: 1 << 30, Period: team.Day})); err != nil {
		t.Fatal(err)
	}
	x.w1 = x.hands("w1", info)
	ended = append(ended, x.begin(repository(t), "own"))
	x.w1.take()
	x.w1.work()
	x.w2 = x.hands("w2", info)
	ended = append(ended, x.begin(repository(t), "another's"))
	x.w2.take()
	x.w2.work()
	for _, name := range []string{"w3", "w4"} {
		token, err := x.bus.Invite(name, time.Hour)
		if err == nil {
			_, err = bus.Join(t.Context(), token, filepath.Join(x.dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := x.bus.Revoke("w4"); err != nil {
		t.Fatal(err)
	}
	p := x.papers("w1")
	var err error
	if x.nc, err = p.connect(p.Granted, p.Seed, nats.CustomInboxPrefix("_INBOX_w1")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.nc.Close() })
	return x, ended
}

// all is the audit log.
func (x *hostile) all() []lease.AuditLine {
	x.Helper()
	list, err := x.table.Audit(x.Context(), 1000)
	if err != nil {
		x.Fatal(err)
	}
	return list
}

// lines counts the lines of the audit log about somebody that say something.
func (x *hostile) lines(who, says string) (n int) {
	x.Helper()
	for _, e := range x.all() {
		if e.Who == who && strings.HasPrefix(e.What, "refused ") && strings.Contains(e.What+": "+e.Why, says) {
			n++
		}
	}
	return n
}

// attempt is something that a hostile worker tries.
type attempt struct {
	name, who, says string // of the line of the audit log; who is empty where nothing is proved
	try             func() error
}

// A worker tries what is not its own: subjects, tasks, epochs, files, money, names. Nothing of it works, each attempt is a line of the audit
// log, and what others do is not disturbed.
func TestAHostileWorker(t *testing.T) {
	x, ended := newHostile(t)
	attempts := slices.Concat(x.subjects(), x.others(), x.code(), x.identities(t))
	if len(attempts) < 30 {
		t.Errorf("%d attempts", len(attempts))
	}
	for _, a := range attempts {
		before := x.lines(a.who, a.says)
		if err := a.try(); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
		for waiting := time.After(30 * time.Second); x.lines(a.who, a.says) == before; { // the queue's server tells a moment later
			select {
			case <-waiting:
				list, _ := x.table.Audit(t.Context(), 3)
				t.Fatalf("%s: the audit log has no line of %q that says %q; its last are %+v", a.name, a.who, a.says, list)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	if queued, err := x.bus.Queued(t.Context(), "*"); err != nil || len(queued) != 2 {
		t.Error("the queue has", queued, err)
	}
	x.w2.finish(70, fleet.OK)
	x.w1.finish(7, fleet.OK)
	for i, want := range []string{"by w1", "by w2"} {
		if got := <-ended[i]; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	if lines, err := x.book.Spent(t.Context(), time.Unix(0, 0)); err != nil || len(lines) != 2 || lines[0].Tokens+lines[1].Tokens != 77 {
		t.Errorf("spent: %+v, %v", lines, err)
	}
	for _, e := range x.all() {
		if e.Who == "w2" && strings.HasPrefix(e.What, "refused") {
			t.Errorf("w2 was refused: %+v", e)
		}
	}
}

// subjects are those of the queue's server, which refuses them itself.
func (x *hostile) subjects() (list []attempt) {
	all, its := fleet.Queue("all", spec), fleet.Queue("w2", spec)
	for _, to := range []string{
		"task." + all + ".evil", fleet.OfferTo + ".w2", fleet.ClaimTo + ".w2", fleet.NodeTo + ".w2", fleet.DoneTo + ".w2",
		fleet.MayTo + ".w2", fleet.Join, fleet.Control + ".w2", "_INBOX_w2.x", "_HUB.x", "$JS.ACK.TASKS." + all + ".1.1.1.1.0",
		"$JS.API.STREAM.DELETE.TASKS", "$JS.API.STREAM.PURGE.TASKS", "$JS.API.STREAM.MSG.GET.TASKS", "$JS.API.CONSUMER.DELETE.TASKS." + its,
		"$JS.API.CONSUMER.MSG.NEXT.TASKS." + its, "$JS.API.CONSUMER.CREATE.TASKS.x", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.PING",
	} {
		list = append(list, attempt{"it publishes to " + to, "w1", "refused " + to + ": it may not publish", func() error {
			return x.publish(to, "", "x")
		}})
	}
	for _, to := range []string{"task.>", ">", "_INBOX_w2.>", "ctl.w2", "ctl.*", "hub.>", "$SYS.>", "$JS.API.>"} {
		list = append(list, attempt{"it listens to " + to, "w1", "refused " + to + ": it may not listen", func() error {
			return x.listen(to, "")
		}})
	}
	return append(list, attempt{"it shares what the hub hears", "w1", "refused hub.>: it may not listen", func() error {
		return x.listen("hub.>", "q")
	}},
		attempt{"it calls itself by another's key", "w1", "refused ctl.w3: it may not publish", func() error {
			p := x.papers("w1")
			nc, err := p.connect(p.Granted, p.Seed, nats.UserInfo(x.key("w2"), "x"))
			if err != nil {
				return err
			}
			defer nc.Close()
			return errors.Join(nc.Publish("ctl.w3", nil), nc.Flush())
		}},
		attempt{"it sends more than fits", "w1", "refused a message: it has 9000000 bytes", x.tooMuch})
}

// key is the public one of a worker.
func (x *hostile) key(worker string) string {
	k, err := nkeys.FromSeed([]byte(x.papers(worker).Seed))
	if err == nil {
		var public string
		if public, err = k.PublicKey(); err == nil {
			return public
		}
	}
	x.Fatal(err)
	return ""
}

// tooMuch speaks the queue's protocol by hand, since a client would not begin.
func (x *hostile) tooMuch() error {
	p := x.papers("w1")
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URLs[0], "tls://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	head, err := bufio.NewReader(conn).ReadString('\n')
	var info struct{ Nonce string }
	if err = errors.Join(err, json.Unmarshal([]byte(strings.TrimPrefix(head, "INFO ")), &info)); err != nil {
		return err
	}
	k, err := nkeys.FromSeed([]byte(p.Seed))
	if err != nil {
		return err
	}
	sig, err := k.Sign([]byte(info.Nonce))
	if err != nil {
		return err
	}
	hello, err := json.Marshal(map[string]any{"jwt": p.Granted, "sig": base64.RawURLEncoding.EncodeToString(sig), "lang": "go", "version": "1",
		"tls_required": true, "protocol": 1})
	if err != nil {
		return err
	}
	secure := tls.Client(conn, p.tls())
	if _, err := fmt.Fprintf(secure, "CONNECT %s\r\nPUB %s.w1 9000000\r\n", hello, fleet.NodeTo); err != nil {
		return err
	}
	said, _ := io.ReadAll(secure) // until it is closed
	if !strings.Contains(string(said), "Maximum Payload Violation") {
		return fmt.Errorf("it is told %q", said)
	}
	return nil
}

// others are attempts on the task that w2 holds, and on epochs that its own does not have.
func (x *hostile) others() (list []attempt) {
	ctx, line, its, own := x.Context(), x.w1.line, x.w2.task, x.w1.task
	end := llm.Delta{End: &llm.End{Message: llm.AssistantText("mine"), Usage: cost.Usage{Input: 1 << 29}}}
	not := "its claim is not the current one"
	for name, at := range map[string]struct {
		task  string
		epoch int
	}{"another's task": {its, x.w2.got.Epoch}, "an epoch to come": {own, x.w1.got.Epoch + 1}, "no epoch": {own, 0}} {
		list = append(list,
			attempt{"it beats for " + name, "w1", "refused beat: " + not, func() error {
				return stale(line.Beat(ctx, fleet.Beat{Task: at.task, Inst: "i", Epoch: at.epoch}))
			}},
			attempt{"it says something for " + name, "w1", "refused node: " + not, func() error {
				return stale(line.Node(ctx, fleet.Node{Task: at.task, Epoch: at.epoch, First: 1, Deltas: []llm.Delta{{Text: "mine"}}}))
			}},
			attempt{"it spends for " + name, "w1", "refused node: " + not, func() error {
				much := []llm.Delta{{Usage: &cost.Usage{Input: 1 << 29}}}
				return stale(line.Node(ctx, fleet.Node{Task: at.task, Epoch: at.epoch, First: 1, Deltas: much}))
			}},
			attempt{"it uses a tool for " + name, "w1", "refused may: " + not, func() error {
				return stale(line.May(ctx, fleet.May{Task: at.task, Epoch: at.epoch, N: 1, Call: llm.Call{Name: "bash"}}))
			}},
			attempt{"it ends " + name, "w1", "refused done: " + not, func() error {
				return stale(line.Done(ctx, fleet.Done{Task: at.task, Epoch: at.epoch, First: 1, Count: 2, Deltas: []llm.Delta{end}}))
			}})
	}
	beat := fleet.BeatTo + ".w1"
	for _, reply := range []string{"", "task.all.evil", "_INBOX_w2.x", "ctl.w2", "hub.done.w2", "$JS.API.STREAM.DELETE.TASKS"} {
		list = append(list, attempt{"it has the hub write to " + reply, "w1", fmt.Sprintf("refused %s: it wants the answer at %q", beat, reply),
			func() error { return x.publish(beat, reply, fleet.Beat{Task: own, Inst: "i", Epoch: 1}) }})
	}
	queue := fleet.Queue("all", spec)
	return append(list,
		attempt{"it claims by a guess", "w1", "refused hub.claim.w1: its claim names the delivery of another task", func() error {
			return x.claim(own, "$JS.ACK.TASKS."+queue+".1.2.2.1.0")
		}},
		attempt{"it claims what it was not handed", "w1", "its claim names no delivery", func() error {
			return x.claim(its, "task."+queue+"."+its)
		}},
		attempt{"it claims from another's queue", "w1", "a queue that it was not granted", func() error {
			return x.claim(its, "$JS.ACK.TASKS."+fleet.Queue("w2", spec)+".1.2.2.1.0")
		}},
		attempt{"it claims what is no task", "w1", "its claim names no task", func() error {
			return x.claim("../"+its, "$JS.ACK.TASKS."+queue+".1.2.2.1.0")
		}},
		attempt{"it sends what is no call", "w1", "this call cannot be read", func() error {
			return x.publish(beat, "_INBOX_w1.x", "[")
		}})
}

// code are attempts on files, at the address that git uses.
func (x *hostile) code() []attempt {
	own, its, pass := x.w1.task, x.w2.task, x.w1.got.Pass
	zero, refs := strings.Repeat("0", 40), "/info/refs?service=git-upload-pack"
	const not = "refused code: its pass is not that of the task's current holder"
	get := func(path, user, pass string) func() error {
		return func() error { return x.ask(http.MethodGet, path, user, pass, "") }
	}
	push := func(ref, from, to string) func() error { return func() error { return x.push(ref, from, to) } }
	return []attempt{
		{"it fetches without a pass", "", "refused code: it has no pass", get("/code/"+its+".git"+refs, "", "")},
		{"it fetches with one that it made up", "", not, get("/code/"+its+".git"+refs, its, "1."+strings.Repeat("ab", 32))},
		{"it fetches another's task with its own pass", "", not, get("/code/"+its+".git"+refs, its, pass)},
		{"it fetches another's task as its own", "", not, get("/code/"+its+".git"+refs, own, pass)},
		{"it reads what another is asked", "", not, get("/task/"+its+"/request", own, pass)},
		{"it has its pass count for an epoch to come", "", not, get("/code/"+own+".git"+refs, own, "2"+strings.TrimPrefix(pass, "1"))},
		{"it asks for a file of the hub", "", "unknown address", get("/code/..%2f..%2fhub.db", own, pass)},
		{"it asks for a folder above", "", not, get("/code/..%2f"+own+".git"+refs, "..%2f"+own, pass)},
		{"it reads the repository as files", "", "unknown address", get("/code/"+own+".git/objects/info/packs", own, pass)},
		{"it speaks git's old HTTP", "w1", "does not speak git's smart HTTP", get("/code/"+own+".git/info/refs", own, pass)},
		{"it wants what no ref names", "w1", "only what refs name can be fetched", func() error {
			want := line("want "+strings.Repeat("ab", 20)+"\n") + "0000" + line("done\n")
			return x.ask(http.MethodPost, "/code/"+own+".git/git-upload-pack", own, pass, want)
		}},
		{"it pushes to a branch", "w1", "a push: only refs/tasks/", push("refs/heads/main", zero, x.w1.got.Base)},
		{"it pushes to another's task", "w1", "a push: only refs/tasks/", push("refs/tasks/"+its+"/1", zero, x.w1.got.Base)},
		{"it pushes upwards", "w1", "a push: only refs/tasks/", push("refs/tasks/"+own+"/../../heads/main", zero, x.w1.got.Base)},
		{"it pushes for an epoch to come", "w1", "a push: stale epoch", push("refs/tasks/"+own+"/2", zero, x.w1.got.Base)},
		{"it deletes", "w1", "a push: refs cannot be deleted", push("refs/tasks/"+own+"/1", x.w1.got.Base, zero)},
		{"it moves what was pushed", "w1", "a push: a pushed ref cannot be changed", push("refs/tasks/"+own+"/1", x.w1.got.Base, x.w1.got.Base)},
		{"it pushes what is no pack", "w1", "a push: the objects cannot be stored", push("refs/tasks/"+own+"/1", zero, x.w1.got.Base)},
		{"it pushes noise", "w1", "a push that cannot be read", func() error {
			return x.ask(http.MethodPost, "/code/"+own+".git/git-receive-pack", own, pass, "hello")
		}},
	}
}

// identities are attempts to be somebody else, or to have more.
func (x *hostile) identities(t *testing.T) []attempt {
	w1, w2, w4 := x.papers("w1"), x.papers("w2"), x.papers("w4")
	token, err := x.bus.Invite("w5", time.Hour)
	if err == nil {
		_, err = bus.Join(t.Context(), token, t.TempDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	account, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	own, err := jwt.NewUserClaims(x.key("w1")).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	offer := func(change func(o *fleet.Offer)) func() error {
		return func() error {
			o := fleet.Offer{Speaks: release.Speaks, Seats: []fleet.Seat{{Spec: spec, Slots: 1}}}
			change(&o)
			return x.offer(o)
		}
	}
	return []attempt{
		{"it connects without a credential", "", "refused connection: it has no credential", func() error {
			return x.noConnection("", "")
		}},
		{"it connects with another's credential", "", "refused connection: the credential of w2 came without its key", func() error {
			return x.noConnection(w2.Granted, w1.Seed)
		}},
		{"it connects with one that it signed", "", "refused connection: its credential is from another hub", func() error {
			return x.noConnection(own, w1.Seed)
		}},
		{"it connects after it was revoked", "", "refused connection: the credential of w4 was revoked", func() error {
			return x.noConnection(w4.Base, w4.Seed)
		}},
		{"it uses a token again", "", "refused hub.join: this token was used before", func() error { return x.noPlace(token) }},
		{"it guesses the secret of a token", "", "refused hub.join: the hub does not know this token", func() error {
			return x.noPlace(x.token("w2", func(t map[string]any) { t["secret"] = "x" }))
		}},
		{"it offers for a pool that it is not in", "w3", "refused offer: its token does not cover the pool all",
			offer(func(o *fleet.Offer) { o.Pools = []string{"all"} })},
		{"it offers for another", "w3", "refused offer: its token does not cover the pool w2",
			offer(func(o *fleet.Offer) { o.Pools = []string{"w2"} })},
		{"it offers too many seats", "w3", "refused offer: it offers 101 seats",
			offer(func(o *fleet.Offer) { o.Seats = make([]fleet.Seat, 101) })},
		{"it offers too many slots", "w3", "refused offer: it offers 257 slots", offer(func(o *fleet.Offer) { o.Seats[0].Slots = 257 })},
		{"it speaks another release", "w3", "refused offer: ", offer(func(o *fleet.Offer) { o.Speaks = release.Speaks + 2 })},
	}
}
