package debate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/fact"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// control is a statement about a passage; code knows whether the passage shows it. A false one differs from a true one by one fact: a
// number, a negation or a name. So its judge must read as closely as for a claim.
type control struct {
	text  string
	good  bool
	lines string // what it is judged by, if not by the claim's lines: an output with one fact altered
}

// controlForm returns a function that makes a true or a false statement about a quote and the lines around it; nil: the form does not
// fit.
type controlForm func(quote, lines string, rnd *rand.Rand) func(good bool) string

// makeControl makes a control for a claim, its quote and the lines around it, true or false at random. A true one paraphrases the
// quote or, if that is impossible, says which words are on one line. A false one is the claim with one fact altered or, if the claim
// has no fact from these lines, a false version of such a form. It returns false if no form fits. rnd depends on the room's seed and
// the check, so that a replay makes the same control.
func makeControl(claim, quote, lines string, rnd *rand.Rand) (control, bool) {
	fit := fittingForms(quote, lines, rnd, assignmentForm, paraphraseForm)
	if len(fit) == 0 {
		fit = fittingForms(quote, lines, rnd, numberForm, namesForm)
	}
	if len(fit) == 0 {
		return control{}, false
	}
	good := rnd.IntN(2) == 0
	// The claim itself with one fact changed is the hardest to tell from a true control.
	if text := alteredClaim(claim, lines, rnd); text != "" && !good {
		return control{text: text}, true
	}
	return control{text: fit[rnd.IntN(len(fit))](good), good: good}, true
}

// fittingForms returns the statements of the forms that fit.
func fittingForms(quote, lines string, rnd *rand.Rand, forms ...controlForm) (out []func(good bool) string) {
	for _, f := range forms {
		if said := f(quote, lines, rnd); said != nil {
			out = append(out, said)
		}
	}
	return out
}

// alteredClaim returns the claim with a number or a word of these lines replaced by one they do not contain, so that they cannot show
// it; empty: the claim has none.
func alteredClaim(claim, lines string, rnd *rand.Rand) string {
	has := func(word string) bool { return slices.Contains(fact.Words(lines), word) }
	var out []string
	for _, word := range fact.Distinct(fact.Words(claim)) {
		if other := fact.Opposite(word); other != "" && has(word) && !strings.Contains(strings.ToLower(lines), strings.ToLower(other)) {
			out = append(out, fact.Swap(claim, word, other))
		}
	}
	for _, number := range fact.Exact(claim) {
		if n, _ := strconv.Atoi(number); has(number) { // six digits at most
			out = append(out, fact.Swap(claim, number, strconv.Itoa(fact.Absent(n, lines, rnd))))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return out[rnd.IntN(len(out))]
}

// namePattern matches a word that names something.
var namePattern = pattern.Of(`[\pL_][\pL\pN_]{3,}`)

// numberForm states which number is on one line with a name.
func numberForm(quote, lines string, rnd *rand.Rand) func(bool) string {
	numbers, names := fact.Numbers(quote), namePattern().FindAllString(quote, -1)
	if len(numbers) == 0 || len(names) == 0 {
		return nil
	}
	number, name := numbers[rnd.IntN(len(numbers))], names[rnd.IntN(len(names))]
	n, _ := strconv.Atoi(number) // six digits at most
	other := strconv.Itoa(fact.Absent(n, lines, rnd))
	form := []string{"A line here that mentions %s also has the number %s.", "Beside %s, on the same line, stands %s.",
		"The passage puts %s and %s on one line."}[rnd.IntN(3)]
	return func(good bool) string {
		if good {
			return fmt.Sprintf(form, name, number)
		}
		return fmt.Sprintf(form, name, other)
	}
}

// namesForm states which two names are on one line.
func namesForm(quote, lines string, rnd *rand.Rand) func(bool) string {
	if strings.Contains(strings.TrimSpace(quote), "\n") {
		return nil
	}
	names := fact.Distinct(namePattern().FindAllString(quote, -1))
	var elsewhere []string // on other lines only
	for line := range strings.Lines(lines) {
		if flat := strings.Join(strings.Fields(line), " "); !strings.Contains(flat, strings.Join(strings.Fields(quote), " ")) {
			elsewhere = append(elsewhere, namePattern().FindAllString(line, -1)...)
		}
	}
	elsewhere = slices.DeleteFunc(fact.Distinct(elsewhere), func(s string) bool {
		return strings.Contains(strings.ToLower(quote), strings.ToLower(s))
	})
	if len(names) < 2 || len(elsewhere) == 0 {
		return nil
	}
	i := rnd.IntN(len(names) - 1)
	a, b, wrong := names[i], names[i+1], elsewhere[rnd.IntN(len(elsewhere))]
	form := []string{"One line of this passage mentions %s as well as %s.", "%s stands on the same line as %s.",
		"%s is named where %s is, on that very line."}[rnd.IntN(3)]
	return func(good bool) string {
		if !good {
			b = wrong
		}
		return fmt.Sprintf(form, b, a)
	}
}
