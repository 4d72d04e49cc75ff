package bus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/llm"
)

// asked sends a request as it is, with the reply that a hostile worker wants, and waits until the server has read it.
func asked(t testing.TB, nc *nats.Conn, to, reply, body string) {
	t.Helper()
	if err := nc.PublishMsg(&nats.Msg{Subject: to, Reply: reply, Data: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// settled waits until the queue has done what was asked before: it answers a hub's question after that.
func settled(t testing.TB, s *Server, queue string) []string {
	t.Helper()
	if _, err := s.js.Consumer(within(t), fleet.Stream, queue); err != nil {
		t.Fatal(err)
	}
	got, err := s.Queued(within(t), "*")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const nextOf = "$JS.API.CONSUMER.MSG.NEXT.TASKS."

func TestAWorkerCannotAcknowledge(t *testing.T) {
	s, _, c2, dir, _ := admittedWorkers(t, newBook("p_a"))
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	_, reply, err := c2.Next(ctx, "p_a")
	if err != nil {
		t.Fatal(err)
	}
	nc := raw(t, dir)
	guess := "$JS.ACK.TASKS.p_a.1.1.1.1.0"
	for _, at := range []string{reply, guess} {
		asked(t, nc, at, "", "+ACK")
		asked(t, nc, nextOf+"p_a", at, `{"batch":1,"no_wait":true}`) // the server's own answer would be an acknowledgement
		asked(t, nc, "$JS.API.CONSUMER.INFO.TASKS.p_a", at, "")
	}
	if got := settled(t, s, "p_a"); !slices.Equal(got, []string{"t1"}) {
		t.Error(got)
	}
}

func TestNobodyGetsATaskByTheControlSubject(t *testing.T) {
	s, _, c2, dir, _ := admittedWorkers(t, newBook("p_a"))
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	nc := raw(t, dir)
	asked(t, nc, nextOf+"p_a", "ctl.w2", `{"batch":1,"no_wait":true}`)
	asked(t, nc, nextOf+"p_a", "ctl.w2", `{"batch":1,"no_wait":true}`)
	asked(t, nc, "$JS.API.CONSUMER.INFO.TASKS.p_a", "ctl.w2", "")
	settled(t, s, "p_a")
	if err := s.Tell("w2", "t9", fleet.Cancel); err != nil {
		t.Fatal(err)
	}
	select {
	case o := <-c2.Control():
		if o != (Order{Task: "t9", Verdict: fleet.Cancel}) {
			t.Error(o)
		}
	case <-ctx.Done():
		t.Error("no order came")
	}
}

func TestOnlyTheHubsOrdersAreOrders(t *testing.T) {
	body := []byte(`{"task":"t1","verdict":"cancel"}`)
	for name, row := range map[string]struct {
		m  nats.Msg
		ok bool
	}{
		"an order":                 {nats.Msg{Subject: "ctl.w1", Data: body}, true},
		"a delivery":               {nats.Msg{Subject: "task.p_a.t1", Reply: "$JS.ACK.TASKS.p_a.1.1.1.1.0", Data: body}, false},
		"another's subject":        {nats.Msg{Subject: "ctl.w2", Data: body}, false},
		"with a reply":             {nats.Msg{Subject: "ctl.w1", Reply: "x", Data: body}, false},
		"a state of the server":    {nats.Msg{Subject: "ctl.w1", Header: nats.Header{"Status": {"404"}}}, false},
		"an answer of the server":  {nats.Msg{Subject: "ctl.w1", Data: []byte(`{"type":"io.nats.jetstream.api.v1.consumer_info_response"}`)}, false},
		"a verdict nobody knows":   {nats.Msg{Subject: "ctl.w1", Data: []byte(`{"task":"t1","verdict":"x"}`)}, false},
		"a task that is no token":  {nats.Msg{Subject: "ctl.w1", Data: []byte(`{"task":"t.>","verdict":"cancel"}`)}, false},
		"an order of another form": {nats.Msg{Subject: "ctl.w1", Data: []byte(`[]`)}, false},
	} {
		if _, ok := orderOf(&row.m, "w1"); ok != row.ok {
			t.Error(name, ok)
		}
	}
}

func TestTheHubWritesNowhereForAWorker(t *testing.T) {
	b := newBook("p_a")
	_, _, _, dir, _ := admittedWorkers(t, b)
	ctx := within(t)
	nc := raw(t, dir)
	for _, reply := range []string{"task.p_a.evil", "", "ctl.w2", "_INBOX_w2.x", "_INBOX_w1", "_INBOX_w11.x", "hub.done.w2", "$JS.ACK.TASKS.p_a.1.1.1.1.0",
		"$JS.API.STREAM.DELETE.TASKS"} {
		asked(t, nc, "hub.beat.w1", reply, `{"task":"t"}`)
		want := Refusal{Worker: "w1", Subject: "hub.beat.w1", Why: fmt.Sprintf("it wants the answer at %q", reply)}
		if strings.HasPrefix(reply, "$JS.ACK") { // the server itself refuses those
			want.Subject, want.Why = reply, "it may not receive answers there"
		}
		select {
		case r := <-b.refused:
			if r != want {
				t.Errorf("%+v, want %+v", r, want)
			}
		case <-ctx.Done():
			t.Fatal(reply, "was answered")
		}
	}
}

// The server answers a request for the queue wherever its sender wants, and that may be a task's subject.
func TestWhatAWorkerHadWrittenIntoAQueueIsNoTask(t *testing.T) {
	b := newBook("p_a")
	s, c1, _, dir, _ := admittedWorkers(t, b)
	ctx := within(t)
	if err := s.offerQueues(ctx, []string{"p_b"}); err != nil {
		t.Fatal(err)
	}
	nc := raw(t, dir)
	for _, task := range []string{"evil", "t1"} {
		asked(t, nc, nextOf+"p_a", "task.p_a."+task, `{`) // what it cannot read is answered, and takes nothing
	}
	for got := []string(nil); len(got) < 2; got = settled(t, s, "p_a") { // what the server answered is there
	}
	if err := s.Put(ctx, "p_a", "t1"); err != nil { // takes the place of what is there
		t.Fatal(err)
	}
	if err := s.Put(ctx, "p_b", "secret"); err != nil {
		t.Fatal(err)
	}
	for {
		task, reply, err := c1.Next(ctx, "p_a")
		if err != nil {
			t.Fatal(err)
		}
		got, err := c1.Claim(ctx, fleet.Claim{Task: task, Reply: reply})
		if task == "t1" && err == nil && got.Verdict == fleet.OK {
			break
		}
		if !isRefused(err) || !strings.Contains(err.Error(), "did not queue") {
			t.Fatal(task, got, err)
		}
	}
	if got := settled(t, s, "p_a"); len(b.claims) != 1 || slices.Contains(got, "evil") || len(got) != 2 {
		t.Error(len(b.claims), got)
	}
}

func TestWhatIsPulledTellsNothingAndComesBack(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{Lease: time.Second}, b)
	dir1 := joined(t, s, "w1")
	worker(t, dir1)
	c2 := worker(t, joined(t, s, "w2"))
	ctx := within(t)
	nc := raw(t, dir1)
	sub, err := nc.SubscribeSync(inbox("w1") + ".all")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := s.Put(ctx, "p_a", fmt.Sprint("t", i)); err != nil {
			t.Fatal(err)
		}
	}
	asked(t, nc, nextOf+"p_a", inbox("w1")+".all", `{"batch":5}`)
	for range 5 {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil || len(m.Data) != 32 || strings.Contains(string(m.Data), "t") { // a mark, and no content
			t.Fatal(m, err)
		}
	}
	got := map[string]bool{}
	for len(got) < 5 { // each comes back after a lease
		task, _, err := c2.Next(ctx, "p_a")
		if err != nil {
			t.Fatal(got, err)
		}
		got[task] = true
	}
}

func TestAClaimOfWhatWasNotHandedOut(t *testing.T) {
	b := newBook("p_a")
	s, c1, _, _, _ := admittedWorkers(t, b)
	ctx := within(t)
	for _, task := range []string{"t1", "t2"} {
		if err := s.Put(ctx, "p_a", task); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.offerQueues(ctx, []string{"p_b"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, "p_b", "other"); err != nil {
		t.Fatal(err)
	}
	task, reply, err := c1.Next(ctx, "p_a")
	if err != nil || task != "t1" {
		t.Fatal(task, err)
	}
	for _, c := range []struct {
		task, reply, says string
		verdict           fleet.Verdict
	}{
		{"t2", reply, "the delivery of another task", ""},
		{"t1", "", "names no delivery", ""},
		{"t1", "task.p_a.t1", "names no delivery", ""},
		{"t1", "$JS.ACK.OTHER.p_a.1.1.1.1.0", "names no delivery", ""},
		{"t1", "$JS.ACK.TASKS.p_a.1.1.1.1.0.x", "names no delivery", ""},
		{"t1", "$JS.ACK.TASKS.p_a.>", "names no delivery", ""},
		{"other", "$JS.ACK.TASKS.p_b.1.3.1.1.0", "a queue that it was not granted", ""},
		{"other", "$JS.ACK.TASKS.p_a.1.3.1.1.0", "the delivery of another task", ""},
		{"", reply, "names no task", ""},
		{"t1.x", reply, "names no task", ""},
		{"t1", "$JS.ACK.TASKS.p_a.1.99.1.1.0", "", fleet.Gone},
		{"t1", reply, "", fleet.OK},
	} {
		got, err := c1.Claim(ctx, fleet.Claim{Task: c.task, Reply: c.reply})
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c, err)
			} else if r := <-b.refused; !strings.Contains(r.Why, c.says) {
				t.Errorf("%+v: %+v", c, r)
			}
		case err != nil || got.Verdict != c.verdict:
			t.Errorf("%+v: %+v %v", c, got, err)
		}
	}
	if len(b.claims) != 1 {
		t.Error(len(b.claims), "claims reached the hub")
	}
	for _, reply := range []string{"task.p_a.x", "$JS.ACK.TASKS.p_a.1", "$JS.API.STREAM.DELETE.TASKS", ""} {
		if s.Ack(reply) == nil || s.Renew(reply) == nil || s.Nak(reply, 0) == nil {
			t.Error(reply)
		}
	}
}

func TestAnswersOfOthersStayTheirs(t *testing.T) {
	_, _, c2, dir, _ := admittedWorkers(t, newBook("p_a"))
	nc := raw(t, dir)
	if _, err := nc.SubscribeSync("_INBOX_w2.>"); err != nil {
		t.Fatal(err)
	}
	denied(t, nc, "_INBOX_w2.>")
	if in := c2.nc.NewInbox(); !strings.HasPrefix(in, "_INBOX_w2.") {
		t.Error(in)
	}
}

func TestCallsThatCannotBeRead(t *testing.T) {
	b := newBook("p_a")
	_, c1, _, _, _ := admittedWorkers(t, b)
	ctx := within(t)
	for _, to := range []string{fleet.OfferTo, fleet.ClaimTo, fleet.BeatTo, fleet.NodeTo, fleet.DoneTo, fleet.MayTo} {
		for _, in := range []any{"text", []int{1}, 7} {
			var out any
			if err := c1.call(ctx, to, "t", in, &out); !isRefused(err) || !strings.Contains(err.Error(), "cannot be read") {
				t.Error(to, in, err)
			}
			<-b.refused
		}
	}
	node := fleet.Node{Task: "t", Deltas: []llm.Delta{{Text: strings.Repeat("x", 9<<20)}}}
	_, err := c1.Node(ctx, node)
	if err == nil || !strings.Contains(err.Error(), "the message is too large: ") || !strings.Contains(err.Error(), "accepts 8388608") {
		t.Error(err)
	}
}

func TestOneWorkerAndTaskIsInOrderAndOthersDoNotWait(t *testing.T) {
	held, order := make(chan struct{}), make(chan int, 100)
	l := newLanes()
	for i := range 50 {
		if !l.add(lane{"w1", "held"}, 1, func() {
			if i == 0 {
				<-held
			}
			order <- i
		}) {
			t.Fatal(i)
		}
	}
	free := make(chan bool)
	l.add(lane{"w1", "other"}, 1, func() { free <- true })
	<-free // although the first lane is held
	close(held)
	for i := range 50 {
		if got := <-order; got != i {
			t.Fatal(got, "instead of", i)
		}
	}
	l.close()
	if l.add(lane{"w1", "t"}, 1, func() {}) {
		t.Error("takes calls after its end")
	}
	if len(l.wait)+len(l.calls)+len(l.bytes) != 0 {
		t.Error("keeps", l.wait, l.calls, l.bytes)
	}
}

func TestAWorkerCannotFillTheHub(t *testing.T) {
	l := newLanes()
	held := make(chan struct{})
	n := 0
	for l.add(lane{"w1", fmt.Sprint(n % 3)}, 1<<20, func() { <-held }) {
		n++
	}
	if n != maxBytes>>20 {
		t.Error(n)
	}
	if !l.add(lane{"w2", "t"}, 1<<20, func() { <-held }) {
		t.Error("another worker waits for it")
	}
	close(held)
	l.close()
}
