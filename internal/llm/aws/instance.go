package aws

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// The address where a virtual machine of Amazon's gets its credentials (IMDSv2), and how long to wait for an answer.
const (
	instanceAddress, instanceAddress6 = "http://169.254.169.254", "http://[fd00:ec2::254]"
	instanceTime                      = 3 * time.Second
)

// onInstance returns the address at which a virtual machine asks for its credentials; nil if this is no such machine,
// or it must not ask. A system file or a variable tells, so that other machines never wait for an address that does
// not answer.
func onInstance() (*url.URL, error) {
	at := env("AWS_EC2_METADATA_SERVICE_ENDPOINT")
	switch {
	case strings.EqualFold(env("AWS_EC2_METADATA_DISABLED"), "true"):
		return nil, nil
	case at != "":
	case !amazons():
		return nil, nil
	case strings.EqualFold(env("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"), "IPv6"):
		at = instanceAddress6
	default:
		at = instanceAddress
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return nil, missing("AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address")
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	near := u.Hostname() == "localhost" || ip.IsLoopback() || ip.IsLinkLocalUnicast() || u.Hostname() == "fd00:ec2::254"
	if u.Scheme != "https" && (u.Scheme != "http" || !near) {
		return nil, missing("AWS_EC2_METADATA_SERVICE_ENDPOINT must be https, or on this machine")
	}
	return u, nil
}

// amazons reports whether the machine's firmware says that it is one of Amazon's.
func amazons() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	vendor, _ := os.ReadFile("/sys/devices/virtual/dmi/id/sys_vendor")
	return strings.TrimSpace(string(vendor)) == "Amazon EC2"
}

// instance returns the credentials of the role of the virtual machine that we run on.
func instance(ctx context.Context, s *Source, _ profile) (c Credentials, err error) {
	u, err := onInstance()
	if u == nil {
		if err == nil {
			err = missing("no AWS instance credentials here, or AWS_EC2_METADATA_DISABLED is set")
		}
		return c, err
	}
	token, err := metadata(ctx, http.MethodPut, u.JoinPath("latest/api/token"), "X-aws-ec2-metadata-token-ttl-seconds", "300")
	if err != nil {
		return c, err
	}
	s.Learn(token)
	roles := u.JoinPath("latest/meta-data/iam/security-credentials/")
	role, err := metadata(ctx, http.MethodGet, roles, "X-aws-ec2-metadata-token", token)
	if err != nil {
		return c, err
	}
	if role, _, _ = strings.Cut(role, "\n"); role == "" {
		return c, missing("this virtual machine has no role")
	}
	raw, err := metadata(ctx, http.MethodGet, roles.JoinPath(role), "X-aws-ec2-metadata-token", token)
	if err != nil {
		return c, err
	}
	var out struct {
		AccessKeyID, SecretAccessKey, Token string
		Expiration                          time.Time
	}
	if json.Unmarshal([]byte(raw), &out); out.AccessKeyID == "" || out.SecretAccessKey == "" {
		return c, &trouble.Error{Kind: trouble.Malformed, Message: "the virtual machine's address returned no AWS credentials"}
	}
	return Credentials{out.AccessKeyID, out.SecretAccessKey, out.Token, out.Expiration}, nil
}

// metadata requests one value from the instance's metadata address.
func metadata(ctx context.Context, method string, u *url.URL, header, value string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, instanceTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil || strings.ContainsAny(value, "\r\n") {
		return "", missing("AWS_EC2_METADATA_SERVICE_ENDPOINT is not an address")
	}
	r.Header.Set(header, value)
	raw, status, head, err := fetched(r)
	switch {
	case err != nil:
		return "", wire.CallError(ctx, err)
	case status == http.StatusNotFound:
		return "", missing("this virtual machine has no role: attach one that may use Bedrock, or set AWS_EC2_METADATA_DISABLED=true")
	case status != http.StatusOK:
		return "", wire.HTTPError(status, head, "", "AWS credentials of the virtual machine: "+http.StatusText(status), value)
	}
	return strings.TrimSpace(string(raw)), nil
}
