package eval

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/eval/puzzle"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/plain"
)

// newSuite returns the command suite, whose help is also the reference of the format.
func newSuite(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "suite", Short: "Create and check suites of questions with known answers",
		Long: `A suite is a file with one JSON object per line:

  {"id": "a1", "question": "Which port?", "options": ["80", "443"], "answer": "B"}
  {"id": "a2", "question": "How long?", "check": {"kind": "numeric", "answer": 3.2, "rel": 0.01}}
  {"id": "a3", "question": "Which flag?", "check": {"kind": "regexp", "pattern": "^--?v(erbose)?$"}}
  {"id": "a4", "question": "Name the capital.", "answer": "Paris", "stratum": "facts"}
  {"id": "a5", "question": "Write the line.", "files": {"x.py": "..."},
   "check": {"kind": "program", "argv": ["python3", "x.py"], "seconds": 10}}

answer is short for a check of kind option (a letter or its text) or exact (ignoring case,
blanks and trailing punctuation). A numeric check takes abs and rel. A program runs in its own
folder, which holds the files and answer.txt; exit status 0 means right. Programs run only with
--allow-programs. Items of one stratum are resampled together.`}
	kinds := noun.Noun[puzzle.Generator]{Call: a.Call, Is: "kind", Are: "kinds", Path: "socrates eval suite",
		Rows: noun.Found(func(context.Context, noun.Query) ([]puzzle.Generator, error) { return puzzle.Generators(), nil }),
		Line: func(k puzzle.Generator) string {
			return out.Fit(os.Stdout, fmt.Sprintf("%-12s %s\n", k.Name, k.Doc), strings.Repeat(" ", 13))
		},
		Text: func(k puzzle.Generator) string { return k.Name + " " + k.Doc },
		Name: func(k puzzle.Generator) (string, string) { return k.Name, k.Doc }}
	c.AddCommand(kinds.List("List the kinds of items that can be generated"), newSuiteMake(a, kinds.Offers(1)), newSuiteCheck(a))
	return c
}

// newSuiteMake returns the command suite make: items to stdout, one a line, so that other tools can cut and join
// them.
func newSuiteMake(a *commands, kinds cobra.CompletionFunc) *cobra.Command {
	var n int
	var seed uint64
	c := &cobra.Command{Use: "make KIND", Short: "Generate a suite of items with known answers", ValidArgsFunction: kinds,
		Example: `  socrates eval suite make knights --n 300 --seed 7 > knights.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("make takes one kind of item", "kinds: "+strings.Join(kindNames(), ", "))
			}
			return nil
		}}
	c.Flags().IntVar(&n, "n", 100, "number of items")
	c.Flags().Uint64Var(&seed, "seed", 0, "random seed; the same seed gives the same items (0: random)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if n < 1 || n > maxMade {
			return failure.Usage(fmt.Sprintf("--n is %d; it must be 1 to %d", n, maxMade), "")
		}
		if seed == 0 {
			seed = rand.Uint64() >> 12
		}
		items, err := made(args[0], n, seed)
		if err != nil {
			return err
		}
		res := bufio.NewWriterSize(a.Out, 64<<10)
		for it := range items {
			raw, err := json.Marshal(it)
			if err == nil {
				_, err = res.Write(append(raw, '\n'))
			}
			if err != nil {
				return err
			}
		}
		a.Out.Told = true
		return res.Flush()
	}
	return c
}

// suiteReport describes a suite.
type suiteReport struct {
	File     string          `json:"file"`
	Items    int             `json:"items"`
	Problems []suite.Problem `json:"problems"` // the first of them
	Wrong    int             `json:"wrong"`    // invalid lines
	Kinds    map[string]int  `json:"kinds"`    // of checks
	Strata   map[string]int  `json:"strata"`
	Open     int             `json:"open"` // items without options
	Programs int             `json:"programs"`
}

// shownProblems is the number of problems of a suite that are listed.
const shownProblems = 20

// newSuiteCheck returns the command suite check. Problems go to stdout, because they are the result; any at all exits
// with 2.
func newSuiteCheck(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "check FILE", Short: "Check a suite line by line (- reads stdin)",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("check takes one file", "- reads stdin")
			}
			return nil
		}}
	c.RunE = func(_ *cobra.Command, args []string) error {
		r, err := a.checkSuite(args[0])
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			if err := a.Out.JSON(r); err != nil {
				return err
			}
		} else {
			a.showSuite(r)
		}
		if r.Wrong > 0 {
			return failure.New(failure.ExitUsage, "suite", fmt.Sprintf("%s: invalid lines: %d, items: %d", r.File, r.Wrong, r.Items), "")
		}
		return nil
	}
	return c
}

// It continues after a bad line and counts all of them, but keeps only the first.
func (a *commands) checkSuite(path string) (suiteReport, error) {
	r := suiteReport{File: path, Problems: []suite.Problem{}, Kinds: map[string]int{}, Strata: map[string]int{}}
	f := a.In
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return r, err
		}
		defer f.Close()
	}
	for it, err := range suite.Read(f) {
		if p, ok := errors.AsType[*suite.Problem](err); ok {
			p.Message = plain.Text(p.Message)
			if r.Wrong++; len(r.Problems) < shownProblems {
				r.Problems = append(r.Problems, *p)
			}
			continue
		} else if err != nil {
			return r, err
		}
		r.Items++
		r.Kinds[it.Truth().Kind]++
		r.Strata[it.Stratum]++
		if len(it.Options) == 0 {
			r.Open++
		}
		if it.Truth().Kind == "program" {
			r.Programs++
		}
	}
	return r, nil
}

// showSuite shows the problems of a suite, or its contents.
func (a *commands) showSuite(r suiteReport) {
	for _, p := range r.Problems {
		fmt.Fprintf(a.Out, "%s\n", p.Error())
	}
	if more := r.Wrong - len(r.Problems); more > 0 {
		fmt.Fprintf(a.Out, "and %d more\n", more)
	}
	if r.Wrong > 0 {
		return
	}
	count := func(m map[string]int) string {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, fmt.Sprintf("%d %s", m[name], cmp.Or(name, "of none")))
		}
		return strings.Join(parts, ", ")
	}
	fmt.Fprintf(a.Out, "%d items: %d choices, %d open\nchecks: %s\n", r.Items, r.Items-r.Open, r.Open, count(r.Kinds))
	if len(r.Strata) > 1 || r.Strata[""] == 0 {
		fmt.Fprint(a.Out, out.Fit(os.Stdout, "strata: "+count(r.Strata)+"\n", "  "))
	}
	if r.Programs > 0 {
		fmt.Fprintf(a.Out, "%d are checked by programs, which run only with --allow-programs\n", r.Programs)
	}
}
