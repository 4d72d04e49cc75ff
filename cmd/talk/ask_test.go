package talk

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/talk/asking"
)

func TestAnswersToWhatIsAsked(t *testing.T) {
	offered := asking.Need{Parts: []asking.Part{{Asked: true, Covers: "git push"}}}
	for text, want := range map[string]string{"y": "once ", "Yes": "once ", "s": "session ", "p": "project ", "n": "deny ", "no use rg instead": "deny use rg instead",
		"": "deny ", "maybe": "?", "yes please": "?", "ye": "?"} {
		q := asked{need: offered}
		got := "?"
		if q.take(text) {
			got = q.Choice + " " + q.Reason
		}
		if got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// What was not offered is no answer: what cannot be undone is allowed once only, and has to be allowed twice.
func TestGrantsThatAreNotOffered(t *testing.T) {
	for text, want := range map[string]bool{"y": false, "y y": true, "n": true, "": true, "s": false, "p": false, "session": false, "project": false} {
		q := asked{need: asking.Need{Parts: []asking.Part{{Asked: true, Text: "rm -rf x", Lost: "deletes folders recursively"}}}}
		if got := q.take(text); got != want {
			t.Errorf("%q is an answer: %v", text, got)
		}
	}
}
