package setting

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/spelling"
)

// Nearest is the hint for an unknown key: the known one that takes the fewest edits, whole or by its last word.
// It is a sentence, ready to be a hint.
func Nearest(key string) string {
	best, fewest := "", len(key)
	for _, s := range All() {
		known := s.Key
		if before, after, ok := strings.Cut(known, anyName); ok {
			name, _, _ := strings.Cut(strings.TrimPrefix(key, before), ".")
			if !strings.HasPrefix(key, before) || !cleanName(name) {
				continue
			}
			known = before + name + after
		}
		n := spelling.Distance(key, known)
		if last := key[strings.LastIndexByte(key, '.')+1:]; len(last) > 2 && strings.HasSuffix(known, last) {
			n = min(n, 2)
		}
		if !strings.Contains(key, ".") {
			n = min(n, 1+spelling.Distance(key, known[strings.LastIndexByte(known, '.')+1:]))
		}
		if n < fewest {
			best, fewest = known, n
		}
	}
	if best == "" || fewest > 2+len(key)/3 {
		return "`socrates config` lists all keys"
	}
	return "did you mean " + best + "?"
}

// NearestEnv is nearest for the tail of a variable's name in small letters.
func NearestEnv(tail string) string {
	best, fewest := "", 3+len(tail)/3
	for _, s := range All() {
		name := s.Env()
		if n := spelling.Distance(tail, strings.ToLower(strings.TrimPrefix(name, EnvPrefix))); n < fewest {
			best, fewest = name, n
		}
	}
	if best == "" {
		return "`socrates config` lists all keys"
	}
	return "did you mean " + best + "?"
}
