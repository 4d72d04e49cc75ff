package store

import (
	"slices"
	"strings"
)

// Telling returns the words of a text that say what it is about. Stop words are English. Texts in other languages keep all their words.
func Telling(text string) []string {
	return slices.DeleteFunc(Words(text), func(w string) bool { return stopWords[w] })
}

// stopWords occur in any question, whatever it is about.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a about after all also an and any are as at be been before being best better between but by can could
		did do does either else every for from had has have how i if in instead into is it its itself just keep less let like made make
		many may me more most must my need new no not of off on one only or other our out over per rather same shall should since so some
		still such than that the their them then there these they this those through to too under until up us use used uses using very via
		vs versus want was way we were what when where whether which while who whose why will with within without would yes yet you your`) {
		out[w] = true
	}
	return out
}()
