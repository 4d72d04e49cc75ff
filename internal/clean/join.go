package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner makes one picture of the emoji on both sides of it.
const joiner = '\u200d'

// mostJoined is how many joiners one picture may hold: the largest families have as many. A longer one would hide what it is
// made of from those who count its cells.
const mostJoined = 3

// joins says whether a joiner after before, which is clean, and ahead of after is seen: it stands between two emoji. Anywhere
// else it is not, and parts words that look like one.
func joins(before, after string) bool {
	if next, _ := utf8.DecodeRuneInString(after); !picture(next) {
		return false
	}
	for n := 0; ; n++ {
		r, size := utf8.DecodeLastRuneInString(before)
		if r == '\ufe0f' || r >= '\U0001f3fb' && r <= '\U0001f3ff' { // drawn as an emoji, of that tone of skin
			before = before[:len(before)-size]
			r, size = utf8.DecodeLastRuneInString(before)
		}
		if !picture(r) {
			return false
		}
		rest, more := strings.CutSuffix(before[:len(before)-size], string(joiner))
		if !more {
			return n < mostJoined
		}
		before = rest
	}
}

// picture says whether r can be a part of a joined emoji.
func picture(r rune) bool {
	return r >= '\U0001f300' && r <= '\U0001faff' && (r < '\U0001f3fb' || r > '\U0001f3ff') && unicode.IsSymbol(r) ||
		strings.ContainsRune("↔↕☠♀♂⚕⚖⚧⛓✈❤➡⬛", r)
}
