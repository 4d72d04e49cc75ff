package talk

import (
	"os"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Half a line is kept while the program is stopped, and is whole with what is typed once it goes on.
func TestHalfALine(t *testing.T) {
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := &console{a: &Talk{Call: &call.Call{In: in}}, lines: make(chan string, 9), again: make(chan bool, 1)}
	typed.WriteString("one\nhalf \x1a")
	c.readLines(true, '\x1a', func() {
		if c.half != "half " {
			t.Errorf("half is %q", c.half)
		}
		typed.WriteString("line\nend")
		typed.Close()
	})
	var got []string
	for l := range c.lines {
		got = append(got, l)
	}
	if want := []string{"one", "half line", "end"}; !slices.Equal(got, want) || len(c.again) != 1 {
		t.Errorf("%q, want %q; woken %d times", got, want, len(c.again))
	}
}
