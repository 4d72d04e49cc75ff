package line

import (
	"testing"
)

func TestNamed(t *testing.T) {
	for _, tc := range []struct {
		path string
		w    int
		want string
	}{
		{"internal/session/session.go", 30, "internal/session/session.go"},
		{"internal/session/session.go", 20, "…/session/session.go"},
		{"internal/session/session.go", 15, "…/session.go"},
		{"internal/session/session.go", 8, "session…"},
		{"漢字/漢字.go", 9, "…/漢字.go"},
		{"a-very-long-name-of-a-file.go", 10, "a-very-lo…"},
		{"", 4, ""},
	} {
		if got := Named(tc.path, tc.w); got != tc.want || Wide(got) > tc.w {
			t.Errorf("named(%q, %d) = %q", tc.path, tc.w, got)
		}
	}
}

func TestTabbed(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"no tab":                  "no tab",
		"\t\tindented":            "        indented",
		"ok  \tcart\t0.003s":      "ok      cart    0.003s",
		"     7\t\tsit()":         "     7      sit()",
		"FAIL\tshop/price\t1s":    "FAIL    shop/price      1s",
		"\tname\tx\n漢字\ty\n\tz\t": "    name        x\n漢字    y\n    z   ",
	} {
		if got := Tabbed(text); got != want {
			t.Errorf("tabbed(%q) = %q, not %q", text, got, want)
		}
	}
}
