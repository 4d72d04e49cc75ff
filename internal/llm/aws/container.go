package aws

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// ofContainers are the addresses of the agents beside a container; the variable's address may also be on this
// machine, or use https.
var ofContainers = []string{"169.254.170.2", "169.254.170.23", "fd00:ec2::23"}

// inContainer returns the address of a container's credentials; nil means that nothing names one.
func inContainer() (*url.URL, error) {
	at := env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if path := env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		at = "http://169.254.170.2/" + strings.TrimPrefix(path, "/")
	}
	if at == "" {
		return nil, nil
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return nil, missing("AWS_CONTAINER_CREDENTIALS_FULL_URI is not an address")
	}
	host := u.Hostname()
	ip, _ := netip.ParseAddr(host)
	if u.Scheme != "https" && (u.Scheme != "http" || host != "localhost" && !ip.IsLoopback() && !slices.Contains(ofContainers, host)) {
		return nil, missing("AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or on this machine")
	}
	return u, nil
}

// contained returns the credentials of the container that we run in.
func contained(ctx context.Context, s *Source, _ profile) (c Credentials, err error) {
	u, err := inContainer()
	if u == nil {
		return c, cmp.Or(err, missing("no AWS container credentials: AWS_CONTAINER_CREDENTIALS_FULL_URI is not set"))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return c, missing("AWS_CONTAINER_CREDENTIALS_FULL_URI is not an address")
	}
	token := env("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" { // it takes precedence, and is rewritten from time to time
		raw, err := os.ReadFile(file)
		if err != nil {
			return c, missing("cannot read AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: " + err.Error())
		}
		token = strings.TrimSpace(string(raw))
	}
	if strings.ContainsAny(token, "\r\n") {
		return c, missing("the authorization token of the container has more than one line")
	}
	if token != "" {
		s.Learn(token)
		r.Header.Set("Authorization", token)
	}
	raw, status, header, err := fetched(r)
	if err != nil {
		return c, wire.CallError(ctx, err)
	}
	var out struct {
		AccessKeyID, SecretAccessKey, Token, Message string
		Expiration                                   time.Time
	}
	json.Unmarshal(raw, &out)
	switch {
	case status != http.StatusOK:
		why := "AWS credentials of the container: " + cmp.Or(out.Message, http.StatusText(status))
		return c, wire.HTTPError(status, header, "", why, token)
	case out.AccessKeyID == "" || out.SecretAccessKey == "":
		return c, &trouble.Error{Kind: trouble.Malformed, Message: "the container's address returned no AWS credentials"}
	}
	return Credentials{out.AccessKeyID, out.SecretAccessKey, out.Token, out.Expiration}, nil
}
