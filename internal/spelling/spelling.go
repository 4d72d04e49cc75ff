// Package spelling finds what a mistyped word was meant to be, and says numbers of things.
//
// It is pure and knows no list of its own: callers give the names that exist, such as commands, flags, settings or keys
// of a head.
package spelling

import (
	"strconv"
	"strings"
)

// longest is how long a word may be to be compared; longer ones count as wholly different.
// Comparing takes time in the product of both lengths, and words come from files that people did not write.
const longest = 100

// Distance is Levenshtein's: how many bytes must be put in, left out or replaced to make b of a.
// It works on one row of the table at a time and is in bytes: a letter outside ASCII counts more than once, which is
// right for names, which are ASCII.
func Distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Nearest is the one of names that word was most likely meant to be, in any case. Empty: none is close.
// Close is at most one slip, and one more for every four letters of the word. Of names that are equally close the first
// wins.
func Nearest(word string, names []string) string {
	best, fewest := "", 2+len(word)/4
	for _, n := range names {
		if d := Distance(strings.ToLower(word), strings.ToLower(n)); d < fewest {
			best, fewest = n, d
		}
	}
	return best
}

// Many is a number of things, as it is said: "1 file", "3 files".
func Many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Either lists words one of which is meant.
// There must be at least one.
func Either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
