package cmd

import "testing"

func TestAnswersToWhatIsAsked(t *testing.T) {
	for text, want := range map[string]string{"y": "once ", "Yes": "once ", "s": "session ", "p": "project ", "n": "deny ", "no use rg instead": "deny use rg instead",
		"": "?", "maybe": "?", "yes please": "?", "ye": "?"} {
		q := asked{}
		got := "?"
		if q.take(text) {
			got = q.Choice + " " + q.Reason
		}
		if got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
