package scheme_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

func TestOf(t *testing.T) {
	for spec, word := range map[string]string{
		"rehearsal": "rehearsal", "rehearsal:slow": "rehearsal", "rehearsal-quoter": "rehearsal", "rehearsals:x": "",
		"sim:0.8/a": "sim", "simple:mid": "", "script:a/b.yaml": "script", "acp:goose acp": "acp", "openai:big": "", "claude": "", "": "",
	} {
		if got := scheme.Of(spec); got.Word != word {
			t.Errorf("the scheme of %q is %q, not %q", spec, got.Word, word)
		}
	}
	for _, word := range scheme.Words() {
		if scheme.Of(word).Word != word {
			t.Errorf("%q is a word of no scheme", word)
		}
	}
}

func TestShort(t *testing.T) {
	for spec, want := range map[string]string{"script:dir/able.yaml": "able", `script:C:\dir\able.yml`: "able", "script:able": "able",
		"openai:a/b": "openai:a/b", "claude": "claude"} {
		if got := scheme.Short(spec); got != want {
			t.Errorf("%q in short is %q, not %q", spec, got, want)
		}
	}
}
