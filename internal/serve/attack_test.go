package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// What a page of an attacker can make a browser send that is signed in here, and what any program on this machine can send that got
// hold of the cookie. None may change anything, and none may read anything that is not its own.
func TestAttackersPages(t *testing.T) {
	w := newWorld(t)
	own, shared := w.own(), w.addr()
	ours, page := w.signIn(own)
	theirs, _ := w.signIn(shared)
	port := shared[strings.LastIndexByte(shared, ':'):]
	const form, plain, object = formType, "text/plain", "application/json"
	say, keep, start := "/t/work/say", "/api/v1/notes", "/new"
	note, words, question := `{"text":"planted"}`, "text=planted", "question=a+or+b"
	far := []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}
	near := []string{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}
	submit := []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}
	old := []string{"Origin", "https://evil.example"} // browsers before Sec-Fetch
	null := []string{"Origin", "null"}
	with := func(headers []string, more ...string) []string {
		return append(append([]string{}, headers...), more...)
	}
	for _, a := range []struct {
		name, method, host, path, body string
		headers                        []string
		want                           int
	}{
		// A page of another site.
		{"form to a conversation", "POST", own, say, words, with(submit, "Content-Type", form, "Cookie", ours), 403},
		{"form to a conversation without the cookie, as SameSite has it", "POST", own, say, words, with(submit, "Content-Type", form), 403},
		{"form that starts a debate", "POST", own, start, question, with(submit, "Content-Type", form, "Cookie", ours), 403},
		{"fetch with no-cors", "POST", own, keep, note, with(far, "Content-Type", plain, "Cookie", ours), 403},
		{"fetch as JSON", "POST", own, keep, note, with(far, "Content-Type", object, "Cookie", ours), 403},
		{"preflight", "OPTIONS", own, keep, "", with(far, "Access-Control-Request-Method", "POST"), 403},
		{"fetch that deletes", "DELETE", own, "/api/v1/trees/work", "", with(far, "Cookie", ours), 403},
		{"fetch that reads", "GET", own, "/api/v1/trees", "", with(far, "Cookie", ours), 403},
		{"image of a page", "GET", own, "/", "", with([]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, "Cookie", ours), 403},
		{"script of our module", "GET", own, "/assets/x/socrates.js", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"event stream", "GET", own, "/api/v1/events", "", with(far, "Cookie", ours), 403},
		{"old browser, form", "POST", own, say, words, with(old, "Content-Type", form, "Cookie", ours), 403},
		{"old browser, JSON as text", "POST", own, keep, note, with(old, "Content-Type", plain, "Cookie", ours), 403},
		{"sandboxed frame", "POST", own, say, words, with(null, "Content-Type", form, "Cookie", ours), 403},
		{"no origin at all, but the cookie", "POST", own, say, words, []string{"Content-Type", form, "Cookie", ours}, 403},
		{"beacon", "POST", own, keep, note, with(far, "Content-Type", plain), 403},
		{"old browser, form from our name under https", "POST", own, say, words + "&page=" + page,
			[]string{"Origin", "https://" + own, "Content-Type", form, "Cookie", ours}, 403},
		{"form that is too long", "POST", own, say, "text=" + strings.Repeat("x", guard.MostBody), []string{"Content-Type", form, "Cookie", ours}, 413},
		{"form that is too long and does not say so", "POST", own, say, "text=" + strings.Repeat("x", guard.MostBody),
			[]string{"Content-Type", form, "Cookie", ours, "Transfer-Encoding", "chunked"}, 413},
		{"link that signs out", "GET", own, "/out", "", with([]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, "Cookie", ours), 404},
		{"link that says something", "GET", own, say + "?" + words, "", []string{"Cookie", ours}, 404},
		{"method in a header", "POST", own, "/api/v1/trees/work", "", with(far, "X-HTTP-Method-Override", "DELETE", "Cookie", ours), 403},
		{"sign-in by force", "POST", own, "/in", "link=guess", with(submit, "Content-Type", form), 403},
		// A page on another port of this machine: the same site, and the same cookie jar.
		{"other port, form", "POST", shared, say, words, with(near, "Content-Type", form, "Cookie", theirs), 403},
		{"other port, fetch as JSON", "POST", shared, keep, note, with(near, "Content-Type", object, "Cookie", theirs), 403},
		{"other port, fetch that reads", "GET", shared, "/api/v1/trees", "", with(near, "Cookie", theirs), 403},
		{"other port, embeds a page", "GET", shared, "/t/work", "", with([]string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"}, "Cookie", theirs), 403},
		{"other port, event stream", "GET", shared, "/api/v1/events", "", with(near, "Cookie", theirs), 403},
		// A server on this machine that was sent the cookie and uses it itself.
		{"stolen cookie, form", "POST", shared, say, words, []string{"Content-Type", form, "Cookie", theirs}, 403},
		{"stolen cookie, form with an empty key", "POST", shared, say, words + "&page=", []string{"Content-Type", form, "Cookie", theirs}, 403},
		{"stolen cookie, JSON", "POST", shared, keep, note, []string{"Content-Type", object, "Cookie", theirs}, 403},
		{"stolen cookie, the key of another session", "POST", shared, say, words, []string{"Content-Type", form, "Cookie", theirs, "X-Socrates-Page", page}, 403},
		{"stolen cookie, by the other name", "GET", own, "/", "", []string{"Cookie", theirs}, 401},
		{"stolen cookie, another browser", "GET", shared, "/", "", []string{"Cookie", theirs, "User-Agent", "thief/1"}, 401},
		{"stolen cookie, signs out", "POST", shared, "/out", "", []string{"Cookie", theirs}, 401},
		// A name of the attacker's that leads here.
		{"rebinding, reads", "GET", "evil.example" + port, "/api/v1/trees", "", nil, 421},
		{"rebinding, page", "GET", "evil.example" + port, "/", "", nil, 421},
		{"rebinding, changes", "POST", "evil.example" + port, keep, note, []string{"Content-Type", object, "Origin", "http://evil.example" + port, "Sec-Fetch-Site", "same-origin"}, 421},
		{"rebinding, a name that ends like ours", "GET", "evil.localhost" + port, "/", "", nil, 421},
		{"rebinding, without a port", "GET", "evil.example", "/", "", nil, 421},
		{"rebinding, our address as a number", "GET", "2130706433" + port, "/", "", nil, 421},
		{"rebinding, another port", "GET", "127.0.0.1:1", "/", "", nil, 421},
		{"no token, guesses", "GET", shared, "/api/v1/trees", "", []string{"Authorization", "Bearer soc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, 401},
	} {
		t.Run(a.name, func(t *testing.T) {
			before := w.last()
			code, h, body := w.ask(a.method, a.host, a.path, a.body, a.headers...)
			if code != a.want {
				t.Errorf("%d, want %d: %.200s", code, a.want, body)
			}
			if strings.Contains(body, w.dir) || strings.Contains(body, page) {
				t.Errorf("it reads %.200s", body)
			}
			for name := range h {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("it is told %s", name)
				}
			}
			if h.Get("Cross-Origin-Resource-Policy") != "same-origin" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("headers %v", h)
			}
			if now := w.last(); now != before || len(w.began) > 0 {
				t.Errorf("it changed something: %d nodes, %d debates", now-before, len(w.began))
			}
		})
	}
	if code, _, _ := w.ask("GET", own, "/", "", "Cookie", ours); code != http.StatusOK {
		t.Errorf("the person's own browser: %d", code)
	}
}
