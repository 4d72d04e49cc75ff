package web_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/web"
)

func TestParse(t *testing.T) {
	longest := "http://a/" + strings.Repeat("x", 2048-len("http://a/"))
	for _, c := range []struct{ raw, want string }{
		{"http://example.com", ""}, {"https://example.com/a?b=c#d", ""}, {"HTTPS://EXAMPLE.com:8443/", ""}, {"http://[::1]:80/", ""},
		{"http://127.0.0.1/", ""},
		{"http://a/%20", ""}, {"http://a/~", ""}, {"http://a/!", ""}, {longest, ""},
		{longest + "x", "too long or contains invalid characters"}, {"http://a/ b", "too long or contains invalid characters"}, {"http://a/\tb", "too long or contains invalid characters"},
		{"http://a/\x7f", "too long or contains invalid characters"},
		{`http://a\@b/`, "too long or contains invalid characters"}, {"http://exämple.com/", "too long or contains invalid characters"},
		{"http://a/\n", "too long or contains invalid characters"},
		{"http://[::1/", "cannot be read"}, {"http://a:b/", "cannot be read"}, {"http://a/%zz", "cannot be read"},
		{"ftp://a/", "neither http nor https"}, {"file:///etc/passwd", "neither http nor https"}, {"a/b", "neither http nor https"},
		{"//a/b", "neither http nor https"},
		{"http:a", "neither http nor https"}, {"https:a", "neither http nor https"}, {"", "neither http nor https"},
		{"http://user@a/", "contains a user name"}, {"http://user:word@a/", "contains a user name"}, {"http://@a/", "contains a user name"},
		{"http:///a", "host cannot be read"}, {"http://:80/", "host cannot be read"}, {"http://a./", "host cannot be read"},
		{"http://a.:80/", "host cannot be read"},
		{"http://a:/", "host cannot be read"}, {"http://[fe80::1%25eth0]/", "host cannot be read"}, {"http://a%25b/", "cannot be read"},
	} {
		u, err := web.Parse(c.raw)
		switch {
		case c.want == "" && (err != nil || u == nil):
			t.Errorf("%.80q: %v", c.raw, err)
		case c.want != "" && (err == nil || u != nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.80q: %v, not %q", c.raw, err, c.want)
		}
	}
}

func parsed(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := web.Parse(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return u
}

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a/": "a:80", "https://a/": "a:443", "http://a:443/": "a:443", "https://A.Example:8443/x": "a.example:8443",
		"http://[::1]/": "[::1]:80", "https://[2001:DB8::1]:1/": "[2001:db8::1]:1",
	} {
		if got := web.Host(parsed(t, raw)); got != want {
			t.Errorf("%s: %s, not %s", raw, got, want)
		}
	}
}

// A host stands for itself and for the port of the scheme alone: not for other ports, and not for those below it.
func TestAmong(t *testing.T) {
	for _, c := range []struct {
		hosts, url string
		want       bool
	}{
		{"a", "http://a/", true}, {"a", "https://a/", true}, {"A", "http://a/", true}, {"a", "http://A:80/", true},
		{"a", "https://a:443/", true}, {"b a", "http://a/", true},
		{"a:80", "http://a/", true}, {"a:443", "https://a/", true}, {"a:8080", "http://a:8080/", true}, {"::1", "http://[::1]/", true},
		{"[::1]", "http://[::1]/", true}, {"[::1]:80", "http://[::1]/", true},
		{"", "http://a/", false}, {"a", "http://a:8080/", false}, {"a", "http://a:443/", false}, {"a", "https://a:80/", false},
		{"a:80", "https://a/", false}, {"a:443", "http://a/", false},
		{"a", "http://b.a/", false}, {"b.a", "http://a/", false}, {"a b", "http://c/", false}, {"[::1]", "http://[::1]:81/", false},
		{"::1:80", "http://[::1]/", false},
	} {
		if got := web.Among(strings.Fields(c.hosts), parsed(t, c.url)); got != c.want {
			t.Errorf("%q, %s: %v", c.hosts, c.url, got)
		}
	}
}

func TestInner(t *testing.T) {
	for _, c := range []struct {
		hosts, host string
		want        bool
	}{
		{"a", "a:80", true}, {"a", "a:443", true}, {"a", "a:8080", false}, {"a:8080", "a:8080", true}, {"a:8080", "a:80", false},
		{"a", "b:80", false}, {"", "a:80", false},
	} {
		if got := web.Inner(strings.Fields(c.hosts))(c.host, netip.Addr{}); got != c.want {
			t.Errorf("%q, %s: %v", c.hosts, c.host, got)
		}
	}
}

// The first and the last address of each network that is not the public internet are closed, and those beside it open.
func TestPublic(t *testing.T) {
	for _, closed := range strings.Fields(`127.0.0.1 127.255.255.254 ::1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 fe80::1 fc00::1 fd12::1 224.0.0.1 ff02::1 255.255.255.255
		0.0.0.0 0.1.2.3 0.255.255.255 :: 100.64.0.0 100.127.255.255 192.0.0.0 192.0.0.255 198.18.0.0 198.19.255.255 240.0.0.0 254.1.1.1
		::2 ::8.8.8.8 64:ff9b::1 64:ff9b::8.8.8.8 64:ff9b:1::1 64:ff9b:1:ffff::1 2001::1 2001:0:ffff::1 2002::1 2002:ffff::1 fec0::1 feff::1 100::1 100::ffff:ffff:ffff:ffff
		::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:100.64.0.1 fe80::1%eth0 fec0::1%eth0`) {
		if web.Public(netip.MustParseAddr(closed)) {
			t.Errorf("%s is public", closed)
		}
	}
	for _, open := range strings.Fields(`1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 191.255.255.255 192.0.1.0 198.17.255.255 198.20.0.0 223.255.255.255
		2001:1::1 2001:4860:4860::8888 2003::1 2606:4700::1111 64:ff9b:2::1 64:ff9c::1 100:0:0:1::1 ::ffff:8.8.8.8 2606:4700::1111%eth0`) {
		if !web.Public(netip.MustParseAddr(open)) {
			t.Errorf("%s is not public", open)
		}
	}
}

// An address of the public internet is dialled without asking, another one only where Inner lets it; what is no address never is.
func TestDialling(t *testing.T) {
	for _, c := range []struct{ address, asked string }{ // asked: what Inner is asked about
		{"8.8.8.8:443", "none"}, {"[2606:4700::1111]:443", "none"}, {"127.0.0.1:80", "127.0.0.1"}, {"[::ffff:127.0.0.1]:80", "127.0.0.1"},
		{"[fe80::1%eth0]:80", "fe80::1"}, {"localhost:80", ""}, {"127.0.0.1", ""}, {"", ""},
	} {
		public, asked := c.asked == "none", "none"
		inner := web.Client{Inner: func(host string, a netip.Addr) bool {
			asked = a.String()
			return host == "a:80"
		}}
		if err := web.Dialling(web.Client{}, "a:80")("tcp", c.address, nil); (err == nil) != public {
			t.Errorf("%s: %v", c.address, err)
		}
		if err := web.Dialling(inner, "a:80")("tcp", c.address, nil); (err == nil) != (c.asked != "") || c.asked != "" && asked != c.asked {
			t.Errorf("%s with Inner: asked about %s: %v", c.address, asked, err)
		}
		if err := web.Dialling(inner, "b:80")("tcp", c.address, nil); (err == nil) != public {
			t.Errorf("%s with Inner for another host: %v", c.address, err)
		}
	}
}
