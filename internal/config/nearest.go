package config

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/spelling"
)

// nearest is the hint for an unknown key: the known one that takes the fewest edits, whole or by its last word.
func nearest(key string) string {
	best, fewest := "", len(key)
	for _, s := range settings {
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

// quoteKey shows a key of a file: as it is if it looks like one, else quoted and cut short.
func quoteKey(key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == "" && len(key) <= 80 {
		return key
	}
	if len(key) > 80 {
		cut := 80
		for !utf8.RuneStart(key[cut]) {
			cut--
		}
		key = key[:cut] + "…"
	}
	return strconv.Quote(key)
}

// nearestEnv is nearest for the tail of a variable's name in small letters.
func nearestEnv(tail string) string {
	best, fewest := "", 3+len(tail)/3
	for _, s := range settings {
		name := s.Env()
		if n := spelling.Distance(tail, strings.ToLower(strings.TrimPrefix(name, envPrefix))); n < fewest {
			best, fewest = name, n
		}
	}
	if best == "" {
		return "`socrates config` lists all keys"
	}
	return "did you mean " + best + "?"
}
