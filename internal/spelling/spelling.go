// Package spelling finds what a mistyped word was meant to be, and says numbers of things.
package spelling

import (
	"strconv"
	"strings"
)

// longest is how long a word may be to be compared; longer ones count as wholly different.
const longest = 100

// Distance is Levenshtein's: how many bytes must be put in, left out or replaced to make b of a.
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
func Either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
