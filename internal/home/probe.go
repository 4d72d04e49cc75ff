package home

import (
	"context"
	"net/http"
	"strings"
)

// Probe is a request to an endpoint that costs nothing and is answered only if the key works. Each protocol has one.
func (e Endpoint) Probe(ctx context.Context, key string) (*http.Request, error) {
	if err := e.Placed(); err != nil {
		return nil, err
	}
	path, header, value := "/models", "Authorization", "Bearer "+key
	switch {
	case e.Vendor.Wire == "bedrock": // which lists models beside where it runs them
		path, e.URL = "/foundation-models", strings.Replace(e.URL, "//bedrock-runtime.", "//bedrock.", 1)
	case e.Vendor.Wire == "messages":
		path, header, value = "/v1/models?limit=1", "X-Api-Key", key
	case e.Vendor.Wire == "generate":
		path, header, value = "/v1beta/models?pageSize=1", "X-Goog-Api-Key", key
	case e.Vendor.Name == SignsIn:
		path = "/key" // its list of models is for everybody
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(e.URL, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(header, value)
	if e.Vendor.Wire == "messages" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return req, nil
}
