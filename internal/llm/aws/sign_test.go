package aws_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/aws"
)

const (
	exampleSession = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/" +
		"qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZ" +
		"bqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
	unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// TestPublishedVectors: the Signature Version 4 test suite that AWS publishes, as it is in aws-c-auth (tests/aws-signing-test-suite) and
// smithy-typescript (signature-v4/src/suite.fixture.ts), read on 2026-11-26. Left out is what no request of ours has: paths that are to
// be normalized, or that are sent unencoded.
func TestPublishedVectors(t *testing.T) {
	for _, tc := range []struct{ name, method, path, query, header, body, token, signature string }{
		{"get-vanilla", "GET", "/", "", "", "", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-unreserved", "GET", "/" + unreserved, "", "", "", "", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
		{"get-header-key-duplicate", "GET", "/", "", "My-Header1:value2\nMy-Header1:value2\nMy-Header1:value1", "", "", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
		{"get-header-value-order", "GET", "/", "", "My-Header1:value4\nMy-Header1:value1\nMy-Header1:value3\nMy-Header1:value2", "", "", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
		{"get-header-value-trim", "GET", "/", "", "My-Header1: value1\nMy-Header2: \"a   b   c\"", "", "", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
		{"get-vanilla-empty-query-key", "GET", "/", "Param1=value1", "", "", "", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
		{"get-vanilla-query-order-key-case", "GET", "/", "Param2=value2&Param1=value1", "", "", "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"get-vanilla-query-unreserved", "GET", "/", unreserved + "=" + unreserved, "", "", "", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
		{"get-vanilla-utf8-query", "GET", "/", "ሴ=bar", "", "", "", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
		{"post-vanilla", "POST", "/", "", "", "", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"post-header-key-sort", "POST", "/", "", "My-Header1:value1", "", "", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
		{"post-header-value-case", "POST", "/", "", "My-Header1:VALUE1", "", "", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
		{"post-sts-header-before", "POST", "/", "", "", "", exampleSession, "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
		{"post-vanilla-query", "POST", "/", "Param1=value1", "", "", "", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
		{"post-vanilla-query-nonunreserved", "POST", "/", url.Values{"@#$%^": {""}, "+": {"/,?><`\";:\\|][{}"}}.Encode(), "", "", "", "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"},
		{"post-x-www-form-urlencoded", "POST", "/", "", "Content-Type:application/x-www-form-urlencoded", "Param1=value1", "", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
		{"post-x-www-form-urlencoded-parameters", "POST", "/", "", "Content-Type:application/x-www-form-urlencoded; charset=utf8", "Param1=value1", "", "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
	} {
		r := request(t, tc.method, "https://example.amazonaws.com"+tc.path+"?"+tc.query, tc.header)
		aws.Sign(r, []byte(tc.body), example(tc.token), "us-east-1", "service", then)
		if !strings.HasSuffix(r.Header.Get("Authorization"), "Signature="+tc.signature) {
			t.Errorf("%s: %s", tc.name, r.Header.Get("Authorization"))
		}
	}
}

// TestNamesOfModelsInPaths: what the suite has no vector for, signed by the signer of aws-sdk-go-v2 v1.41.5 on 2026-11-26.
func TestNamesOfModelsInPaths(t *testing.T) {
	const body = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[]}`
	for id, want := range map[string]string{
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0":                             "5976fc4046385d70cb68998b6021656e91ff2c6ba369e56134a5b8a6b9cd512f",
		"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc": "27b6fc80ff1c3ab7fc5a335c1e6d13834b28c2bc36318c7f1c7bf90ed6e6f6f1",
	} {
		r := request(t, "POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/"+url.QueryEscape(id)+"/invoke-with-response-stream",
			"Content-Type:application/json\nAccept:application/vnd.amazon.eventstream\nUser-Agent:x\nAccept-Encoding:gzip")
		aws.Sign(r, []byte(body), example("a session"), "us-east-1", "bedrock", then)
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "SignedHeaders=accept;content-type;host;x-amz-date;x-amz-security-token, Signature="+want) {
			t.Errorf("%s: %s", id, got)
		}
	}
}

var then = time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)

func example(token string) aws.Credentials {
	return aws.Credentials{KeyID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", Token: token}
}

func request(t *testing.T, method, address, header string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(header, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.Header.Add(name, value)
		}
	}
	return r
}
