package told

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
)

// TestHeading: what is asked about is rated by what it would touch, and what leaves the project by where it goes.
func TestHeading(t *testing.T) {
	network, folder := asking.Part{Asked: true, Leaves: true, Sends: true}, asking.Part{Asked: true, Leaves: true}
	routine, lost := asking.Part{Asked: true}, asking.Part{Asked: true, Leaves: true, Sends: true, Lost: "deletes it there"}
	for want, n := range map[string]asking.Need{
		"Allow 1 call?":                                {Parts: []asking.Part{routine}},
		"! Leaves the project: network":                {Parts: []asking.Part{routine, network}},
		"! Leaves the project: other folders":          {Parts: []asking.Part{folder, {Leaves: true, Sends: true}}},
		"! Leaves the project: network, other folders": {Parts: []asking.Part{network, folder}},
		"! Leaves the project: other projects":         {Parts: []asking.Part{folder}, Acts: []tool.Act{{Effect: tool.Keeps}}},
		"!! Cannot be undone":                          {Parts: []asking.Part{folder, lost}},
	} {
		if got := Heading(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
