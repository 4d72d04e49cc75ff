package puzzle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// role is what an islander is.
type role int

// Knights tell the truth, knaves lie, spies may do either.
const (
	knight role = iota
	knave
	spy
)

var roles = []string{"knight", "knave", "spy"}

// statement is what an islander says: in words, and as a function that reports whether it holds under an assignment of roles.
type statement struct {
	by    int
	words string
	holds func([]role) bool
}

var islanders = []string{"Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "June", "Kai", "Lea", "Milo", "Nora",
	"Otto", "Pia"}

// knights makes a puzzle with exactly one solution, which is one of its options.
func knights(rng *rand.Rand) suite.Item {
	for {
		n, spies := 3+rng.IntN(3), rng.IntN(3) == 0
		if spies {
			n = 3
		}
		names := pick(rng, islanders, n)
		worlds := assignments(n, spies)
		truth := worlds[rng.IntN(len(worlds))]
		var said []statement
		for who := range truth {
			if s, ok := utter(rng, who, names, truth, spies); ok {
				said = append(said, s)
			}
		}
		// The statements do not determine a unique solution: draw again.
		if len(solutions(worlds, said)) != 1 {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(worlds), func(w []role) bool { return slices.Equal(w, truth) })
		shown := append(pick(rng, others, 3), truth)
		rng.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
		it := suite.Item{Question: knightsQuestion(names, said, spies), Stratum: fmt.Sprintf("knights-%d", n),
			Answer: suite.Text(solution(names, truth))}
		if spies {
			it.Stratum = "knights-spy"
		}
		for _, w := range shown {
			it.Options = append(it.Options, solution(names, w))
		}
		return it
	}
}

// assignments returns all possible worlds: knights and knaves in any number, or, with spies, one of each kind.
func assignments(n int, spies bool) [][]role {
	if spies {
		return [][]role{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	}
	var out [][]role
	for bits := range 1 << n {
		w := make([]role, n)
		for i := range w {
			w[i] = role(bits >> i & 1)
		}
		out = append(out, w)
	}
	return out
}

// solutions returns the worlds in which everybody could have said what they said.
func solutions(worlds [][]role, said []statement) (out [][]role) {
	for _, w := range worlds {
		if !slices.ContainsFunc(said, func(s statement) bool { return !fits(s, w) }) {
			out = append(out, w)
		}
	}
	return out
}

// fits reports whether the speaker could say it in this world.
func fits(s statement, w []role) bool { return w[s.by] == spy || s.holds(w) == (w[s.by] == knight) }

// utter draws a statement that who can make in the true world. It is false if it found none.
func utter(rng *rand.Rand, who int, names []string, truth []role, spies bool) (statement, bool) {
	for range 50 {
		if s := say(rng, who, names, spies); fits(s, truth) {
			return s, true
		}
	}
	return statement{}, false
}

// say draws a sentence by who about others, or about itself and another, true or not.
func say(rng *rand.Rand, who int, names []string, spies bool) statement {
	x := (who + 1 + rng.IntN(len(names)-1)) % len(names)
	y := who
	// The second one is sometimes the speaker.
	for y == x || y == who && len(names) > 2 && rng.IntN(3) > 0 {
		y = rng.IntN(len(names))
	}
	other := names[y]
	if y == who {
		other = "I"
	}
	kinds := 2
	if spies {
		kinds = 3
	}
	switch rng.IntN(4) {
	case 0:
		is := role(rng.IntN(kinds))
		return statement{who, fmt.Sprintf("%s is a %s", names[x], roles[is]), func(w []role) bool { return w[x] == is }}
	case 1:
		words := fmt.Sprintf("%s and %s are of the same kind", names[x], other)
		return statement{who, words, func(w []role) bool { return w[x] == w[y] }}
	case 2:
		words := fmt.Sprintf("%s is a knight, or %s", names[x],
			map[bool]string{true: "I am a knave", false: other + " is a knave"}[y == who])
		return statement{who, words, func(w []role) bool { return w[x] == knight || w[y] == knave }}
	}
	k := rng.IntN(len(names) + 1)
	return statement{who, fmt.Sprintf("exactly %d of us are knaves", k), func(w []role) bool { return count(w, knave) == k }}
}

func count(w []role, is role) (n int) {
	for _, r := range w {
		if r == is {
			n++
		}
	}
	return n
}

func knightsQuestion(names []string, said []statement, spies bool) string {
	var b strings.Builder
	b.WriteString("On an island knights always say what is true and knaves always say what is false. ")
	if spies {
		b.WriteString("Spies may say either. One of the three is a knight, one a knave and one a spy. ")
	}
	fmt.Fprintf(&b, "You meet %s and %s.", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
	for _, s := range said {
		fmt.Fprintf(&b, " %s says: \"%s.\"", names[s.by], strings.ToUpper(s.words[:1])+s.words[1:])
	}
	return b.String() + " What is each of them?"
}

func solution(names []string, w []role) string {
	parts := make([]string, len(names))
	for i, r := range w {
		parts[i] = names[i] + " is a " + roles[r]
	}
	return strings.Join(parts, ", ")
}
