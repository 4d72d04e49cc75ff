package config

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoteKey shows a key of a file: as it is if it looks like one, else quoted and cut short.
// A key of a hostile file may hold anything, and is printed.
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
