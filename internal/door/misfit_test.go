package door

import (
	"reflect"
	"strings"
	"testing"
)

func TestMisfit(t *testing.T) {
	s := schemaOf(reflect.TypeFor[Ask]())
	for body, want := range map[string]string{
		`[]`:                                 "it must be an object, not a list; its fields: question, options",
		`7`:                                  "it must be an object, not 7",
		`{"question": 5}`:                    "question must be a text, not 5",
		`{"question": "a", "options": "A"}`:  `options must be a list, not the text "A"`,
		`{"question": "a", "options": [1]}`:  "options[0] must be a text, not 1",
		`{"question": "a", "wait": 99999}`:   "wait must be at most 280, not 99999",
		`{"question": "a", "wait": -1}`:      "wait must be at least 0, not -1",
		`{"question": "a", "rounds": 1.5}`:   "rounds must be a whole number, not 1.5",
		`{"question": true}`:                 "question must be a text, not true",
		`{"question": null}`:                 "question must be a text, not null",
		`{"question": "a", "optoins": []}`:   "optoins is not a field here; did you mean options?",
		`{"question": "a", "strategy": "x"}`: `, not the text "x"`,
		`{"options": []}`:                    "question is missing",
		`{"question": "a"`:                   "the JSON ends too soon",
		`{"question": 'a'}`:                  "the JSON is invalid at byte 14",
		`{"question": "a", "wait": 20}`:      "",
	} {
		text, hint := Misfit(s, []byte(body))
		if got := text + "; " + hint; !strings.Contains(got, want) || want == "" && text != "" || strings.Contains(got, "json") {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
