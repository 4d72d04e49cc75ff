package puzzle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// Planted is an item about a program with one wrong function, and the same program without the fault.
type Planted struct {
	Item  suite.Item
	Fixed map[string]string // the item's files without the fault
}

// stage is one function of a program: its comment, its body in Go, its body with a fault, and functions that do the same as each. %d
// in a text is the stage's number.
type stage struct {
	name, doc, right, wrong string
	good, bad               func(in []int, n int) []int
}

// Plant makes a program of four functions in a row and puts a fault into one. The fault changes the result of the program's test:
// Plant runs both versions to make sure.
func Plant(rng *rand.Rand) Planted {
	for {
		chosen, culprit := pick(rng, stages, 4), rng.IntN(4)
		numbers := make([]int, 4)
		for i := range numbers {
			numbers[i] = 2 + rng.IntN(4)
		}
		in := make([]int, 9)
		for i := range in {
			in[i] = rng.IntN(40) - 12
		}
		want, got := in, in
		for i, s := range chosen {
			want = s.good(slices.Clone(want), numbers[i])
			if got = slices.Clone(got); i == culprit {
				got = s.bad(got, numbers[i])
			} else {
				got = s.good(got, numbers[i])
			}
		}
		// The test would pass anyway, or the result would be too short.
		if slices.Equal(want, got) || len(want) < 3 {
			continue
		}
		test := bugTest(in, want)
		p := Planted{Fixed: bugFiles(chosen, numbers, -1, test), Item: suite.Item{
			Question: "TestRun in flow_test.go fails. Exactly one function in flow.go does not do what its comment says. Which one?",
			Files:    bugFiles(chosen, numbers, culprit, test), Answer: suite.Text(chosen[culprit].name), Stratum: "bugs"}}
		for _, s := range chosen {
			p.Item.Options = append(p.Item.Options, s.name)
		}
		return p
	}
}

// bugFiles returns the program as a Go module; culprit -1: without a fault.
func bugFiles(chosen []stage, numbers []int, culprit int, test string) map[string]string {
	var b, calls strings.Builder
	b.WriteString("// Package flow passes numbers through four steps.\npackage flow\n\nimport \"slices\"\n\n")
	for _, s := range chosen {
		fmt.Fprintf(&calls, "\tv = %s(v)\n", s.name)
	}
	fmt.Fprintf(&b, "// Run passes a copy of in through all steps.\nfunc Run(in []int) []int {\n\tv := slices.Clone(in)\n%s\treturn v\n}\n",
		calls.String())
	for i, s := range chosen {
		body := s.right
		if i == culprit {
			body = s.wrong
		}
		number := strings.NewReplacer("%d", fmt.Sprint(numbers[i]))
		fmt.Fprintf(&b, "\n// %s %s\nfunc %s(in []int) []int {\n%s}\n", s.name, number.Replace(s.doc), s.name, number.Replace(indent(body)))
	}
	return map[string]string{"go.mod": "module flow\n\ngo 1.21\n", "flow.go": b.String(), "flow_test.go": test}
}

func indent(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		b.WriteString("\t" + line)
	}
	return b.String() + "\n"
}

func bugTest(in, want []int) string {
	return fmt.Sprintf(`package flow

import (
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	got := Run(%s)
	if want := %s; !slices.Equal(got, want) {
		t.Fatalf("got %%v, want %%v", got, want)
	}
}
`, literal(in), literal(want))
}

func literal(list []int) string {
	return "[]int{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + "}"
}
