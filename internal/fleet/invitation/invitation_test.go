package invitation_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/fleet/invitation"
)

func TestInvitation(t *testing.T) {
	was := invitation.Invitation{URL: "https://Desk:4937/", Authority: strings.Repeat("ab", 32), Token: "soc_x"}
	is, err := invitation.Parse(" " + was.String() + "\n")
	if err != nil || is.URL != "https://desk:4937" || is.Token != was.Token || is.Authority != was.Authority {
		t.Fatalf("%+v, %v", is, err)
	}
	for _, bad := range []string{"", "socrates-hub-", "socrates-join-abc", was.String()[:40], "socrates-hub-" +
		base64.RawURLEncoding.EncodeToString([]byte(`{"url":"http://desk:1","token":"x"}`)), "socrates-hub-" +
		base64.RawURLEncoding.EncodeToString([]byte(`{"url":"https://desk:1","token":""}`)), "socrates-hub-" +
		base64.RawURLEncoding.EncodeToString([]byte(`{"url":"https://desk:1","ca":"short","token":"x"}`))} {
		if i, err := invitation.Parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, i)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{"https://desk": "https://desk:443", "https://[::1]:4937": "https://[::1]:4937",
		"https://10.0.0.5:1/": "https://10.0.0.5:1", "http://desk": "", "desk:4937": "", "https://a:b@desk": "", "https://desk/x": "",
		"https://../..": "", "https://..": "", "https://a%2fb": "", "https://de\x1bsk": "", "https://-x": ""} {
		if is, err := invitation.Address(text); is != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, is, err)
		}
	}
}
