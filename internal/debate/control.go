package debate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// control is a statement about a passage of which code knows whether the passage shows it. Its false form differs from the true one
// by one fact: a number, a negation or a name. So whoever judges it must read as closely as for a claim.
type control struct {
	text string
	good bool
}

// controlOf makes a control for a quote and the lines around it: by chance one of the forms that fit, true or false. It is false if
// none fits.
func controlOf(quote, lines string, rnd *rand.Rand) (control, bool) {
	var fit []func(bool) string
	for _, form := range []func(quote, lines string, rnd *rand.Rand) func(good bool) string{numbered, named, negated} {
		if f := form(quote, lines, rnd); f != nil {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return control{}, false
	}
	good := rnd.IntN(2) == 0
	return control{fit[rnd.IntN(len(fit))](good), good}, true
}

var (
	aName   = pattern.Of(`[\pL_][\pL\pN_]{3,}`)
	aNumber = pattern.Of(`\b[0-9]{1,6}\b`)
)

// numbered says which number a line gives beside a name.
func numbered(quote, lines string, rnd *rand.Rand) func(bool) string {
	numbers, names := aNumber().FindAllString(quote, -1), aName().FindAllString(quote, -1)
	if len(numbers) == 0 || len(names) == 0 {
		return nil
	}
	number, name := numbers[rnd.IntN(len(numbers))], names[rnd.IntN(len(names))]
	n, _ := strconv.Atoi(number) // six digits at most
	other := n + 1 + rnd.IntN(9)
	for strings.Contains(lines, strconv.Itoa(other)) {
		other++
	}
	return func(good bool) string {
		if good {
			return fmt.Sprintf("There is a line here on which %s and the number %s are found together.", name, number)
		}
		return fmt.Sprintf("There is a line here on which %s and the number %d are found together.", name, other)
	}
}

// named says which two names stand on one line.
func named(quote, lines string, rnd *rand.Rand) func(bool) string {
	if strings.Contains(strings.TrimSpace(quote), "\n") {
		return nil
	}
	names := distinct(aName().FindAllString(quote, -1))
	var elsewhere []string // on other lines only
	for line := range strings.Lines(lines) {
		if flat := strings.Join(strings.Fields(line), " "); !strings.Contains(flat, strings.Join(strings.Fields(quote), " ")) {
			elsewhere = append(elsewhere, aName().FindAllString(line, -1)...)
		}
	}
	elsewhere = slices.DeleteFunc(distinct(elsewhere), func(s string) bool {
		return strings.Contains(strings.ToLower(quote), strings.ToLower(s))
	})
	if len(names) < 2 || len(elsewhere) == 0 {
		return nil
	}
	i := rnd.IntN(len(names) - 1)
	a, b, wrong := names[i], names[i+1], elsewhere[rnd.IntN(len(elsewhere))]
	return func(good bool) string {
		if !good {
			b = wrong
		}
		return fmt.Sprintf("One line of this passage mentions %s as well as %s.", b, a)
	}
}

// turned are words after which "not" turns a sentence round.
var turned = []string{"is", "are", "was", "were", "must", "should", "can", "may", "will", "does", "do", "did", "has", "have"}

// synonyms reword a sentence without changing what it says.
var synonyms = map[string]string{
	"must": "has to", "use": "make use of", "uses": "makes use of", "contains": "includes", "because": "since", "begin": "start",
	"begins": "starts", "only": "just", "every": "each", "all": "all of the", "never": "at no time", "always": "at all times",
	"returns": "gives back", "keeps": "retains", "shows": "displays", "needs": "requires",
}

// negated rewords a sentence of prose, or its opposite.
func negated(quote, _ string, _ *rand.Rand) func(bool) string {
	words := strings.Fields(quote)
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(turned, strings.ToLower(w)) })
	if at < 1 || at > len(words)-2 || len(words) < 5 || strings.ContainsAny(quote, "{}();=<>") {
		return nil
	}
	return func(good bool) string {
		said := slices.Clone(words)
		switch not := strings.EqualFold(said[at+1], "not"); {
		case good:
		case not:
			said = slices.Delete(said, at+1, at+2)
		default:
			said = slices.Insert(said, at+1, "not")
		}
		for i, w := range said {
			if s := synonyms[w]; s != "" && (i+1 >= len(said) || said[i+1] != "not") {
				said[i] = s
			}
		}
		return "In other words, this is said here: " + strings.Trim(strings.Join(said, " "), " .,:;-*#/")
	}
}

// distinct are the words of a list that differ, in order, without those of digits.
func distinct(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) && strings.ContainsFunc(w, unicode.IsLetter) {
			out = append(out, w)
		}
	}
	return out
}
