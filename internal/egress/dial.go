package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"
)

// dialer reaches hosts from outside the sandbox, through a proxy where one is set. It never resolves a name itself
// if a proxy is used: the proxy may know names that this machine does not.
type dialer struct {
	net.Dialer
	proxy func(*url.URL) (*url.URL, error)
}

// newDialer reads the usual variables: HTTPS_PROXY, else ALL_PROXY, and NO_PROXY, in either case of letters.
// HTTP_PROXY does not count, since nearly all traffic is encrypted and goes to where HTTPS_PROXY says. It is an
// error if what is set is no URL: going around a proxy that a company requires would be worse than not starting.
func newDialer(environ []string) (*dialer, error) {
	is := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if name = strings.ToUpper(name); value != "" {
			is[name] = value
		}
	}
	all := is["HTTPS_PROXY"]
	if all == "" {
		all = is["ALL_PROXY"]
	}
	if by, err := (&httpproxy.Config{HTTPSProxy: all}).ProxyFunc()(&url.URL{Scheme: "https", Host: "host.invalid:443"}); all != "" &&
		(by == nil || err != nil) {
		return nil, errors.New("the proxy in HTTPS_PROXY or ALL_PROXY is not a URL")
	}
	return &dialer{proxy: (&httpproxy.Config{HTTPSProxy: all, NoProxy: is["NO_PROXY"]}).ProxyFunc()}, nil
}

// dial reaches "host:port". Its errors name the proxy, but never its user or password.
func (d *dialer) dial(ctx context.Context, to string) (net.Conn, error) {
	by, err := d.proxy(&url.URL{Scheme: "https", Host: to})
	if err != nil {
		return nil, err
	}
	if by == nil {
		return d.DialContext(ctx, "tcp", to)
	}
	c, err := d.through(ctx, by, to)
	if err != nil {
		return nil, fmt.Errorf("through the proxy %s: %w", by.Host, err)
	}
	return c, nil
}

// through reaches "host:port" by way of a proxy. The connection is closed again on every error.
func (d *dialer) through(ctx context.Context, by *url.URL, to string) (net.Conn, error) {
	at := by.Host
	if by.Port() == "" {
		at = net.JoinHostPort(by.Hostname(), map[string]string{"https": "443", "http": "80", "socks5": "1080",
			"socks5h": "1080"}[by.Scheme])
	}
	switch by.Scheme {
	case "socks5", "socks5h":
		var who *proxy.Auth
		if by.User != nil {
			password, _ := by.User.Password()
			who = &proxy.Auth{User: by.User.Username(), Password: password}
		}
		s, err := proxy.SOCKS5("tcp", at, who, &d.Dialer)
		if err != nil {
			return nil, err
		}
		return s.(proxy.ContextDialer).DialContext(ctx, "tcp", to)
	case "http", "https":
		c, err := d.DialContext(ctx, "tcp", at)
		if err != nil {
			return nil, err
		}
		if by.Scheme == "https" {
			c = tls.Client(c, &tls.Config{ServerName: by.Hostname()})
		}
		// The handshake with the proxy reads and writes without a deadline of its own: closing the connection ends
		// it.
		stop := context.AfterFunc(ctx, func() { c.Close() })
		tunnel, err := connect(c, by, to)
		if !stop() && err == nil {
			err = ctx.Err()
		}
		if err != nil {
			c.Close()
			return nil, err
		}
		return tunnel, nil
	}
	return nil, fmt.Errorf("unsupported proxy type %q", by.Scheme)
}

// connect asks a proxy for a tunnel (RFC 9110, CONNECT). What the proxy sends after its answer belongs to the host,
// which must not speak first in TLS; data that is buffered already would be lost with the reader and is refused.
func connect(c net.Conn, by *url.URL, to string) (net.Conn, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: http.Header{}}
	if by.User != nil {
		password, _ := by.User.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(by.User.Username()+":"+password)))
	}
	if err := req.Write(c); err != nil {
		return nil, err
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	if r.Buffered() > 0 {
		return nil, errors.New("the proxy sent data before it was asked")
	}
	return c, nil
}
