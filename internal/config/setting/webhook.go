package setting

import (
	"errors"
	"net"
	"net/url"
)

// Webhook is an address that may be a secret by itself: it is shown without its path.
type Webhook string

// A query is allowed, since services put tokens there.
func newWebhook(text string) (Webhook, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && !(u.Scheme == "http" && thisMachine(u.Hostname())):
		return "", errors.New("must be an https URL, or http to this machine")
	case u.User != nil:
		return "", errors.New("must not contain a user or a password; use the secret")
	case u.Fragment != "":
		return "", errors.New("must not contain a fragment")
	}
	return Webhook(text), nil
}

// thisMachine says whether a host is this machine, where no TLS is needed.
func thisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Whoever sends uses the text itself, by conversion.
func (w Webhook) String() string {
	u, err := url.Parse(string(w))
	if err != nil {
		return mask
	}
	return u.Scheme + "://" + u.Host + "/…"
}
