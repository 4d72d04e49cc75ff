package web

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

const mostURL = 2048 // bytes

// Parse reads a URL that a person or a model wrote, and refuses every form that two readers could take for
// different hosts: signs that are no ASCII, a user name, a final dot, an empty port. Errors do not repeat the URL.
func Parse(raw string) (*url.URL, error) {
	strange := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
	if len(raw) > mostURL || strings.ContainsFunc(raw, strange) {
		return nil, errors.New("the URL is too long or contains invalid characters")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, errors.New("the URL is neither http nor https")
	}
	if u.User != nil {
		return nil, errors.New("the URL contains a user name")
	}
	host := u.Hostname()
	if host == "" || strings.HasSuffix(host, ".") || strings.HasSuffix(u.Host, ":") || strings.ContainsAny(host, "%/ ") {
		return nil, errors.New("the URL's host cannot be read")
	}
	return u, nil
}

// standard are the ports of schemes.
var standard = map[string]string{"http": "80", "https": "443"}

// Host is the host of u and its port, as one would dial it, in small letters.
func Host(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = standard[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Among says whether hosts names the host of u: as "host:port", or as "host" if u has the port of its scheme. A host
// does not stand for those below it.
func Among(hosts []string, u *url.URL) bool {
	full := Host(u)
	host, port, _ := net.SplitHostPort(full)
	for _, h := range hosts {
		h = strings.ToLower(h)
		if h == full || port == standard[u.Scheme] && (h == host || h == "["+host+"]") {
			return true
		}
	}
	return false
}

// Inner lets a Client dial hosts that are named, as for Among, although they are not on the public internet.
func Inner(hosts []string) func(host string, _ netip.Addr) bool {
	return func(host string, _ netip.Addr) bool {
		return Among(hosts, &url.URL{Scheme: "http", Host: host}) || Among(hosts, &url.URL{Scheme: "https", Host: host})
	}
}

// closed are networks that are not the public internet, or lead to others in disguise, beyond those netip can tell.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("100::/64"),
}

// public says whether an address is one of the public internet.
func public(a netip.Addr) bool {
	a = plain(a)
	if a.IsLoopback() || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// plain is an address without the ways to write it as another kind of address.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// dialling is asked with each address just before it is dialled, after all names were resolved, so that no name can
// lead elsewhere than where it was looked up.
func (c Client) dialling(host string) func(_, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err == nil && (public(a.Addr()) || c.Inner != nil && c.Inner(host, plain(a.Addr()))) {
			return nil
		}
		return errors.New("its address is not on the public internet")
	}
}
