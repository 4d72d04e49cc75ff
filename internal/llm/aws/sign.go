// Package aws authorizes requests to Amazon's cloud: it finds credentials and a region where Amazon's own tools look,
// and signs with Signature Version 4.
//
// A [Source] finds credentials in the environment, in a profile of ~/.aws, in a container or on a virtual machine. A
// method that it does not support ("aws login") is an error that says how to get credentials into the environment.
// Every secret is passed to Source.Learn before it is used, so that it can be kept out of logs. [Sign] is a pure
// function of the request, the credentials and the time.
package aws

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Credentials sign requests.
type Credentials struct {
	KeyID, Secret string
	Token         string    // of a session; empty if there is none
	Expires       time.Time // zero means never
}

// The name of the signature, and the format of its times.
const (
	algorithm = "AWS4-HMAC-SHA256"
	stamp     = "20060102T150405Z"
)

// Sign signs a request with this body for a service in a region, as documented in "Create a signed AWS API request"
// of the IAM User Guide (read on 2026-11-26). Every header that is set is signed, except those that proxies and
// clients change. The request's path must have no dots or empty segments: it is signed as it is sent.
func Sign(r *http.Request, body []byte, c Credentials, region, service string, now time.Time) {
	now = now.UTC()
	r.Header.Set("X-Amz-Date", now.Format(stamp))
	if c.Token != "" {
		r.Header.Set("X-Amz-Security-Token", c.Token)
	}
	names, lines := headers(r)
	request := strings.Join([]string{r.Method, path(r.URL), query(r.URL), lines, names, digest(body)}, "\n")
	scope := now.Format("20060102") + "/" + region + "/" + service + "/aws4_request"
	text := strings.Join([]string{algorithm, now.Format(stamp), scope, digest([]byte(request))}, "\n")
	key := []byte("AWS4" + c.Secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = code(key, part)
	}
	r.Header.Set("Authorization", algorithm+" Credential="+c.KeyID+"/"+scope+", SignedHeaders="+names+
		", Signature="+hex.EncodeToString(code(key, text)))
}

// code returns the HMAC-SHA256 of a text.
func code(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// digest returns the SHA-256 of b in hexadecimal.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// unsigned are the headers that may differ once a request arrives.
var unsigned = []string{"Authorization", "User-Agent", "Accept-Encoding", "Connection", "Expect", "Content-Length", "X-Amzn-Trace-Id"}

// headers returns the names of the signed headers, and a line for each.
func headers(r *http.Request) (names, lines string) {
	values := map[string]string{"host": r.URL.Host}
	if r.Host != "" {
		values["host"] = r.Host
	}
	for name, all := range r.Header {
		if slices.Contains(unsigned, name) {
			continue
		}
		var kept []string
		for _, v := range all {
			kept = append(kept, strings.Join(strings.Fields(v), " "))
		}
		values[strings.ToLower(name)] = strings.Join(kept, ",")
	}
	sorted := slices.Sorted(maps.Keys(values))
	for _, name := range sorted {
		lines += name + ":" + values[name] + "\n"
	}
	return strings.Join(sorted, ";"), lines
}

// path returns the path as it is sent, encoded once more, as every service but S3 requires.
func path(u *url.URL) string {
	if sent := u.EscapedPath(); sent != "" {
		return encode(sent, "/")
	}
	return "/"
}

// query returns the parameters, sorted, as they are signed.
func query(u *url.URL) string {
	var pairs []string
	for name, values := range u.Query() {
		for _, v := range values {
			pairs = append(pairs, encode(name, "")+"="+encode(v, ""))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// encode writes every byte as %XX except letters, digits, -._~ and the bytes in keep.
func encode(s, keep string) string {
	var b bytes.Buffer
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~"+keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}
