package egress

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// inside is the port of a gate's network, which is that of this machine here.
func inside(t *testing.T) (l *net.TCPListener, port string) {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// tunnels is a proxy that leads every tunnel to the same place, and notes where it was to lead.
func tunnels(t *testing.T, to net.Addr) (url string, asked chan string) {
	t.Helper()
	asked = make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization")
		out, err := net.Dial("tcp", to.String())
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		in, rest, _ := w.(http.Hijacker).Hijack()
		go func() { io.Copy(out, rest); out.(*net.TCPConn).CloseWrite() }()
		io.Copy(in, out)
		in.Close()
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http://", "http://me:word@", 1), asked
}

func gate(t *testing.T, l *net.TCPListener, hosts []string, environ []string, tell func(error)) *Gate {
	t.Helper()
	g, err := New(hosts, environ, tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Serve([]*os.File{f}); err != nil {
		t.Fatal(err)
	}
	return g
}

// An encrypted connection reaches the host it names if that is where it was opened to, through the person's proxy.
func TestGateLetsThroughWhatItsListNames(t *testing.T) {
	l, port := inside(t)
	vendor := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+r.Host) }))
	defer vendor.Close()
	by, asked := tunnels(t, vendor.Listener.Addr())
	g := gate(t, l, []string{"api.test:" + port}, []string{"https_proxy=" + by}, nil)
	g.means[netip.MustParseAddr("127.0.0.1")] = "api.test"
	for _, c := range []struct{ names, want string }{{"api.test", "hello api.test"}, {"other.test", ""}} {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			return tls.Dial("tcp", l.Addr().String(), &tls.Config{ServerName: c.names, InsecureSkipVerify: true})
		}}}
		got := ""
		if resp, err := client.Get("https://" + c.names); err == nil {
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			got = string(text)
		}
		if got != c.want {
			t.Errorf("%s: got %q", c.names, got)
		}
	}
	if got := <-asked; got != "CONNECT api.test:"+port+" Basic bWU6d29yZA==" || len(asked) > 0 {
		t.Errorf("the proxy was asked %q and %d more", got, len(asked))
	}
	if got := g.Refused(); !slices.Equal(got, []string{"other.test by way of api.test"}) || !g.Reached() {
		t.Errorf("refused %q", got)
	}
}

// What is not on the list is closed at once and named; so is what is not encrypted where it has to be.
func TestGateRefuses(t *testing.T) {
	l, port := inside(t)
	g := gate(t, l, []string{"192.0.2.7:9"}, nil, nil)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(c); len(text) > 0 {
		t.Errorf("it said %q", text)
	}
	in, out := net.Pipe()
	go func() { io.WriteString(out, "GET / HTTP/1.1\r\n"); out.Close() }()
	if _, ok := g.begin(in, "api.test:443", "api.test"); ok {
		t.Error("it let through what is not encrypted")
	}
	in, out = net.Pipe()
	go func() { out.Write([]byte{22, 3, 1, 0, 1, 0}); out.Close() }()
	if _, ok := g.begin(in, "api.test:443", "api.test"); ok {
		t.Error("it let through what is broken")
	}
	if got, want := g.Refused(), []string{"127.0.0.1:" + port, "api.test:443 without encryption", "no host by way of api.test"}; !slices.Equal(got, want) {
		t.Errorf("refused %q", got)
	}
}

// An endpoint on this machine is reached without a proxy, and both ends learn when the other has no more to say.
func TestGateToThisMachine(t *testing.T) {
	outer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	go func() {
		c, err := outer.Accept()
		if err != nil {
			return
		}
		text, _ := io.ReadAll(c)
		io.WriteString(c, "heard "+string(text))
		c.Close()
	}()
	g, err := New([]string{"localhost:" + portOf(outer)}, []string{"ALL_PROXY=socks5://127.0.0.1:1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	in, out := pair(t, outer.Addr())
	go g.pass(in)
	io.WriteString(out, "plain")
	out.(*net.TCPConn).CloseWrite()
	if text, _ := io.ReadAll(out); string(text) != "heard plain" {
		t.Errorf("got %q", text)
	}
}

// at is a connection that says where it was opened to.
type at struct {
	net.Conn
	local net.Addr
}

func (a at) LocalAddr() net.Addr { return a.local }
func (a at) CloseWrite() error   { return a.Conn.(*net.TCPConn).CloseWrite() }

func pair(t *testing.T, opened net.Addr) (in, out net.Conn) {
	t.Helper()
	l, _ := inside(t)
	out, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	in, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); out.Close() })
	return at{in, opened}, out
}

func portOf(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }

// A host of the list that cannot be reached is told by name.
func TestGateTellsWhatCannotBeReached(t *testing.T) {
	l, _ := inside(t)
	closed := l.Addr()
	l.Close()
	_, port, _ := net.SplitHostPort(closed.String())
	told := make(chan error, 1)
	for _, environ := range [][]string{nil, {"HTTPS_PROXY=http://" + closed.String(), "NO_PROXY="}, {"ALL_PROXY=socks5://" + closed.String()}} {
		g, err := New([]string{"127.0.0.1:" + port, "192.0.2.7:" + port}, environ, func(err error) { told <- err })
		if err != nil {
			t.Fatal(err)
		}
		to := "192.0.2.7"
		if environ == nil {
			to = "127.0.0.1"
		}
		n, _ := strconv.Atoi(port)
		in, out := pair(t, &net.TCPAddr{IP: net.ParseIP(to), Port: n})
		go g.pass(in)
		if err := <-told; !strings.HasPrefix(err.Error(), to+":"+port+" cannot be reached: ") || environ != nil && !strings.Contains(err.Error(), "through the proxy "+closed.String()) {
			t.Errorf("told %v", err)
		}
		if n, _ := out.Read(make([]byte, 1)); n > 0 || g.Reached() {
			t.Error("something was reached")
		}
		g.Close()
	}
}

// Names of the list have an address, the same each time; others do not exist, whatever is asked about them.
func TestGateAnswersNames(t *testing.T) {
	g, err := New([]string{"api.test", "*.parts.test", "192.0.2.7"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		kind dnsmessage.Type
		want string
	}{
		{"api.test.", dnsmessage.TypeA, "127.83.0.1"}, {"API.test.", dnsmessage.TypeA, "127.83.0.1"}, {"api.test.", dnsmessage.TypeAAAA, "nothing"},
		{"a.parts.test.", dnsmessage.TypeA, "127.83.0.2"}, {"b.a.parts.test.", dnsmessage.TypeA, "127.83.0.3"}, {"parts.test.", dnsmessage.TypeA, "no such name"},
		{"evil.test.", dnsmessage.TypeA, "no such name"}, {"evil.test.", dnsmessage.TypeTXT, "no such name"}, {"xapi.test.", dnsmessage.TypeA, "no such name"},
		{"api.test.evil.test.", dnsmessage.TypeA, "no such name"},
	} {
		q := dnsmessage.Message{Header: dnsmessage.Header{ID: 7}, Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(c.name), Type: c.kind, Class: dnsmessage.ClassINET}}}
		raw, _ := q.Pack()
		var reply dnsmessage.Message
		if err := reply.Unpack(g.reply(raw)); err != nil || reply.ID != 7 || !reply.Response {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := "nothing"
		switch {
		case reply.RCode == dnsmessage.RCodeNameError:
			got = "no such name"
		case len(reply.Answers) == 1:
			got = netip.AddrFrom4(reply.Answers[0].Body.(*dnsmessage.AResource).A).String()
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.kind, got, c.want)
		}
	}
	if got, want := g.Refused(), []string{"parts.test", "evil.test", "xapi.test", "api.test.evil.test"}; !slices.Equal(got, want) {
		t.Errorf("refused %q", got)
	}
	if to, name := g.target(&net.TCPAddr{IP: net.IPv4(127, 83, 0, 1), Port: 443}); to != "api.test:443" || name != "api.test" {
		t.Errorf("%s %s", to, name)
	}
	if to, _ := g.target(&net.TCPAddr{IP: net.IPv4(127, 83, 0, 1), Port: 80}); to != "" {
		t.Errorf("reached %s", to)
	}
}

func TestGateNeeds(t *testing.T) {
	g, err := New([]string{"api.test", "localhost:4141", "192.0.2.7:4141", "127.0.0.1:4141", "api.test"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(g.Listen(), ", "); got != "udp 127.0.0.1:53, tcp 0.0.0.0:443, tcp 0.0.0.0:4141, tcp [::1]:4141" {
		t.Error(got)
	}
	if got := strings.Join(g.Lead(), ", "); got != "192.0.2.7" {
		t.Error(got)
	}
	for _, bad := range []string{"", "*", "*.", "a b", "a:0", "a:70000", "https://a.test", "a/b", "a.test:x"} {
		if Check(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := New(nil, []string{"HTTPS_PROXY=%zz"}, nil); err == nil {
		t.Error("a proxy that makes no sense is taken")
	}
}

func FuzzReply(f *testing.F) {
	q := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("api.test."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
	raw, _ := q.Pack()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, question []byte) {
		g, _ := New([]string{"api.test"}, nil, nil)
		var m dnsmessage.Message
		if reply := g.reply(question); reply != nil && m.Unpack(reply) != nil {
			t.Errorf("the reply to %q cannot be read", question)
		}
	})
}
