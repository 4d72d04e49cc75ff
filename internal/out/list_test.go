package out

import (
	"bytes"
	"testing"
)

// A list is rows to a program and lines to a person, who is told what is not among them and where there are none.
func TestList(t *testing.T) {
	list := List[int]{Rows: []int{1, 2}, Head: "number\n", Line: func(n int) string { return string(rune('0'+n)) + "\n" }, None: "none\n", Then: "more\n", Left: "left"}
	empty := list
	empty.Rows = []int{}
	for _, c := range []struct {
		list              List[int]
		format, out, told string
	}{
		{list, "text", "number\n1\n2\n", "more\n"},
		{empty, "text", "", "none\n"},
		{list, "json", "[\n  1,\n  2\n]\n", "warning: left\n"},
		{List[int]{Rows: []int{}}, "json", "[]\n", ""},
		{List[int]{}, "json", "[]\n", ""},
	} {
		var stdout, stderr bytes.Buffer
		o := New(&stdout, &stderr)
		o.Format = c.format
		if err := c.list.Write(o); err != nil || stdout.String() != c.out || stderr.String() != c.told {
			t.Errorf("as %s: %q and %q: %v", c.format, stdout.String(), stderr.String(), err)
		}
	}
}
