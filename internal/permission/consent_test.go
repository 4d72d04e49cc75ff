package permission

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/permission/consent"
)

// A decision that nobody was asked about and that changes nothing is consent to reading alone; one about which somebody was, or that
// changes something, is more.
func TestConsent(t *testing.T) {
	for want, parts := range map[consent.Level][]Part{
		consent.Reading: {{Reads: true}, {Reads: true}},
		consent.Unasked: {{Reads: true}, {}},
		consent.Asked:   {{Reads: true}, {allowedBy: consent.Asked}, {}},
	} {
		if got := (Decision{Parts: parts}).consent(); got != want {
			t.Errorf("%+v is consent %d, not %d", parts, got, want)
		}
	}
}
