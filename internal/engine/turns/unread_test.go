package turns_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// What a turn reads as the last before it ends was read, whenever those who wait for it look: else it would be said twice.
func TestReadAtTheVeryEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	o := openOffice(t, path, false)
	o.root = o.do(conversation.NewTree{Name: "work", Dir: o.dir})
	theirs, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	l := turns.In(o.Engine)
	for range 5 {
		at, unlock, err := conversation.In(o.Engine).Lock(t.Context(), "work")
		if err != nil {
			t.Fatal(err)
		}
		const most = 40
		var last []tree.Node
		parent := at.Head
		answers, begin := make(chan error, most), make(chan bool)
		for i := range most {
			message, err := o.Do(t.Context(), turns.Interject{Tree: "work", Text: fmt.Sprint("word ", i)})
			if err != nil {
				t.Fatal(err)
			}
			last = append(last, talk.SayKind.New(parent, "person", talk.Said{Text: fmt.Sprint("word ", i), Interjection: message}))
			parent = last[i].ID
			go func() {
				<-begin
				read, err := l.AwaitRead(t.Context(), "work", message)
				if err == nil && !read {
					err = fmt.Errorf("%s was read, and is said not to have been", message)
				}
				answers <- err
			}()
		}
		last = append(last, talk.ReplyKind.New(parent, "scripted", talk.Reply{State: talk.Done}))
		close(begin)
		if _, err := theirs.Append(t.Context(), last...); err != nil {
			t.Fatal(err)
		}
		for range most {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		unlock()
	}
}
