package tree_test

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Message is a body. The package that gives a body its meaning declares its kind.
type Message struct{ Text string }

const messageKind tree.Kind[Message] = "message"

// A question has two answers, each on a branch of its own: two nodes with the same parent. A branch is the path from the
// root to its end; nothing is copied.
func ExamplePath() {
	question := messageKind.New("", "person", Message{"A mutex or a channel?"})
	first := messageKind.New(question.ID, "claude", Message{"A mutex."})
	second := messageKind.New(question.ID, "codex", Message{"A channel."})

	path, complete := tree.Path([]tree.Node{second, first, question}, second.ID)
	fmt.Println("complete:", complete)
	for _, n := range path {
		if m, ok := messageKind.Of(n); ok {
			fmt.Printf("%s: %s\n", n.By, m.Text)
		}
	}
	// Output:
	// complete: true
	// person: A mutex or a channel?
	// codex: A channel.
}

// The body of a node is read as its kind, and as no other.
func ExampleKind_Of() {
	const countKind tree.Kind[int] = "count"
	n := countKind.New("", "code", 3)

	count, ok := countKind.Of(n)
	fmt.Println(count, ok)
	_, ok = messageKind.Of(n)
	fmt.Println(ok)
	// Output:
	// 3 true
	// false
}

// Names of trees and branches are typed in a shell, so they are letters, digits and dashes.
func ExampleCleanName() {
	fmt.Println(tree.CleanName("calm-heron"), tree.CleanName("../secrets"), tree.CleanName("two words"))
	// Output: true false false
}
