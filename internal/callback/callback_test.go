package callback_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/callback"
)

// S52: what another page, another name of this machine, or a guess asks for is not heard.
func TestWhoIsAnswered(t *testing.T) {
	a, err := callback.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if !strings.HasPrefix(a.URL, "http://127.0.0.1:") {
		t.Errorf("%s can be reached from elsewhere", a.URL)
	}
	top := a.URL[:strings.LastIndexByte(a.URL, '/')]
	port := top[strings.LastIndexByte(top, ':')+1:]
	port = port[:strings.IndexByte(port, '/')]
	ask := func(method, address, host string, header ...string) int {
		t.Helper()
		r, err := http.NewRequest(method, address+"?code=forged", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = host; host == "" {
			r.Host = r.URL.Host
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for name, status := range map[string]int{
		"a guess":                      ask("GET", top+"/AAAAAAAAAAAAAAAAAAAAAAAAAA", ""),
		"no secret":                    ask("GET", top+"/", ""),
		"its beginning":                ask("GET", a.URL[:len(a.URL)-1], ""),
		"more than it":                 ask("GET", a.URL+"/x", ""),
		"a form":                       ask("POST", a.URL, ""),
		"a look ahead":                 ask("HEAD", a.URL, ""),
		"what comes before":            ask("OPTIONS", a.URL, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET"),
		"a name that leads here":       ask("GET", a.URL, "evil.example:"+port),
		"another name of ours":         ask("GET", a.URL, "localhost:"+port),
		"another port":                 ask("GET", a.URL, "127.0.0.1:1"),
		"another page's script":        ask("GET", a.URL, "", "Origin", "https://evil.example"),
		"a page of no origin":          ask("GET", a.URL, "", "Origin", "null"),
		"a script that sees no answer": ask("GET", a.URL, "", "Sec-Fetch-Mode", "no-cors"),
		"a picture":                    ask("GET", a.URL, "", "Sec-Fetch-Dest", "image"),
		"a frame":                      ask("GET", a.URL, "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"),
	} {
		if status != http.StatusNotFound {
			t.Errorf("%s got %d", name, status)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if q, err := a.Wait(ended); err == nil {
		t.Errorf("one of them was heard: %v", q)
	}
	if got := ask("GET", a.URL, "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "cross-site"); got != http.StatusOK {
		t.Fatalf("the person got %d", got)
	}
	if q, err := a.Wait(t.Context()); err != nil || q.Get("code") != "forged" {
		t.Errorf("%v %v", q, err)
	}
	if got := ask("GET", a.URL, ""); got != http.StatusGone {
		t.Errorf("the next one got %d", got)
	}
}
