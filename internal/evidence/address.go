package evidence

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

const mostURL = 2048 // bytes

// address reads a URL and checks that its host may be fetched from. It is asked again for each redirect.
func (l *Looker) address(raw string) (*url.URL, error) {
	strange := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
	if len(raw) > mostURL || strings.ContainsFunc(raw, strange) {
		return nil, errors.New("the URL is too long or has signs a URL cannot have")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, errors.New("the URL is neither http nor https")
	}
	if u.User != nil {
		return nil, errors.New("the URL names a user")
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "" || strings.HasSuffix(host, ".") || strings.HasSuffix(u.Host, ":") || strings.ContainsAny(host, "%/ ") {
		return nil, errors.New("the URL's host cannot be read")
	}
	standard := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port == "" {
		port = standard
	}
	for _, source := range l.Sources {
		source = strings.ToLower(source)
		if source == net.JoinHostPort(host, port) || port == standard && (source == host || source == "["+host+"]") {
			return u, nil
		}
	}
	return nil, fmt.Errorf("%s is not an allowed source", net.JoinHostPort(host, port))
}

// closed are networks that are not the public internet, or lead to others in disguise, beyond those netip can tell.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("100::/64"),
}

// public says whether an address may be dialled.
func (l *Looker) public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() {
		return l.Loopback
	}
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// dialling is asked with each address just before it is dialled, after all names were resolved.
func (l *Looker) dialling(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !l.public(a.Addr()) {
		return errors.New("its address is not on the public internet")
	}
	return nil
}
