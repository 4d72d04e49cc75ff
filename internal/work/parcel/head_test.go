package parcel

import (
	"strings"
	"testing"
)

// TestHead: a file's names become folders and words of git, so that only names pass.
func TestHead(t *testing.T) {
	commit := strings.Repeat("ab", 20)
	for _, c := range []struct {
		head Head
		ok   bool
	}{
		{Head{Run: "three", Bottom: commit, Refs: [][2]string{{"refs/heads/run", commit}}}, true},
		{Head{Run: "three"}, true},
		{Head{Run: "../three"}, false},
		{Head{Run: "a/b"}, false},
		{Head{Run: ""}, false},
		{Head{Run: ".."}, false},
		{Head{Run: "three", Bottom: "--output=/tmp/x"}, false},
		{Head{Run: "three", Bottom: "HEAD"}, false},
		{Head{Run: "three", Refs: [][2]string{{"refs/heads/run", "--stdin"}}}, false},
		{Head{Run: "three", Refs: [][2]string{{"--stdin", commit}}}, false},
		{Head{Run: "three", Refs: [][2]string{{"refs/../../x", commit}}}, false},
	} {
		if err := c.head.sound(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.head, err)
		}
	}
}
