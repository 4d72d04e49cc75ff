package test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/socrates-cli/socrates/internal/team/oidc/oidctest"
)

// browser is one that a script signed in at a server it started, or, with a token, a program.
type browser struct {
	base, cookie, page, token, folder string
}

// issuer is the provider by which people sign in: one for all scripts, since a key takes long to make.
var issuer = sync.OnceValues(oidctest.New)

// browsers are by the name of their server.
type browsersKey struct{}

// web sends a request to a server that the script started and writes the answer to stdout:
//
//	web NAME in [FILE]          signs a browser in with the link on the server's stderr, or with the one in a file
//	web NAME login              signs a browser in by the provider that the server names
//	web NAME as FILE            is a program from now on, with the token in a file
//	web NAME at FOLDER          means another project from now on
//	web NAME until TEXT PATH    looks at a page until TEXT is in it, as a person does who reloads it
//	web NAME GET PATH           also POST and DELETE, with a BODY: a form of a browser, JSON of a program
//
// With ! the server must refuse it.
func web(ts *testscript.TestScript, neg bool, args []string) {
	all := ts.Value(browsersKey{}).(map[string]*browser)
	b := all[args[0]]
	switch {
	case args[1] == "in":
		l := linkOf(ts, args[0])
		if len(args) > 2 {
			_, l.Fragment, _ = strings.Cut(strings.TrimSpace(ts.ReadFile(args[2])), "#")
		}
		all[args[0]] = signIn(ts, l)
		return
	case args[1] == "login":
		all[args[0]] = signIn(ts, loginOf(ts, args[0]))
		return
	case args[1] == "as":
		if b == nil {
			b = &browser{base: linkOf(ts, args[0]).base()}
			all[args[0]] = b
		}
		b.token = strings.TrimSpace(ts.ReadFile(args[2]))
		return
	}
	if args[1] == "at" {
		b.folder = args[2]
		return
	}
	if args[1] == "until" {
		for deadline := time.Now().Add(time.Minute); ; {
			_, said := b.send(ts, "GET", args[3], "")
			if strings.Contains(said, args[2]) {
				io.WriteString(ts.Stdout(), said)
				return
			}
			if time.Now().After(deadline) {
				ts.Fatalf("%s never had %q in it:\n%s", args[3], args[2], said)
			}
			time.Sleep(20 * time.Millisecond) // the server needs the processor more
		}
	}
	body := ""
	if len(args) > 3 {
		body = args[3]
	}
	code, said := b.send(ts, args[1], args[2], body)
	if ts.Logf("%d", code); (code >= 400) != neg {
		ts.Fatalf("%s %s: %d\n%s", args[1], args[2], code, said)
	}
	io.WriteString(ts.Stdout(), said)
}

type link struct{ *url.URL }

func (l link) base() string { return l.Scheme + "://" + l.Host }

// linkOf is the link by the plain name that a server says on its stderr: not every system resolves the other one.
func linkOf(ts *testscript.TestScript, name string) link {
	await(ts, false, []string{name, "If your browser"})
	m := regexp.MustCompile(`find it: (\S+)`).FindStringSubmatch(strings.Join(named(ts, name).seen, "\n"))
	u, err := url.Parse(m[1])
	ts.Check(err)
	return link{u}
}

// loginOf is the link that a browser is sent to once the server's provider has vouched for it.
func loginOf(ts *testscript.TestScript, name string) link {
	l := linkOf(ts, name)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	c := http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/in" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	answer, err := c.Get(l.base() + "/login")
	ts.Check(err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	ts.Check(err)
	_, code, ok := strings.Cut(answer.Header.Get("Location"), "/in#")
	if !ok {
		ts.Fatalf("it ends with %d: %s", answer.StatusCode, raw)
	}
	l.Fragment = code
	return l
}

func signIn(ts *testscript.TestScript, l link) *browser {
	b := &browser{base: l.base()}
	req, err := http.NewRequest("POST", b.base+"/in", strings.NewReader(url.Values{"link": {l.Fragment}}.Encode()))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "text/plain")
	answer, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("sign in: %d %s", answer.StatusCode, raw)
	}
	b.cookie, _, _ = strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	b.page = string(raw)
	return b
}

// RoundTrip has a client of another protocol send the token.
func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func (b *browser) send(ts *testscript.TestScript, method, path, body string) (int, string) {
	req, err := http.NewRequest(method, b.base+path, strings.NewReader(body))
	ts.Check(err)
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Socrates-Folder", b.folder)
	} else {
		req.Header.Set("Cookie", b.cookie)
		req.Header.Set("X-Socrates-Page", b.page)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	c := http.Client{Timeout: time.Minute, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		next.Header.Set("Cookie", b.cookie)
		return nil
	}}
	answer, err := c.Do(req)
	ts.Check(err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	ts.Check(err)
	return answer.StatusCode, string(raw)
}
