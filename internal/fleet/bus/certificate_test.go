package bus

import (
	"testing"
	"time"
)

// OpenSSL, and with it curl and most other programs, takes a certificate whose issuer has its own name for self-signed, whatever it trusts.
func TestCertificateIsNotNamedAsItsAuthority(t *testing.T) {
	id, err := identify(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := openCertificate(id, t.TempDir(), []string{"desk"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ca, _, err := id.authority()
	if err != nil {
		t.Fatal(err)
	}
	if leaf := c.leaf.Leaf; leaf.Subject.String() == ca.Subject.String() || leaf.CheckSignatureFrom(ca) != nil {
		t.Errorf("%s, signed by %s", leaf.Subject, ca.Subject)
	}
}
