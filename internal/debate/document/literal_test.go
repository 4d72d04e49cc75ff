package document_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/out"
)

// TestMarkdownShowsTextsAsTheyAre: whoever draws the document sees paths, claims, options and models as they are.
func TestMarkdownShowsTextsAsTheyAre(t *testing.T) {
	l := split()
	l.Options[0].Text = "keep __init__.py and *args"
	l.Claims[0].Evidence.File = "shop/__init__.py"
	l.Claims[0].Text = "shop/__init__.py sets `x` and a~~b~~c | d"
	l.Checks[0].Proof.File = "shop/__init__.py"
	res := room(l)
	res.Question = "Should __all__ be in shop/__init__.py?\n- as *a list*"
	res.Seats[0].Model = "vendor/_model_*"
	d := document.Of(res)
	markdown := d.Markdown()
	var b strings.Builder
	if err := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Convert([]byte(markdown), &b); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{"<code>shop/__init__.py:7</code>", "shop/__init__.py sets `x` and a~~b~~c | d", "keep __init__.py and *args",
		"Should __all__ be in shop/__init__.py?", "- as *a list*", "vendor/_model_*"} {
		if !strings.Contains(b.String(), shown) {
			t.Errorf("a reader does not see %q:\n%s", shown, markdown)
		}
		shown = strings.TrimSuffix(strings.TrimPrefix(shown, "<code>"), "</code>")
		drawn := out.Layout(markdown, 1000, false)
		if !strings.Contains(drawn, shown) {
			t.Errorf("a terminal does not show %q:\n%s", shown, drawn)
		}
	}
}
