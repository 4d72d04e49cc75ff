package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/team"
)

// people makes the server one of a hub.
func (w *world) people() *team.Book {
	w.Helper()
	book, err := team.Open(w.Context(), filepath.Join(w.dir, "hub", "team.db"), nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { book.Close() })
	w.stop()
	w.openWith(serve.Options{Addr: w.addr(), Dir: w.dir, Team: book, View: func(context.Context, string) (serve.View, error) {
		return serve.View{Host: new(*w.host), Close: func() error { return nil }}, nil
	}})
	return book
}

// enter adds a person; the token is theirs.
func (w *world) enter(b *team.Book, name string, role team.Role) {
	w.Helper()
	if err := b.Enter(w.Context(), team.Person{Name: name, Role: role}); err != nil {
		w.Fatal(err)
	}
}

// A stream of somebody ends as soon as something is hidden from them: it goes on in what they saw before.
func TestStreamOfWhatIsHidden(t *testing.T) {
	w := newWorld(t)
	book := w.people()
	w.enter(book, "rita", team.Reader)
	token, err := guard.AddToken(w.dir, "person-rita", guard.Admin, "rita")
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest("GET", "http://"+w.addr()+"/api/v1/events", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	defer answer.Body.Close()
	if err := book.Share(t.Context(), team.Share{Kind: team.OfProject, Name: filepath.Join(w.dir, "secret")}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
}

// What was made for somebody who was taken out opens nothing for somebody who comes under the same name.
func TestSameNameAgain(t *testing.T) {
	w := newWorld(t)
	book := w.people()
	w.enter(book, "eve", team.Debater)
	in := func(link string) (int, string) {
		code, h, _ := w.ask("POST", w.own(), "/in", "link="+link, "Content-Type", formType, "Accept", "text/plain")
		cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
		return code, cookie
	}
	code, cookie := in(w.srv.Guard.Link("eve"))
	if code != 200 {
		t.Fatalf("sign in: %d", code)
	}
	early := w.srv.Guard.Link("eve")
	open := func() int { code, _, _ := w.ask("GET", w.own(), "/debates", "", "Cookie", cookie); return code }
	if code := open(); code != 200 {
		t.Fatalf("her browser: %d", code)
	}
	if err := book.Leave(t.Context(), "eve"); err != nil {
		t.Fatal(err)
	}
	if code := open(); code != 401 {
		t.Errorf("she was taken out: %d", code)
	}
	if code, _ := in(w.srv.Guard.Link("eve")); code != 401 {
		t.Errorf("a link for nobody: %d", code)
	}
	for before := time.Now().UnixMilli(); time.Now().UnixMilli() <= before; { // the clock of the book knows no less
		time.Sleep(time.Millisecond)
	}
	w.enter(book, "eve", team.Debater)
	if code := open(); code != 401 {
		t.Errorf("the browser of the first eve is the second's: %d", code)
	}
	if code, _ := in(early); code != 401 {
		t.Errorf("a link of the first eve: %d", code)
	}
	if code, _ := in(w.srv.Guard.Link("eve")); code != 200 {
		t.Errorf("the second eve: %d", code)
	}
}

// Taking back the tokens of nobody leaves those of whoever runs the server.
func TestTokensOfNobody(t *testing.T) {
	w := newWorld(t)
	w.token(guard.Read)
	if err := guard.RemoveTokens(w.dir, ""); !errors.Is(err, guard.ErrUnknown) {
		t.Error(err)
	}
	if list, err := guard.Tokens(w.dir); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

// Whoever owns a worker pays for what others do with it in projects that are hidden from them, and reads no name of those.
func TestPaidForWhatIsHidden(t *testing.T) {
	h := &api.Host{Hidden: []string{"/p/secret"}}
	lines := h.Theirs([]team.Line{{Person: "ann", Payer: "rita", Project: "/p/secret/sub"}, {Person: "rita", Project: "/p/open"},
		{Person: "ann", Payer: "ann", Project: "/p/open"}}, "rita")
	if want := []team.Line{{Person: "ann", Payer: "rita"}, {Person: "rita", Project: "/p/open"}}; !slices.Equal(lines, want) {
		t.Errorf("%+v", lines)
	}
}
