package editor

import (
	"strings"
	"unicode"
)

// mostLeftOut is how many letters in a row a person leaves out in the middle of a word.
const mostLeftOut = 2

// Sentences finds texts of many words like Fuzzy, but matches each term within one word: in a row, or from the
// beginning of the word on with little left out, or with letters left out up to where a part of the word
// begins. Letters scattered over a sentence would match nearly everything.
func Sentences(query string, texts []string) []Match { return fuzzy(query, texts, inOneWord) }

// inOneWord is rank for the word of a text that fits a term best.
func inOneWord(term []glyph, text string, met []int) ([]int, int) {
	old, best := len(met), 0
	var room [32]int
	for from := 0; from < len(text); {
		size := strings.IndexFunc(text[from:], unicode.IsSpace)
		if size < 0 {
			size = len(text) - from
		}
		word := text[from : from+size]
		other, s := rank(term, word, room[:0])
		if s > 0 && !meant(term, word, other) {
			if other, s = inARow(term, word, room[:0]), 0; len(other) > 0 {
				s = score(term, word, 0, other)
			}
		}
		if s > best {
			best, met = s, met[:old]
			for _, at := range other {
				met = append(met, from+at)
			}
		}
		from += max(1, size)
	}
	return met, best
}

// meant reports whether matched letters are a likely abbreviation of a word.
func meant(term []glyph, word string, met []int) bool {
	begins := start(word, met[0]) > 0
	for i := 1; i < len(met); i++ {
		left := met[i] - met[i-1] - term[i-1].size(word, met[i-1])
		if left > 0 && (!begins || left > mostLeftOut && start(word, met[i]) == 0) {
			return false
		}
	}
	return true
}

// inARow appends to met where a word contains the whole term.
func inARow(term []glyph, word string, met []int) []int {
	for from := term[0].next(word, 0); from >= 0; from = term[0].next(word, from+1) {
		at := from
		met = met[:0]
		for i := range term {
			if term[i].next(word, at) != at {
				break
			}
			met = append(met, at)
			at += term[i].size(word, at)
		}
		if len(met) == len(term) {
			return met
		}
	}
	return nil
}
