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
