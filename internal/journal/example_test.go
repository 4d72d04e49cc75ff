package journal_test

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Answered is what a question came to.
type Answered struct{ Question, Text string }

const answerKind tree.Kind[Answered] = "answer"

// A function whose effects go through a book is resumed by calling it again: what is recorded is taken from there, so the
// second run asks only what the first did not come to.
func Example() {
	var disk []tree.Node
	j := journal.Journal{Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) {
		disk = append(disk, nodes...)
		return nodes, nil
	}}
	key := func(n tree.Node) string { a, _ := answerKind.Of(n); return a.Question }
	survey := func(questions ...string) {
		j.Nodes = disk
		book := journal.Open(j, key, nil)
		for _, q := range questions {
			if a, ok := journal.Recall(book, answerKind, q); ok {
				fmt.Printf("recorded: %s\n", a.Text)
				continue
			}
			a := Answered{q, "yes, " + q}
			if err := book.Add(context.Background(), answerKind.New("", "model", a)); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("asked:    %s\n", a.Text)
		}
	}
	survey("one writer") // and then the process is killed
	survey("one writer", "many readers")
	// Output:
	// asked:    yes, one writer
	// recorded: yes, one writer
	// asked:    yes, many readers
}
