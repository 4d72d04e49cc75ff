package debate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/fact"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// statusPattern matches the last line of what a judge reads about a command.
var statusPattern = pattern.Of(`(?m)^status (-?[0-9]{1,6})\n?\z`)

// makeRunControl makes a control for a claim whose evidence is a command; lines is what a judge reads of it. A true control states
// what this output shows. A false one is such a statement, or the claim itself, with a copy of the output in which the fact it names
// is altered. It returns false if the output has no status.
func makeRunControl(claim, lines string, rnd *rand.Rand) (control, bool) {
	at := statusPattern().FindStringSubmatchIndex(lines)
	if at == nil {
		return control{}, false
	}
	status := lines[at[2]:at[3]]
	form := []string{"The run shown here ended with status %s.", "This command exited with the status %s.",
		"What is shown here is a run that came to status %s."}[rnd.IntN(3)]
	k := control{text: fmt.Sprintf(form, status), good: rnd.IntN(2) == 0}
	if k.good {
		return k, true
	}
	if broken := brokenFact(claim, lines, rnd); broken != "" {
		return control{text: claim, lines: broken}, true
	}
	n, _ := strconv.Atoi(status) // six digits at most
	k.lines = lines[:at[2]] + strconv.Itoa(fact.Absent(n, lines, rnd)) + lines[at[3]:]
	return k, true
}

// brokenFact returns the output with a number or a word that the claim takes from it replaced by one it does not contain; empty: the
// claim takes none.
func brokenFact(claim, lines string, rnd *rand.Rand) string {
	var out []string
	for _, word := range fact.Distinct(fact.Words(claim)) {
		other := fact.Opposite(word)
		if broken := fact.Swap(lines, word, other); other != "" && broken != lines &&
			!strings.Contains(strings.ToLower(lines), strings.ToLower(other)) {
			out = append(out, broken)
		}
	}
	for _, number := range fact.Exact(claim) {
		n, _ := strconv.Atoi(number)
		if broken := fact.Swap(lines, number, strconv.Itoa(fact.Absent(n, lines, rnd))); broken != lines {
			out = append(out, broken)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return out[rnd.IntN(len(out))]
}
