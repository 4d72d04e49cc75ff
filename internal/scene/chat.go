// Package scene folds news into what a screen shows: conversations and debates as they stand. It is pure: it knows no
// terminal, opens no file and starts nothing.
//
// There are four scenes: [Chat] is a branch of a conversation, [Room] a debate, [Run] one turn, [Contest] an
// evaluation. Each takes in nodes in the order of commit and, where something grows, the newest snapshots; every
// front end draws the same value. Folding the same nodes gives the same scene, so a view can begin at any time by
// reading the store, and a live one and a replay do not differ.
//
// A scene belongs to one goroutine. Rev, where there is one, grows with every change: whoever draws compares it and
// leaves out what has not changed. A node of a kind that nobody is shown, or that does not decode, changes nothing.
package scene

import (
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Sort is what an entry of a conversation is.
type Sort int

// The sorts of entries.
const (
	Said     Sort = iota // by the person
	Answered             // by a model; it ends a turn
	Wrote                // by a model between its calls
	Called               // a tool, with what it came to
	Noted                // by the program
	Held                 // a file or output that was put into the conversation
	Merged               // the conclusion of another branch, of a debate or of a run, as its State says
	Summed               // a summary that stands for what was said before
	Asked                // a question to the person
	Thought              // by a model before what it wrote or called: as much of its reasoning as its vendor shows
)

// What a Merged entry came from, as its State; empty: another branch.
const (
	fromDebate talk.State = "debate"
	fromRun    talk.State = "run"
)

// Entry is one thing on the page of a conversation. It is never changed once it is there, except Asked, which is answered.
type Entry struct {
	Sort   Sort
	Node   tree.ID
	At     time.Time
	Who    string // the model; what is held or merged; of Noted: the command it is the result of
	Text   string
	Aside  bool
	Amid   bool      // of Said: to a turn that was running
	Show   talk.Show // of Called
	Args   string    // of Called: what the tool was called with
	Result string    // of Called: what the model was shown
	// Pictures came with what was said, or with the result of a call.
	Pictures []llm.Attachment
	Whole    string // of Called: the hash of the whole result, where that is only a part
	State    talk.State
	Reason   string     // of Answered and Called: why it failed or stopped
	Usage    cost.Usage // of Answered: of the whole turn
	Took     time.Duration
	Need     *asking.Need
	Answer   *asking.Answered
}

// Source is the heading of a Merged entry.
func (e *Entry) Source() string {
	switch e.State {
	case fromDebate:
		return "Decided in debate " + e.Who
	case fromRun:
		return "Run " + e.Who
	}
	return "Merged from branch " + e.Who
}

// Chat is one branch of a conversation, from its root to its head.
// Make one with NewChat. It holds what is drawn and no more of a node than that.
type Chat struct {
	Tree    conversation.Tree
	Title   string // as conversation.Library.Title, or the first words of what was said
	Entries []Entry
	Set     map[string]string // model, phase, mode, files in the context
	// Mode is what the last turn was held to: a phase or a program can allow less than was set. Empty: it was set again since.
	Mode   string
	Todo   []string         // the lines of the list of things to do
	Spent  []spending.Share // on all branches, as far as they were looked at
	Window int              // tokens of the last call: what the conversation fills of the model's window
	// Live is what grows at the end; zero: nothing does.
	Live feed.Snapshot
	// Rev changes whenever something else does.
	Rev int

	todoTool string
	counted  int64            // what was committed up to here is in Spent
	turn     cost.Usage       // of the turn at hand, so far
	cache    Cache            // of the calls so far
	ids      map[tree.ID]bool // of the nodes on the way to the head
	asked    map[tree.ID]int  // the entry of a question that is open
	since    time.Time        // when the person was asked; zero: they answered
	waited   time.Duration    // so long the turn waited for the person
	said     tree.ID          // by the person last
	over     tree.ID          // what was said and has its answer: nothing grows on it any more
}

// NewChat makes a scene without anything in it. A call of todoTool replaces the list of things to do.
func NewChat(todoTool string) *Chat {
	return &Chat{todoTool: todoTool, ids: map[tree.ID]bool{}, asked: map[tree.ID]int{}, Set: map[string]string{}}
}

// Load starts over with a conversation as it stands: the path to its head, and if they are known, all its nodes, which is what
// it has cost. The path may be the end of one: then what was set before is not known.
func (c *Chat) Load(t conversation.Tree, path, all []tree.Node) {
	made := NewChat(c.todoTool)
	made.Tree, made.Spent = t, spending.Spent(all)
	for _, n := range all {
		made.counted = max(made.counted, n.Seq)
	}
	for _, n := range path {
		made.add(n, ChatBody(n))
	}
	c.Become(made)
}

// Become puts another scene in the place of what is shown; what grows in both goes on.
func (c *Chat) Become(made *Chat) {
	live, rev := c.Live, c.Rev
	*c = *made
	c.Rev += rev + 1
	// What grows belongs to what was said last, and not to an answer that has come meanwhile.
	if live.Of != c.over && (len(c.asked) > 0 || c.ids[live.Of]) {
		c.Live = live
	}
}

// Node takes in a node that was committed, and returns what ChatBody makes of it. here is false of one that does not go on from the
// head: then the branch may have moved, and the conversation must be looked at again.
func (c *Chat) Node(n tree.Node) (body any, here bool) {
	body = ChatBody(n)
	return body, c.take(n, body)
}

func (c *Chat) take(n tree.Node, body any) bool {
	if c.ids[n.ID] {
		return true
	}
	if n.Kind == string(talk.InterjectKind) { // what comes of it is in the branch
		return true
	}
	if t, ok := body.(margin.Title); ok { // hangs beside, whichever branch this is
		c.Title = t.Text
		c.Spent = spending.Add(c.Spent, n.By, t.Usage)
		c.Rev++
		return true
	}
	if a, ok := body.(asking.Answered); ok { // hangs beside what goes on
		if i, open := c.asked[n.Parent]; open {
			c.Entries[i].Answer = &a
			delete(c.asked, n.Parent)
			c.Rev++
		}
		return true
	}
	if s, ok := body.(talk.Said); n.Parent != c.Tree.Head || ok && s.Aside { // so does a side question
		return false
	}
	c.Tree.Head = n.ID
	c.add(n, body)
	return true
}

// Has says whether a node is on the way to the head.
func (c *Chat) Has(id tree.ID) bool { return c.ids[id] }

// Growing takes in what is growing; it says whether something changed.
func (c *Chat) Growing(all map[tree.ID]feed.Snapshot) bool {
	for of, s := range all {
		if c.ids[of] && of != c.over {
			if s != c.Live {
				c.Live = s
				c.Rev++
				return true
			}
			return false
		}
	}
	if c.Live == (feed.Snapshot{}) {
		return false
	}
	c.Live = feed.Snapshot{}
	c.Rev++
	return true
}

// Open is the question that waits for the person; ok is false if there is none.
func (c *Chat) Open() (id tree.ID, need asking.Need, ok bool) {
	last := -1
	for node, i := range c.asked {
		if i > last {
			last, id = i, node
		}
	}
	if last < 0 {
		return "", need, false
	}
	return id, *c.Entries[last].Need, true
}

// Files are the names of the files in the context.
func (c *Chat) Files() []string { return margin.Files(c.Set) }
