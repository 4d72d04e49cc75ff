package turns_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
)

// A process that is used for many conversations ends what runs for those that rest the longest, and begins it again if they go on.
func TestWhatRestsIsEnded(t *testing.T) {
	o := openOffice(t, t.TempDir()+"/s.db", false)
	var opened, closed []string
	o.extend = func(session string) turns.Extension {
		opened = append(opened, session)
		return turns.Extension{Close: func() { closed = append(closed, session) }}
	}
	say := func(name string) { o.do(turns.Say{Tree: name, Text: "say hello", Model: "x"}) }
	for i := range 17 {
		name := fmt.Sprintf("talk-%d", i)
		o.do(conversation.NewTree{Name: name, Dir: o.dir})
		say(name)
		if i == 15 && len(closed) > 0 {
			t.Errorf("%q ended, and few conversations are open", closed)
		}
		if i > 0 {
			say("talk-1") // it is used all the time
		}
	}
	say("talk-0")
	if want := []string{"talk-0", "talk-2"}; !slices.Equal(closed, want) || len(opened) != 18 || opened[17] != "talk-0" {
		t.Errorf("ended %q, opened %q", closed, opened)
	}
}
