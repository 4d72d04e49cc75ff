package evidence_test

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/evidence"
)

const article = `<!doctype html><html><head><title>On locks</title><style>p { content: "styled words" }</style>
<script>var s = "<p>scripted words</p>"</script></head><body><!-- commented words --><h1>Locks</h1>
<p>A <b>mutex</b> isn&#39;t
   free &amp; never   was.</p><ul><li>first point<li>second point</ul><p>It says &ldquo;so&rdquo; &ndash; twice.</p>
<svg><text>drawn words</text></svg><a href="x">lin</a>ked words<script>unclosed words`

// site serves the pages the tests below fetch.
func site(t *testing.T) *httptest.Server {
	typed := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/article", typed("text/html; charset=utf-8", article))
	mux.Handle("/plain", typed("text/plain", "one\r\ntwo words\r\n<b>not a tag</b> \x1b[2J\n"))
	mux.Handle("/json", typed("application/json", `{"key": "some value"}`))
	mux.Handle("/latin", typed("text/plain; charset=iso-8859-1", "caf\xe9 au lait"))
	mux.Handle("/pdf", typed("application/pdf", "quoted words"))
	mux.Handle("/odd", typed("//", "quoted words"))
	mux.Handle("/endless", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "early words\n")
		for line := []byte(strings.Repeat("filler é ", 1000)); r.Context().Err() == nil; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}))
	mux.Handle("/bomb", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for zeros := make([]byte, 1<<20); r.Context().Err() == nil; {
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
	}))
	mux.Handle("/cookie", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "seen: %q %q %q end", r.Header["Cookie"], r.Header["Authorization"], r.Header["Referer"])
	}))
	mux.Handle("/to", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.FormValue("u"))
		w.WriteHeader(http.StatusFound)
		io.WriteString(w, "quoted words")
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestSources(t *testing.T) {
	server := site(t)
	forbidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server was asked for %s", r.URL)
	}))
	defer forbidden.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	to := func(u string) string { return "/to?u=" + url.QueryEscape(u) }
	for _, tc := range []struct {
		name, path, quote string
		result            string
		says              string
	}{
		{"a sentence over tags and lines", "/article", "A mutex isn't free & never was.", verdict.Pass, ""},
		{"typographic signs", "/article", `It says "so" - twice`, verdict.Pass, ""},
		{"blocks do not join", "/article", "first pointsecond", verdict.Fail, "does not contain it"},
		{"inline tags do", "/article", "linked words", verdict.Pass, ""},
		{"script", "/article", "scripted words", verdict.Fail, ""},
		{"unclosed script", "/article", "unclosed words", verdict.Fail, ""},
		{"style", "/article", "styled words", verdict.Fail, ""},
		{"comment", "/article", "commented words", verdict.Fail, ""},
		{"drawing", "/article", "drawn words", verdict.Fail, ""},
		{"plain text", "/plain", "two words <b>not a tag</b>", verdict.Pass, ""},
		{"JSON", "/json", `"key": "some value"`, verdict.Pass, ""},
		{"Latin-1", "/latin", "café au", verdict.Pass, ""},
		{"too short", "/plain", "two", verdict.Skipped, "too short"},
		{"not text", "/pdf", "quoted words", verdict.Skipped, "application/pdf"},
		{"no kind", "/odd", "quoted words", verdict.Skipped, "content type"},
		{"no page", "/missing", "quoted words", verdict.Skipped, "404"},
		{"endless, early", "/endless", "early words", verdict.Pass, ""},
		{"endless, late", "/endless", "late words", verdict.Skipped, "first 2 MB"},
		{"unpacked for ever", "/bomb", "quoted words", verdict.Skipped, "first 2 MB"},
		{"nothing about us is sent", to("/cookie"), "seen: [] [] [] end", verdict.Pass, ""},
		{"redirect", to("/plain"), "two words", verdict.Pass, ""},
		{"redirect to another port", to(forbidden.URL), "quoted words", verdict.Skipped, "not an allowed source"},
		{"redirect to another name", to("http://localhost" + port + "/plain"), "two words", verdict.Skipped, "not an allowed source"},
		{"redirect to metadata", to("http://169.254.169.254/latest/meta-data"), "quoted words", verdict.Skipped, "not an allowed source"},
		{"redirect to a file", to("file:///etc/passwd"), "quoted words", verdict.Skipped, "neither http nor https"},
		{"redirect with a user", to("http://u:p@127.0.0.1" + port + "/plain"), "two words", verdict.Skipped, "user"},
		{"redirect loop", to(to("/plain")), "quoted words", verdict.Skipped, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := tc.path
			if tc.name == "redirect loop" {
				for range 6 {
					path = to(path)
				}
			}
			l := &evidence.Looker{Sources: []string{"example.com", "127.0.0.1" + port}, Loopback: true}
			o := look(t, l, verdict.Evidence{Kind: "source", URL: server.URL + path, Quote: tc.quote})
			grade := verdict.Fetched
			if tc.result == verdict.Skipped {
				grade = verdict.Nothing
			}
			expect(t, o, tc.result, grade, tc.says)
			if (o.Lines != "") != (tc.result == verdict.Pass) || strings.ContainsRune(o.Lines, 0x1b) {
				t.Errorf("lines %q", o.Lines)
			}
		})
	}
}

func TestSourceProof(t *testing.T) {
	server := site(t)
	l := &evidence.Looker{Sources: []string{strings.TrimPrefix(server.URL, "http://")}, Loopback: true}
	o := look(t, l, verdict.Evidence{Kind: "source", URL: server.URL + "/to?u=/article", Quote: "second point"})
	want := verdict.Proof{URL: server.URL + "/article", SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(article)))}
	if o.Proof != want {
		t.Errorf("proof %+v, want %+v", o.Proof, want)
	}
	if want := "\tfirst point\n     7\tsecond point\n"; !strings.Contains(o.Lines, want) {
		t.Errorf("lines\n%s", o.Lines)
	}
}

// Nothing is dialled here: a URL that is let through would fail with another sentence.
func TestForgedURLs(t *testing.T) {
	sources := []string{"good.example", "good.example:8443", "localhost", "127.0.0.1", "[::1]", "::1", "xn--bcher-kva.example", "bücher.example", "UPPER.example"}
	for _, u := range []string{
		"", "good.example", "//good.example/", "http:", "http:///x", "http:good.example/x", "file:///etc/passwd", "ftp://good.example/",
		"javascript:alert(1)", "gopher://good.example/", "HTTP+UNIX://good.example/", "http://evil.example/", "http://good.example.evil.example/",
		"http://evilgood.example/", "http://sub.good.example/", "http://good.example./", "http://good.example:81/", "http://good.example:443/",
		"https://good.example:80/", "http://good.example:/", "http://good.example:080/", "http://good.example:0/", "http://good.example:99999/",
		"https://good.example:08443/", "http://good.example@evil.example/", "http://user@good.example/", "http://u:p@good.example/", "http://@good.example/",
		"http://good.example%00.evil.example/", "http://good.example\x00.evil.example/", "http://good.example\r\nHost: x/", "http://good.example/\r\nX: y",
		"http://good.example\\@evil.example/", "http://good.example\\.evil.example/", "http://good.example%2eevil.example/", "http://good.example /",
		"http://b\u00fccher.example/", "http://g\u043eod.example/", "http://good\u3002example/", "http://xn--bcher-kva.example.evil/",
		"http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1.:80/", "http://[::ffff:127.0.0.1]/",
		"http://[::1%25eth0]/", "http://[0:0:0:0:0:0:0:1]/", "http://::1/", "http://[::1/", "http://0/", "http://[::]/",
		"http://good.example/" + strings.Repeat("x", 3000),
	} {
		o := look(t, &evidence.Looker{Sources: sources}, verdict.Evidence{Kind: "source", URL: u, Quote: "quoted words"})
		expect(t, o, verdict.Skipped, verdict.Nothing)
		if !strings.HasPrefix(o.Detail, "the URL") && !strings.HasSuffix(o.Detail, "is not an allowed source") {
			t.Errorf("%q: %s", u, o.Detail)
		}
	}
}

// Allowed or not, what is not the public internet is not dialled, whatever name or form leads there.
func TestPrivateAddressesAreNotDialled(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "127.8.8.8", "localhost", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
		"100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]",
		"[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[fec0::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]"} {
		l := &evidence.Looker{Sources: []string{host}}
		o := look(t, l, verdict.Evidence{Kind: "source", URL: "http://" + host + "/", Quote: "quoted words"})
		expect(t, o, verdict.Skipped, verdict.Nothing, "not on the public internet")
	}
	l := &evidence.Looker{Sources: []string{"169.254.169.254", "10.0.0.1"}, Loopback: true}
	for _, host := range l.Sources {
		o := look(t, l, verdict.Evidence{Kind: "source", URL: "http://" + host + "/", Quote: "quoted words"})
		expect(t, o, verdict.Skipped, verdict.Nothing, "not on the public internet")
	}
}
