package conversation

import "testing"

func TestHeadline(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"\n\n# Fix the test\nx": "Fix the test",
		"Sessions never end. Make them end after an hour.":                          "Sessions never end",
		"please fix the thing that fails in the shop, it is broken since yesterday": "please fix the thing that fails in the…",
		"/commit now": "/commit now",
		"Why is the first item missing from Total?":        "Why is the first item missing from Total",
		"Donaudampfschifffahrtsgesellschaftskapitänsmütze": "Donaudampfschifffahrtsgesellschaftskapi…",
		"Should hours keep its entries in SQLite, or not?": "Should hours keep its entries in SQLite…",
	} {
		if got := Headline(text); got != want {
			t.Errorf("%q is titled %q, not %q", text, got, want)
		}
	}
}
