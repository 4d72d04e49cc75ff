package lines

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
)

// Lines are read whole up to the bound, which counts their end, however small the reader's buffer is; what comes after one that is too
// long is read, too.
func TestRead(t *testing.T) {
	fits, long := strings.Repeat("a", 39), strings.Repeat("b", 40)
	in := bufio.NewReaderSize(strings.NewReader(fits+"\n"+long+"\n \n c \r\n"+long+"\n"+"last"), 16)
	var got []string
	for {
		line, long, err := Read(in, 40)
		if long && line != nil {
			t.Errorf("kept %q", line)
		}
		got = append(got, map[bool]string{true: "long", false: string(line)}[long])
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
	}
	if want := []string{fits, "long", "", "c", "long", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
