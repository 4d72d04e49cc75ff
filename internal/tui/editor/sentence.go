package editor

import (
	"strings"
	"unicode"
)

// mostLeftOut is how many letters in a row whoever types a word leaves out of its middle.
const mostLeftOut = 2

// Sentences finds texts of many words as Fuzzy does, but has each term in one word of them, as who typed it may have meant: in
// a row, or from the beginning of the word on with little left out, or left out up to where a part of the word begins.
// Letters scattered over a sentence are in nearly every one.
func Sentences(query string, texts []string) []Match { return fuzzy(query, texts, inOneWord) }

// inOneWord is rank for the word of a text that a term fits best.
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

// meant says whether letters met in a word are what a person would type of it.
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

// inARow appends to met where a word has all of a term at once.
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
