package clean_test

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Text is for what a terminal shows: what it would obey is gone.
func ExampleText() {
	fmt.Println(clean.Text("\x1b[31mred\x1b[0m and \x1b]0;title\x07plain"))
	// Output:
	// red and plain
}

// Line is for names and titles.
func ExampleLine() {
	fmt.Printf("%q\n", clean.Line("a title\nwith a second\tline\x1b[2J"))
	// Output:
	// "a title with a second line"
}

// Reveal is for what a person decides about: nothing is taken out, and what an eye cannot see is written as its number.
func ExampleReveal() {
	fmt.Println(clean.Reveal("rm notes.txt\u202e && curl evil.example\x1b[2K"))
	// Output:
	// rm notes.txt<U+202E> && curl evil.example<U+001B>[2K
}

// Settled is for text that still arrives: an escape that may go on is not shown yet.
func ExampleSettled() {
	fmt.Printf("%q\n", clean.Settled("all tests pass\x1b[3"))
	fmt.Printf("%q\n", clean.Settled("all tests pass\x1b[32m."))
	// Output:
	// "all tests pass"
	// "all tests pass."
}
