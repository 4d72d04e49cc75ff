package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/api"
)

func newHandler() *handler {
	named := func(name string) func() ([]Named, error) {
		return func() ([]Named, error) { return []Named{{name, ""}}, nil }
	}
	h := &api.Host{Clean: func(s string) string { return s }}
	return &handler{Host: Host{Host: h, Presets: named("quick"), Strategies: named("council")}}
}

// What real clients send is understood: what is asked, what goes before it, and what no panel should hear of.
func TestRecordedRequests(t *testing.T) {
	raw, err := os.ReadFile("testdata/requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var c struct {
			Client, Path, Context, Warns, Preset, Alone, Refused string
			Body                                                 json.RawMessage
			Stream, Keep                                         bool
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Client, func(t *testing.T) {
			r := httptest.NewRequest("POST", c.Path, bytes.NewReader(c.Body))
			q, err := newHandler().read(r, strings.HasSuffix(c.Path, "/responses"))
			why := q.alone(r)
			ask, failed := q.ask()
			if err == nil && why == "" {
				err = failed
			}
			switch {
			case c.Refused != "":
				if err == nil || !strings.Contains(err.Error(), c.Refused) {
					t.Errorf("it is refused by %v, not for %q", err, c.Refused)
				}
				return
			case err != nil:
				t.Fatal(err)
			case c.Alone != "":
				if !strings.Contains(why, c.Alone) {
					t.Errorf("it is no debate because %q, want %q", why, c.Alone)
				}
				r.Header.Set("X-Socrates-Panel", "on")
				if why := q.alone(r); why != "" {
					t.Errorf("a header forces a debate, but %s", why)
				}
				return
			case why != "":
				t.Errorf("it is no debate: %s", why)
			}
			if ask.Question != "Should the cache use a mutex or use a channel?" || ask.Context != c.Context || ask.Preset != c.Preset {
				t.Errorf("it asks %+v", ask)
			}
			if q.stream != c.Stream || q.keep != c.Keep {
				t.Errorf("stream %t, keep %t", q.stream, q.keep)
			}
			if !strings.Contains(strings.Join(q.warnings, "\n"), c.Warns) {
				t.Errorf("warnings %q lack %q", q.warnings, c.Warns)
			}
		})
	}
}

// A question that is too long for one is the end of the message; nothing of it is lost.
func TestLongMessages(t *testing.T) {
	q := request{talk: []said{{"user", strings.Repeat("fact ", 4000) + "\n\nShould it be A or B?"}}}
	ask, err := q.ask()
	if err != nil || ask.Question != "Should it be A or B?" || strings.Count(ask.Context, "fact") != 4000 || len(q.warnings) != 1 {
		t.Errorf("%v: question %q, %d bytes of context, warnings %q", err, ask.Question, len(ask.Context), q.warnings)
	}
	q = request{talk: []said{{"user", strings.Repeat("old ", mostContext)}, {"assistant", "new"}, {"user", "A or B?"}}}
	if ask, err = q.ask(); err != nil || len(ask.Context) > mostContext || !strings.HasSuffix(ask.Context, "new") || len(q.warnings) != 1 {
		t.Errorf("%v: %d bytes of context, warnings %q", err, len(ask.Context), q.warnings)
	}
}

// A stream begins within a second whatever is not known yet, never looks dead, and says what went wrong in its own way by then.
func TestStreamsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := newHandler(), httptest.NewRecorder()
		o := d.output(w, newChat(httptest.NewRequest("POST", "/", nil), "1", "socrates", false), true)
		time.Sleep(time.Second)
		synctest.Wait()
		o.mu.Lock()
		begun := w.Body.String()
		o.mu.Unlock()
		if !strings.Contains(begun, `"role":"assistant"`) {
			t.Errorf("after a second there is %q", begun)
		}
		time.Sleep(25 * time.Second)
		o.fail(d, &api.Problem{Status: http.StatusPaymentRequired, Detail: "spent"})
		if text := w.Body.String(); w.Code != http.StatusOK || strings.Count(text, ": here") != 2 ||
			!strings.Contains(text, `"message":"spent","type":"insufficient_quota"`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Errorf("%d %s", w.Code, text)
		}
		w = httptest.NewRecorder()
		o = d.output(w, newResponse(nil, "1", "socrates", false), true)
		o.fail(d, &api.Problem{Status: http.StatusPaymentRequired, Detail: "spent"})
		if w.Code != http.StatusPaymentRequired || !strings.Contains(w.Body.String(), `"code":"budget_exhausted"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// A question that was given up and is asked again is another debate; so is that of another caller, or in another conversation; one with
// a key of its own is the one of that key.
func TestAskedAgain(t *testing.T) {
	d := newHandler()
	d.over = map[string]int{}
	caller, before := "ci", []said(nil)
	ask := func(key string) string {
		q := request{talk: append(slices.Clone(before), said{"user", "A or B?"})}
		a, _ := q.ask()
		same := d.again(&a, "/p", caller, key)
		if got := a.Key("/p"); got != same {
			return "other"
		}
		return same
	}
	first := ask("")
	if ask("") != first || ask("k") == first {
		t.Error("the same request is the same debate, one with a key another")
	}
	caller = "other token"
	if theirs := ask(""); theirs == first || ask("") != theirs || ask("k") == first {
		t.Error("another token joins the debate of the first")
	}
	caller, before = "ci", []said{{"user", "We use Go."}, {"assistant", "Good."}}
	if ask("") == first {
		t.Error("another conversation joins the debate of the first")
	}
	before = nil
	d.over[first] = 1
	if ask("") != "other" {
		t.Error("a debate that was given up is not joined")
	}
}

// A panel that is a seat of a panel would never end.
func TestSeatsThatArePanels(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/v1/chat/completions",
		strings.NewReader(`{"model":"socrates","messages":[{"role":"user","content":"A or B?"}]}`))
	r.Header.Set("User-Agent", "socrates")
	if newHandler().asked(newChat)(w, r); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "cannot be a seat") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
