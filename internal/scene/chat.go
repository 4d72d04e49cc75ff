// Package scene folds news into what a screen shows: the current state of conversations and debates. It is pure: it
// knows no terminal, opens no file and starts nothing.
//
// There are four scenes: [Chat] is a branch of a conversation, [Room] a debate, [Run] one turn, [Contest] an
// evaluation. Each is fed nodes in the order of commit and, where text grows, the newest snapshots; every front end
// draws the same value. Folding the same nodes gives the same scene, so a view can begin at any time by reading the
// store, and live view and replay are the same.
//
// A scene belongs to one goroutine. Rev, where there is one, grows with every change: a front end compares it and
// redraws only what has changed. A node that does not decode, or of a kind that is not shown, changes nothing.
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

// Sort is the type of an entry of a conversation.
type Sort int

// The sorts of entries.
const (
	Said     Sort = iota // by the person
	Answered             // by a model, at the end of a turn
	Wrote                // by a model between its calls
	Called               // a tool, with its result
	Noted                // by the program
	Held                 // a file or output that was added to the conversation
	Merged               // the conclusion of another branch, of a debate or of a run, as its State says
	Summed               // a summary that replaces earlier messages
	Asked                // a question to the person
	Thought              // by a model before what it wrote or called: as much of its reasoning as its vendor shows
)

// The State of a Merged entry says where it came from; empty: another branch.
const (
	fromDebate talk.State = "debate"
	fromRun    talk.State = "run"
)

// Entry is one item on the page of a conversation. It never changes, except Asked, which gets an answer.
type Entry struct {
	Sort   Sort
	Node   tree.ID
	At     time.Time
	Who    string // the model; the name of what is held or merged; of Noted: the command whose result it is
	Text   string
	Aside  bool
	Amid   bool      // of Said: sent to a running turn
	Show   talk.Show // of Called
	Args   string    // of Called: what the tool was called with
	Result string    // of Called: what the model was shown
	// Pictures came with what was said, or with the result of a call.
	Pictures []llm.Attachment
	Whole    string // of Called: the hash of the whole result, if Result is only a part
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

// Chat is one branch of a conversation, from its root to its head. Make one with NewChat. Of a node it keeps only what is drawn.
type Chat struct {
	Tree    conversation.Tree
	Title   string // as conversation.Library.Title, or the beginning of the first message
	Unsaid  bool   // Title is how it began, until there is a message
	Entries []Entry
	Set     map[string]string // model, phase, mode, files in the context
	// Mode is the mode of the last turn: a phase or a program can allow less than the setting. Empty: it was set again since.
	Mode   string
	Todo   []string         // the lines of the to-do list
	Spent  []spending.Share // on all branches, as far as they were read
	Window int              // tokens of the last call: how much of the model's window the conversation fills
	// Live is the growing text at the end; zero: nothing grows.
	Live feed.Snapshot
	// Rev changes whenever anything else does.
	Rev int

	todoTool string
	counted  int64            // nodes up to this number are in Spent
	turn     cost.Usage       // of the current turn, so far
	cache    Cache            // of the calls so far
	ids      map[tree.ID]bool // of the nodes on the way to the head
	asked    map[tree.ID]int  // the entry of each open question
	since    time.Time        // when the person was asked; zero: no question is open
	waited   time.Duration    // how long the turn waited for the person
	said     tree.ID          // the person's last message
	over     tree.ID          // the last message that has its answer: nothing grows on it any more
}

// NewChat returns an empty scene. A call of todoTool replaces the to-do list.
func NewChat(todoTool string) *Chat {
	return &Chat{todoTool: todoTool, ids: map[tree.ID]bool{}, asked: map[tree.ID]int{}, Set: map[string]string{}}
}

// Load starts over with a conversation: the path to its head and, if known, all its nodes, from which the cost is computed. The path may
// lack its beginning: then earlier settings are not known.
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

// Become replaces the scene with another; a text that grows in both stays.
func (c *Chat) Become(made *Chat) {
	live, rev := c.Live, c.Rev
	*c = *made
	c.Rev += rev + 1
	// A growing text belongs to the last message, not to an answer that has arrived in the meantime.
	if live.Of != c.over && (len(c.asked) > 0 || c.ids[live.Of]) {
		c.Live = live
	}
}

// Node adds a committed node, and returns its ChatBody. here is false for a node that does not follow the head: then the branch may have
// moved, and the conversation must be read again.
func (c *Chat) Node(n tree.Node) (body any, here bool) {
	body = ChatBody(n)
	return body, c.take(n, body)
}

func (c *Chat) take(n tree.Node, body any) bool {
	if c.ids[n.ID] {
		return true
	}
	if n.Kind == string(talk.InterjectKind) { // its effect is in the branch
		return true
	}
	if t, ok := body.(margin.Title); ok { // not part of a branch
		c.Title, c.Unsaid = t.Text, false
		c.Spent = spending.Add(c.Spent, n.By, t.Usage)
		c.Rev++
		return true
	}
	if a, ok := body.(asking.Answered); ok { // not part of the path
		if i, open := c.asked[n.Parent]; open {
			c.Entries[i].Answer = &a
			delete(c.asked, n.Parent)
			c.Rev++
		}
		return true
	}
	if s, ok := body.(talk.Said); n.Parent != c.Tree.Head || ok && s.Aside { // nor is a side question
		return false
	}
	c.Tree.Head = n.ID
	c.add(n, body)
	return true
}

// Has reports whether a node is on the path to the head.
func (c *Chat) Has(id tree.ID) bool { return c.ids[id] }

// Growing updates the growing text; it reports whether something changed.
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

// Open returns the question that waits for the person; ok is false if there is none.
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
