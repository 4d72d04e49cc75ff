package markdown

import (
	"fmt"
	"strconv"
	"strings"
)

// heads says whether three lines are those a file's changes begin with, and not changes.
func heads(a, b, c string) bool {
	return strings.HasPrefix(a, "--- ") && strings.HasPrefix(b, "+++ ") && strings.HasPrefix(c, "@@")
}

// hunk reads "@@ -3,4 +5,6 @@": where the lines before and after begin.
func hunk(line string) (before, after int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, false
	}
	first, _, _ := strings.Cut(fields[1][1:], ",")
	second, _, _ := strings.Cut(fields[2][1:], ",")
	before, err := strconv.Atoi(first)
	after, err2 := strconv.Atoi(second)
	return before, after, err == nil && err2 == nil && min(before, after) >= 0 && max(before, after) < 1<<30
}

// name is the file's name of a head line, without the time some programs add.
func name(line string) string {
	s, _, _ := strings.Cut(line[4:], "\t")
	return strings.TrimSpace(s)
}

// outside says whether a line ends the changes before it. Others belong to them, even those that lack their sign.
func outside(line string) bool {
	for _, begin := range []string{"@@", "diff ", "--- ", "Index: ", "Binary files ", "Only in "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// measure finds how wide the numbers can get. A hunk may be longer than it says: models count badly.
func (d *differ) measure(lines []string) {
	last, at := 0, 0
	for _, line := range lines {
		if from, to, ok := hunk(line); ok {
			at = max(from, to)
		}
		at++
		last = max(last, at)
	}
	d.digits = len(strconv.Itoa(last))
	if d.width < 40 || d.width < 2*d.digits+20 {
		d.digits = 0
	}
}

// next is the number of the line after n; where numbers are not known, it is not either.
func next(n int) int {
	if n == 0 {
		return 0
	}
	return n + 1
}

func number(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}
