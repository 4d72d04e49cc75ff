package websearch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/websearch"
)

const key = "key-canary-123"

// engines are what each documents: how it is asked, and how it answers.
var engines = []struct {
	name, method, path, query, body string
	header                          [2]string
	answer                          string
}{
	{"brave", "GET", "/web/search", "count=10&q=go+1.27+%22weak%22", "", [2]string{"X-Subscription-Token", key},
		`{"type":"search","query":{"original":"x"},"web":{"type":"search","results":[
		{"title":"Go <strong>1.27</strong>","url":"https://go.dev/doc/go1.27","description":"What&#x27;s new &amp; old","page_age":"2026-08-11"},
		{"title":"again","url":"https://go.dev/doc/go1.27","description":""},{"title":"","url":"https://example.com/a","description":"A"},
		{"title":"no page","url":"javascript:alert(1)","description":"B"}]}}`},
	{"kagi", "GET", "/search", "limit=10&q=go+1.27+%22weak%22", "", [2]string{"Authorization", "Bot " + key},
		`{"meta":{"id":"1","node":"eu","ms":120,"api_balance":4.2},"data":[
		{"t":0,"url":"https://go.dev/doc/go1.27","title":"Go <b>1.27</b>","snippet":"What's new &amp; old","published":"2026-08-11T00:00:00Z"},
		{"t":0,"url":"https://example.com/a","title":"","snippet":"A"},{"t":1,"list":["go release"]}]}`},
	{"exa", "POST", "/search", "", `{"contents":{"highlights":true},"numResults":10,"query":"go 1.27 \"weak\""}`, [2]string{"X-Api-Key", key},
		`{"requestId":"r","results":[{"id":"1","title":"Go 1.27","url":"https://go.dev/doc/go1.27","publishedDate":"2026-08-11","highlights":["What's new","& old"]},
		{"id":"2","title":null,"url":"https://example.com/a","text":"A"}],"costDollars":{"total":0.005}}`},
	{"searxng", "GET", "/search", "format=json&q=go+1.27+%22weak%22", "", [2]string{"Authorization", "Bearer " + key},
		`{"query":"x","number_of_results":2,"results":[{"url":"https://go.dev/doc/go1.27","title":"Go 1.27","content":"What's new & old","engine":"bing"},
		{"url":"https://example.com/a","title":"","content":"A"}],"answers":[],"unresponsive_engines":[]}`},
}

// TestEngines: each is asked and read as it documents.
func TestEngines(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			var got string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = fmt.Sprint(r.Method, " ", r.URL.Path, "?", r.URL.RawQuery, " ", string(body), " ", r.Header.Get(e.header[0]), r.Header.Get("Referer"))
				io.WriteString(w, e.answer)
			}))
			defer s.Close()
			found, err := websearch.Engine{Name: e.name, Base: s.URL + "/", Key: key}.Search(t.Context(), `go 1.27 "weak"`)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(e.method, " ", e.path, "?", e.query, " ", e.body, " ", e.header[1]); got != want {
				t.Errorf("asked\n%s, want\n%s", got, want)
			}
			if len(found) != 2 || found[0].Title != "Go 1.27" || found[0].URL != "https://go.dev/doc/go1.27" || !strings.Contains(found[0].Text, "What's new") ||
				found[1] != (websearch.Result{Title: "example.com", URL: "https://example.com/a", Text: "A"}) {
				t.Errorf("found %+v", found)
			}
		})
	}
	if len(engines) != len(websearch.Names()) {
		t.Errorf("%v, and %d of them are tested", websearch.Names(), len(engines))
	}
}

// TestFailures: what is wrong is said without the key, and a redirect does not take it along.
func TestFailures(t *testing.T) {
	thief := ""
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { thief = r.Header.Get("X-Subscription-Token") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("q") {
		case "moved":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "refused":
			http.Error(w, "no such subscription: "+key, http.StatusUnprocessableEntity)
		case "page":
			io.WriteString(w, "<html>")
		}
	}))
	defer s.Close()
	for query, want := range map[string]string{"moved": "brave answered 307", "refused": "brave answered 422 Unprocessable Entity: no such subscription: ***",
		"page": "the answer of brave cannot be read"} {
		_, err := websearch.Engine{Name: "brave", Base: s.URL, Key: key}.Search(t.Context(), query)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	if thief != "" {
		t.Error("the key went along with a redirect")
	}
	for _, e := range []struct {
		websearch.Engine
		want string
	}{{websearch.Engine{Name: "brave"}, "search.key is not set"}, {websearch.Engine{Name: "searxng"}, "search.url is not set"}, {websearch.Engine{Name: "x"}, "known: brave"}} {
		if _, err := e.Address("q"); err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%v, want %s", err, e.want)
		}
	}
	if !slices.IsSorted(websearch.Names()) {
		t.Error("the engines are not sorted")
	}
}
