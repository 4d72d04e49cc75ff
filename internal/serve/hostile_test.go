package serve_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// What models and strangers write stays text on every page: no element, handler, address or style of theirs, and never the page's key.
func TestHostileWords(t *testing.T) {
	w := newWorld(t)
	w.host.Seats = func(context.Context) ([]api.Candidate, error) {
		return []api.Candidate{{Spec: hostile[0], Model: hostile[1], Lineage: hostile[2], Ready: true, Why: hostile[3]}}, nil
	}
	cookie, key := w.signIn(w.own())
	paths := []string{"/", "/debates", "/conversations", "/runs", "/issues", "/new", "/seats", "/panel", "/evals", "/nothing", "/t/work"}
	for i, text := range hostile {
		name := "h" + string(rune('a'+i))
		for _, op := range []engine.Op{conversation.NewTree{Name: name, Title: text, Dir: w.dir + "/" + text},
			conversation.Remark{Tree: name, Role: "user", Text: text}, conversation.Remark{Tree: name, Role: "assistant", Text: text},
			conversation.Label{Tree: name, At: "HEAD", Name: "l"}, notes.Keep{Text: text, By: "person"}} {
			if _, err := w.host.Engine.Do(t.Context(), op); err != nil {
				t.Fatalf("%T of %q: %v", op, text, err)
			}
		}
		q := url.QueryEscape(text)
		paths = append(paths, "/t/"+name, "/search?q="+q, "/?q="+q+"&folder="+q, "/debates?state="+q+"&q="+q,
			"/new?question="+q+"&options="+q+"&files="+q+
				"&context="+q+"&budget="+q+"&seat="+q, "/t/"+url.PathEscape(text), "/d/"+url.PathEscape(text),
			"/w/"+url.PathEscape(text)+"/steps/"+
				url.PathEscape(text), "/i/"+url.PathEscape(text), "/compare?one="+q+"&other="+q, "/"+url.PathEscape(text))
	}
	shown := 0
	for _, path := range paths {
		_, _, body := w.ask("GET", w.own(), path, "", "Cookie", cookie)
		if foul := foreignIn(body, key); foul != "" {
			t.Errorf("%s has %s", path, foul)
		}
		if strings.Contains(body, "&lt;img src=x") {
			shown++
		}
	}
	if shown < 5 { // its conversation, the lists it is in, what is searched for
		t.Errorf("the words are on %d pages", shown)
	}
}

var hostile = []string{`"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>{{page}}`, `</title><script>alert(1)</script>`,
	`--></textarea><iframe src=//e>`,
	"[x](javascript:alert(1)) ![y](https://evil.example/y.png) <a href=javascript:alert(1)>z</a>",
	"`</code><b style=color:red>`\n\n# <u onclick=alert(1)>"}

// foreignIn says what on a page is not ours; empty: nothing.
func foreignIn(body, key string) string {
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		kind := z.Next()
		token := z.Token()
		switch {
		case kind == html.ErrorToken:
			return ""
		case kind == html.TextToken && strings.Contains(token.Data, key):
			return "the page's key as text"
		case kind != html.StartTagToken && kind != html.SelfClosingTagToken:
			continue
		case slices.Contains([]string{"img", "iframe", "u", "object", "embed", "base"}, token.Data):
			return token.String()
		}
		for _, a := range token.Attr {
			link := strings.ToLower(strings.TrimSpace(a.Val))
			keyed := a.Val == key && token.Data == "input" || !strings.Contains(a.Val, key)
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || !keyed || (a.Key == "href" || a.Key == "src" || a.Key == "action") &&
				!strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "#") && !strings.HasPrefix(link, "https://") {
				return token.String()
			}
		}
		if token.Data == "script" && !strings.Contains(token.String(), `src="/assets/`) {
			return token.String()
		}
	}
}
