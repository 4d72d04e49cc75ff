package test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// attack signs nobody in: it opens an attacker's pages beside a session of the server NAME and has them try everything. Names below .test
// lead to this machine, as if their owner had said so. Nothing may be read, and at least 40 attempts are made.
func (c *chromium) attack(ts *testscript.TestScript, name string) error {
	ours := linkOf(ts, name).base()
	port := ours[strings.LastIndexByte(ours, ':'):]
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>evil</title><body>evil page</body>")
	}))
	defer evil.Close()
	at := evil.URL[strings.LastIndexByte(evil.URL, ':'):]
	attempts, err := os.ReadFile("test/testdata/browser/attempts.js")
	if err != nil {
		return err
	}
	count := 0
	// Another port of this machine, whose page shares our cookies; another site; and our own server under a name that is not its own,
	// from whose pages a request is one of the same origin.
	for _, from := range []struct{ page, to, shows string }{{"http://127.0.0.1" + at, ours, "evil page"},
		{"http://evil.test" + at, ours, "evil page"}, {"http://rebound.test" + port, "http://rebound.test" + port, "."}} {
		if err := c.open(from.page); err != nil {
			return err
		}
		host := strings.TrimPrefix(from.page, "http://")
		if err := c.until("location.host + ' ' + document.body.innerText", "^"+host+"(?s).*"+from.shows); err != nil {
			return err
		}
		told, err := c.eval(fmt.Sprintf("%s(%q)", attempts, from.to))
		if err != nil {
			return err
		}
		ts.Logf("%s", told)
		count += strings.Count(told, "\n") + 1
		if strings.Contains(told, "READ") {
			return fmt.Errorf("an attacker's page was let in:\n%s", told)
		}
	}
	if count < 40 {
		return fmt.Errorf("%d attempts were made", count)
	}
	return c.open(ours)
}

// walk goes to pages, or takes the one that is open, and presses Tab until nothing new is reached: everything that can be used must have been,
// each with a ring.
func (c *chromium) walk(paths []string) error {
	if len(paths) == 0 {
		return c.tab()
	}
	for _, path := range paths {
		if err := c.goTo(path); err != nil {
			return err
		}
		if err := c.until("location.pathname + location.search", "^"+regexp.QuoteMeta(path)+"$"); err != nil {
			return err
		}
		if err := c.tab(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// tab walks the page that is open.
func (c *chromium) tab() error {
	keys, err := os.ReadFile("test/testdata/browser/keys.js")
	if err != nil {
		return err
	}
	usable, err := c.eval(string(keys))
	if err != nil {
		return err
	}
	n := 0
	if _, err := fmt.Sscan(usable, &n); err != nil {
		return err
	}
	for range n + 4 {
		if err := c.press("Tab"); err != nil {
			return err
		}
		if _, err := c.eval("note()"); err != nil {
			return err
		}
	}
	return c.until("missed()", "^$")
}
