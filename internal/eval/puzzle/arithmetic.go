package puzzle

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// arithmetic makes a chain of sums. Every intermediate value is a whole number below a million.
func arithmetic(rng *rand.Rand) suite.Item {
	steps := one(rng, 4, 8, 12)
	x := 2 + rng.IntN(98)
	lines := []string{fmt.Sprintf("Start with %d.", x)}
	// An unsuitable step is redrawn.
	for len(lines) <= steps {
		by := 2 + rng.IntN(18)
		switch rng.IntN(6) {
		case 0:
			by += rng.IntN(400)
			x += by
			lines = append(lines, fmt.Sprintf("Add %d.", by))
		case 1:
			by += rng.IntN(400)
			x -= by
			lines = append(lines, fmt.Sprintf("Subtract %d.", by))
		case 2, 3:
			if x*by > -1_000_000 && x*by < 1_000_000 {
				x *= by
				lines = append(lines, fmt.Sprintf("Multiply by %d.", by))
			}
		case 4:
			if x%by == 0 && x != 0 {
				x /= by
				lines = append(lines, fmt.Sprintf("Divide by %d.", by))
			}
		case 5:
			if x > 9 {
				x = digits(x)
				lines = append(lines, "Replace the number by the sum of its digits.")
			}
		}
	}
	return suite.Item{Stratum: fmt.Sprintf("arithmetic-%02d", steps),
		Question: strings.Join(lines, " ") + " What number do you end with?",
		Check:    &suite.Check{Kind: "numeric", Answer: suite.Text(strconv.Itoa(x))}}
}

func digits(x int) (sum int) {
	for ; x > 0; x /= 10 {
		sum += x % 10
	}
	return sum
}
