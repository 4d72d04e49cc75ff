package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Key is the only key that a model in the exam may send.
const Key = "key-of-the-exam"

// Exam tests a model against the loopback server. open makes the model that talks to the server at baseURL with Key;
// it is called once for each question.
//
// Questions run one after another: one of them counts goroutines, another sets variables of the environment.
func Exam(t *testing.T, open func(baseURL string) llm.Model) {
	sit := func(name string, test func(t *testing.T, c *candidate)) {
		t.Run(name, func(t *testing.T) {
			c := &candidate{}
			c.Server = NewServer(func(a Ask) Reply { return c.answer(a) })
			defer c.Server.Close()
			c.Model = open(c.Server.URL)
			test(t, c)
		})
	}
	sit("answer", examAnswer)
	sit("history", examHistory)
	sit("tool call and its result", examTool)
	sit("parallel calls", examParallel)
	sit("structured output", examSchema)
	sit("reasoning of another vendor", examForeign)
	sit("odd streams", examStreams)
	sit("stops", examStops)
	sit("usage", examUsage)
	sit("faults", examFaults)
	sit("retry after", examRetryAfter)
	sit("429 once, then fine", examGuard)
	sit("stall", examStall)
	sit("leave in the middle", examLeave)
	sit("cancel in the middle", examCancel)
	sit("environment", examEnvironment)
	sit("many at once", examMany)
	sit("documented examples", examBook)
	sit("the same bytes", examBytes)
	sit("the prefix only grows", examPrefix)
}

// candidate is a model with the server it talks to. answer is set before a call and not while one runs.
type candidate struct {
	*Server
	llm.Model
	answer func(Ask) Reply
}

// ask runs one call to its end.
func (c *candidate) ask(t *testing.T, req llm.Request, r Reply) (llm.End, []llm.Delta) {
	t.Helper()
	c.answer = Say(r)
	var deltas []llm.Delta
	for d, err := range c.Stream(t.Context(), req) {
		if err != nil {
			t.Fatalf("call failed: %v", err)
		}
		deltas = append(deltas, d)
	}
	if len(deltas) == 0 || deltas[len(deltas)-1].End == nil {
		t.Fatalf("the stream ended without an end: %v", deltas)
	}
	return *deltas[len(deltas)-1].End, deltas
}

// fail runs one call that must fail.
func (c *candidate) fail(t *testing.T, r Reply) *trouble.Error {
	t.Helper()
	c.answer = Say(r)
	end, err := llm.Collect(c.Stream(t.Context(), hello))
	if err == nil {
		t.Fatalf("answered %q instead of failing", end.Message.Text())
	}
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok {
		t.Fatalf("error %T is no *trouble.Error: %v", err, err)
	}
	return e
}

// last returns the most recent request.
func (c *candidate) last() Ask {
	calls := c.Calls()
	return calls[len(calls)-1]
}

// hello is the smallest possible request.
var hello = llm.Request{Messages: []llm.Message{llm.UserText("hello")}}

// examAnswer requires a text that streams, and that everything in the request arrives.
func examAnswer(t *testing.T, c *candidate) {
	const text = "It is the hemlock, not the argument, that ends the talk."
	req := llm.Request{System: "You are terse.", Messages: []llm.Message{llm.UserText("What ends it?")}, MaxTokens: 999, Session: "s1"}
	end, deltas := c.ask(t, req, Reply{Text: text})
	var streamed string
	pieces := 0
	for _, d := range deltas {
		streamed += d.Text
		if d.Text != "" {
			pieces++
		}
	}
	if streamed != text || end.Message.Text() != text || end.Message.Role != llm.Assistant {
		t.Errorf("streamed %q, end %+v", streamed, end.Message)
	}
	if pieces < 2 {
		t.Error("the text came in one piece")
	}
	a := c.last()
	if end.Stop != llm.StopDone || end.Model != a.Model || a.Model != c.Info().ID {
		t.Errorf("stop %q, answered by %q, asked for %q", end.Stop, end.Model, a.Model)
	}
	if end.Request == "" {
		t.Error("the vendor's id of the request is lost")
	}
	if a.System != req.System || a.Last() != "What ends it?" || a.Key != Key || !bytes.Contains(a.Body, []byte("999")) {
		t.Errorf("the server saw system %q, message %q, key %q, body %s", a.System, a.Last(), a.Key, a.Body)
	}
}

// examHistory requires messages, a picture and a PDF to arrive unchanged. Not every protocol has a place for a
// document's name.
func examHistory(t *testing.T, c *candidate) {
	pdf := llm.Attachment{MIME: llm.PDF, Data: []byte("%PDF-1.7\xff"), Name: "spec.pdf"}
	history := []llm.Message{llm.UserText("one"), llm.AssistantText("two"),
		{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "see"}, llm.Attachment{MIME: "image/png", Data: []byte{1, 2, 255}}, pdf}}}
	c.ask(t, llm.Request{Messages: history}, Reply{Text: "yes"})
	if c.last().Protocol == "gemini" {
		pdf.Name = ""
		history[2].Parts[2] = pdf
	}
	if got := c.last().Messages; !reflect.DeepEqual(got, history) {
		t.Errorf("the server saw %+v, want %+v", got, history)
	}
}

// tools is one tool, with a schema that strict modes accept.
var tools = []llm.Spec{{Name: "read", Doc: "Reads a file.", Schema: json.RawMessage(
	`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)}}

// examTool requires a call and its result to go there and back, with the reasoning that led to it: without it vendors
// refuse or forget.
func examTool(t *testing.T, c *candidate) {
	req := llm.Request{Tools: tools, Effort: "high", Messages: []llm.Message{llm.UserText("read a.txt")}}
	want := llm.Call{Name: "read", Args: json.RawMessage(`{"path":"ä/a.txt"}`)}
	end, deltas := c.ask(t, req, Reply{Think: "I need the file, then I can say.", Text: "Reading.", Calls: []llm.Call{want}})
	if got := c.last().Tools; len(got) != 1 || got[0].Name != "read" || got[0].Doc != tools[0].Doc ||
		!sameJSON(got[0].Schema, tools[0].Schema) {
		t.Errorf("the server saw tools %+v", got)
	}
	calls, think := end.Message.Calls(), ""
	for _, d := range deltas {
		think += d.Think
	}
	if end.Stop != llm.StopTools || len(calls) != 1 || calls[0].Name != "read" || calls[0].ID == "" || !sameJSON(calls[0].Args, want.Args) {
		t.Fatalf("stop %q, calls %+v", end.Stop, calls)
	}
	if think != "I need the file, then I can say." || end.Message.Text() != "Reading." {
		t.Errorf("thought %q, said %q", think, end.Message.Text())
	}
	req.Messages = append(req.Messages, end.Message, llm.Message{Role: llm.User,
		Parts: []llm.Part{llm.Result{ID: calls[0].ID, Name: "read", Text: "no such file", Failed: true}}})
	if end, _ = c.ask(t, req, Reply{Text: "It is gone."}); end.Message.Text() != "It is gone." {
		t.Errorf("second answer %q", end.Message.Text())
	}
	a := c.last()
	var back []llm.Part
	for _, m := range a.Messages {
		back = append(back, m.Parts...)
	}
	checkRoundTrip(t, a.Protocol, calls[0].ID, back)
}

// checkRoundTrip looks for the call, its result and the reasoning in what came back to the server.
func checkRoundTrip(t *testing.T, protocol, id string, parts []llm.Part) {
	t.Helper()
	var called, answered, reasoned bool
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Call:
			called = p.ID == id && sameJSON(p.Args, json.RawMessage(`{"path":"ä/a.txt"}`))
			reasoned = reasoned || p.Signature != ""
		case llm.Result:
			answered = p.ID == id && strings.Contains(p.Text, "no such file")
		case llm.Think:
			reasoned = reasoned || strings.HasPrefix(p.Signature, "sig-") || protocol == Chat && p.Text != ""
		}
	}
	if !called || !answered || !reasoned {
		t.Errorf("came back: call %v, result %v, reasoning %v, in %+v", called, answered, reasoned, parts)
	}
}

// examParallel requires that two calls of one answer, and their results, are not mixed up.
func examParallel(t *testing.T, c *candidate) {
	req := llm.Request{Tools: tools, Messages: []llm.Message{llm.UserText("read both")}}
	end, _ := c.ask(t, req, Reply{Calls: []llm.Call{
		{Name: "read", Args: json.RawMessage(`{"path":"a"}`)}, {Name: "read", Args: json.RawMessage(`{"path":"b"}`)}}})
	calls := end.Message.Calls()
	if len(calls) != 2 || calls[0].ID == calls[1].ID || !sameJSON(calls[0].Args, json.RawMessage(`{"path":"a"}`)) ||
		!sameJSON(calls[1].Args, json.RawMessage(`{"path":"b"}`)) {
		t.Fatalf("calls %+v", calls)
	}
	req.Messages = append(req.Messages, end.Message, llm.Message{Role: llm.User, Parts: []llm.Part{
		llm.Result{ID: calls[0].ID, Name: "read", Text: "A"}, llm.Result{ID: calls[1].ID, Name: "read", Text: "B"},
		llm.Text{Text: "go on"}}})
	c.ask(t, req, Reply{Text: "both"})
	results := map[string]string{}
	for _, p := range c.last().Messages[2].Parts {
		if r, ok := p.(llm.Result); ok {
			results[r.ID] = r.Text
		}
	}
	if results[calls[0].ID] != "A" || results[calls[1].ID] != "B" || c.last().Last() != "go on" {
		t.Errorf("results came back as %v, then %q", results, c.last().Last())
	}
}

// examSchema requires the schema of an answer to arrive unchanged.
func examSchema(t *testing.T, c *candidate) {
	schema := json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"},"why":{"type":"string"}},` +
		`"required":["verdict"],"additionalProperties":false}`)
	req := hello
	req.Schema = schema
	end, _ := c.ask(t, req, Reply{Text: `{"verdict":"no"}`})
	if end.Message.Text() != `{"verdict":"no"}` || !sameJSON(c.last().Schema, schema) {
		t.Errorf("answered %q to schema %s", end.Message.Text(), c.last().Schema)
	}
}

// examForeign requires that another vendor's signatures are not sent to this one, and that call ids in a foreign form
// are accepted.
func examForeign(t *testing.T, c *candidate) {
	const secret = "Zm9yZWlnbg=="
	history := []llm.Message{llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{
		llm.Think{Text: "hm", Signature: draft.Signed("elsewhere", secret)}, llm.Text{Text: "two"},
		llm.Call{ID: "functions.read:0", Name: "read", Args: json.RawMessage(`{}`), Signature: draft.Signed("elsewhere", secret)}}},
		{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "functions.read:0", Name: "read", Text: "three"}}}}
	c.ask(t, llm.Request{Messages: history, Tools: tools}, Reply{Text: "fine"})
	if bytes.Contains(c.last().Body, []byte(secret)) {
		t.Errorf("another vendor's signature was sent: %s", c.last().Body)
	}
}

// examStreams sends what confuses stream readers.
func examStreams(t *testing.T, c *candidate) {
	for _, tc := range []struct {
		name string
		r    Reply
	}{
		{"runes split between writes", Reply{Text: strings.Repeat("näïve 🙂 日本語 ", 5), Fault: fault.SplitRunes}},
		{"a delta of two megabytes", Reply{Text: strings.Repeat("long ", 2<<20/5), Fault: fault.LongLine}},
		{"no counts", Reply{Text: "free of charge", Fault: fault.NoUsage}},
		{"what a browser would mistake", Reply{Text: "<b>&amp; \u2028 \"data: [DONE]\"\n\ndata: x\r\n\\ud83d"}},
	} {
		if end, _ := c.ask(t, hello, tc.r); end.Message.Text() != tc.r.Text {
			t.Errorf("%s: %d bytes came of %d", tc.name, len(end.Message.Text()), len(tc.r.Text))
		}
	}
}

// examStops requires that a refusal and a truncated answer are distinguished from a complete one.
func examStops(t *testing.T, c *candidate) {
	end, _ := c.ask(t, hello, Reply{Text: "I will not.", Fault: fault.Refused})
	if end.Stop != llm.StopRefusal || end.Message.Text() != "I will not." {
		t.Errorf("a refusal ended as %q with %q", end.Stop, end.Message.Text())
	}
	if end, _ := c.ask(t, hello, Reply{Text: "And so on and", Fault: fault.OutOfTokens}); end.Stop != llm.StopLength {
		t.Errorf("an answer too long ended as %q", end.Stop)
	}
}

// examUsage requires the vendor's counts in our order: input without cached tokens, output with thinking.
func examUsage(t *testing.T, c *candidate) {
	want := cost.Usage{Input: 100, Output: 50, CacheRead: 30, Reasoning: 10}
	if c.ask(t, hello, Reply{Text: "x"}); c.last().Protocol != Gemini { // Gemini does not count cache writes
		want.CacheWrite = 20
	}
	end, _ := c.ask(t, hello, Reply{Text: "counted", Usage: &want})
	got := end.Usage
	got.USD, got.Source = 0, ""
	if got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// examFaults requires each failure to have its kind, in one line, without the key: the kind decides what is tried
// next.
func examFaults(t *testing.T, c *candidate) {
	for _, tc := range []struct {
		fault fault.Fault
		kind  trouble.Kind
	}{
		{fault.Unauthorized, trouble.Auth}, {fault.Unpaid, trouble.Quota},
		{fault.Exhausted, trouble.Quota}, {fault.Limited, trouble.RateLimit},
		{fault.Broken, trouble.Overloaded}, {fault.Overloaded, trouble.Overloaded},
		{fault.TooLarge, trouble.Context}, {fault.TooLong, trouble.Context},
		{fault.Page, trouble.Overloaded}, {fault.Cut, trouble.Network},
		{fault.Short, trouble.Network}, {fault.Garbled, trouble.Malformed}, {fault.ErrorEvent, trouble.Overloaded},
	} {
		e := c.fail(t, Reply{Text: "one two three four", Fault: tc.fault})
		if e.Kind != tc.kind {
			t.Errorf("%s is %v, want %s", tc.fault, e, tc.kind)
		}
		if e.Message == "" || strings.ContainsAny(e.Message, "\n\r<") || strings.Contains(e.Error(), Key) {
			t.Errorf("%s: not a sentence of one line: %q", tc.fault, e.Message)
		}
	}
	if e := c.fail(t, Reply{}); e.Kind != trouble.Empty {
		t.Errorf("an empty answer is %v", e)
	}
}

// examRetryAfter requires the vendor's wait in all three forms of the header: seconds, a date, and none.
func examRetryAfter(t *testing.T, c *candidate) {
	if e := c.fail(t, Reply{Fault: fault.Limited, RetryAfter: "7"}); e.RetryAfter != 7*time.Second || e.Status != 429 {
		t.Errorf("seconds: %v, status %d", e.RetryAfter, e.Status)
	}
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if e := c.fail(t, Reply{Fault: fault.Overloaded, RetryAfter: at}); e.RetryAfter < 50*time.Minute || e.RetryAfter > time.Hour {
		t.Errorf("date: %v, want just under an hour", e.RetryAfter)
	}
	if e := c.fail(t, Reply{Fault: fault.Limited}); e.RetryAfter != 0 {
		t.Errorf("no header: %v", e.RetryAfter)
	}
}

// examGuard requires a failed call to be repeated after the wait that the vendor asked for.
func examGuard(t *testing.T, c *candidate) {
	c.answer = Failing(1, Reply{Fault: fault.Limited, RetryAfterMS: "20"}, Say(Reply{Text: "at last"}))
	var retries []llm.Retry
	var said string
	for d, err := range retry.Guard(c.Model, retry.Patience{Base: time.Millisecond}).Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Retry != nil {
			retries = append(retries, *d.Retry)
		}
		said += d.Text
	}
	if len(retries) != 1 || retries[0].Wait != 20*time.Millisecond || said != "at last" || len(c.Calls()) != 2 {
		t.Errorf("retries %+v, said %q, %d calls", retries, said, len(c.Calls()))
	}
}

// examStall requires that silence ends a call, before the head of the answer and within it, and that the connection
// is closed.
func examStall(t *testing.T, c *candidate) {
	for _, fault := range []fault.Fault{fault.Stall, fault.Freeze} {
		c.answer = Say(Reply{Text: "one two three four", Fault: fault})
		_, err := llm.Collect(retry.Guard(c.Model, retry.Patience{Tries: 1, Idle: 50 * time.Millisecond}).Stream(t.Context(), hello))
		if trouble.As(err).Kind != trouble.Stall {
			t.Errorf("%s: %v", fault, err)
		}
		<-c.Left()
	}
}

// examLeave requires that nothing stays behind after a reader that stops reading.
func examLeave(t *testing.T, c *candidate) {
	c.ask(t, hello, Reply{Text: "warm"})
	wire.HTTPClient().CloseIdleConnections()
	before := runtime.NumGoroutine()
	c.answer = Say(Reply{Text: "one two three four", Fault: fault.Freeze})
	for d, err := range c.Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			break
		}
	}
	<-c.Left()
	settle(t, before)
}

// examCancel requires the context's own error, which no caller mistakes for the vendor's.
func examCancel(t *testing.T, c *candidate) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.answer = Say(Reply{Text: "one two three four", Fault: fault.Freeze})
	var last error
	for d, err := range c.Stream(ctx, hello) {
		if d.Text != "" {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v, want the context's error", last)
	}
	<-c.Left()
}

// settle waits until no more goroutines run than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		wire.HTTPClient().CloseIdleConnections()
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// examEnvironment sets variables that vendors' libraries read. Ours must not: only the settings decide what a request
// is sent with.
func examEnvironment(t *testing.T, c *candidate) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY",
		"OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"} {
		t.Setenv(name, "planted")
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Planted: planted")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	c.ask(t, hello, Reply{Text: "clean"})
	a := c.last()
	head, _ := json.Marshal(a.Header)
	if a.Key != Key || bytes.Contains(head, []byte("lanted")) || bytes.Contains(a.Body, []byte("planted")) {
		t.Errorf("key %q, headers %s", a.Key, head)
	}
}

// examMany asks eight times at once; answers must not be mixed up.
func examMany(t *testing.T, c *candidate) {
	c.answer = func(a Ask) Reply { return Reply{Text: "you said " + a.Last()} }
	done := make(chan error)
	for _, word := range strings.Fields("a b c d e f g h") {
		go func() {
			end, err := llm.Collect(c.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText(word)}}))
			if err == nil && end.Message.Text() != "you said "+word {
				err = errors.New("to " + word + ": " + end.Message.Text())
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// sameJSON compares regardless of blanks and the order of keys.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
