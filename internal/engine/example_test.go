package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/material"
)

// A front end changes the store with Do, hears of it with Watch, and reads it with the queries of the libraries. Nothing
// is heard of before it is on disk.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "socrates.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	e := all.New(s, all.Wiring{}) // without a model: whatever asks one is refused
	defer e.Close()

	root, err := e.Do(ctx, conversation.NewTree{Name: "notes", Dir: dir})
	if err == nil {
		_, err = e.Do(ctx, conversation.Remark{Tree: "notes", Role: "user", Text: "Keep one writer."})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for news, err := range e.Watch(ctx, root, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if news.Node == nil {
			continue
		}
		fmt.Println("committed:", news.Node.Kind)
		if said, ok := material.AddKind.Of(*news.Node); ok {
			fmt.Println(said.Text)
			break // no job runs here, so Watch goes on until its reader has what it wants
		}
	}
	list, err := conversation.In(e).List(ctx, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("conversations:", len(list))
	// Output:
	// committed: tree
	// committed: added
	// Keep one writer.
	// conversations: 1
}
