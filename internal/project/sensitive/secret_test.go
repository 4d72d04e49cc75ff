package sensitive_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

func TestFold(t *testing.T) {
	for name, want := range map[string]string{"Makefile": "makefile", ".GIT": ".git", ".g\u200cit": ".git", ".\ufeffGit": ".git", ".\u017fSH": ".ssh",
		".\u212aube": ".kube", "E\u0301\u00c4": "\u00e9\u00e4", "ÉÄ": "éä", "a/B": "a/b", "": "", "ß": "ß"} {
		if got := sensitive.Fold(name); got != want {
			t.Errorf("Fold(%q) = %q, want %q", name, got, want)
		}
	}
}
