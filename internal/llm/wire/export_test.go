package wire

import (
	"net/http"
	"net/url"
)

// ProxyOf is the proxy through which a client makes a request.
func ProxyOf(c *http.Client, r *http.Request) (*url.URL, error) {
	return c.Transport.(logged).Proxy(r)
}
