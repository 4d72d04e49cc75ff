package slash

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Phase, mode and model are those of the conversation that begins next, or of the one there is.
func TestModes(t *testing.T) {
	talked(t, newEnv(t), `
		>> /phase
		  * chat      talk
		    planner   make a plan
		    reviewer
		>> /mode
		    plan      read-only
		    paranoid  reads inside the project; asks for everything else
		  * balanced  reads and writes inside the project; asks before commands that change things
		    yolo      everything except irreversible, external and forbidden actions
		>> /models
		model: one
		available:
		  * one
		    two
		>> /mode yolo
		mode: yolo
		>> /mode
		    plan      read-only
		    paranoid  reads inside the project; asks for everything else
		    balanced  reads and writes inside the project; asks before commands that change things
		  * yolo      everything except irreversible, external and forbidden actions
		>> /phase planner
		now in phase planner; /phase chat leaves it
		>> /phase
		    chat      talk
		  * planner   make a plan
		    reviewer
		>> /models beta
		model: beta
		>> /models
		model: beta
		available:
		    one
		    two
		>> /next
		refused: no plan to execute (this is phase planner: say what to plan, or /useplan FILE)
		>> /phase nothing
		error: no such page
		>> /mode nothing
		refused: unknown mode "nothing": use plan, paranoid, balanced or yolo
		>> /phase reviewer
		now in phase reviewer; /phase chat leaves it
		>> /next go on
		refused: no phase after reviewer (list phases: /phase)
		>> /plan
		now in phase planner; /phase chat leaves it
		>> /plan make one
		says in TREE: make one [phase planner]
		>> /exec
		refused: no plan to execute (this is phase planner: say what to plan, or /useplan FILE)
		>> /review
		now in phase reviewer; /phase chat leaves it
		>> /socrates why
		now in phase socrates; /phase chat leaves it
		says in TREE: why [phase socrates]
		>> /clear
		new conversation; the previous one is saved as TREE
		>> /models
		model: beta
		available:
		    one
		    two
		>> hello
		says in TREE: hello
		>> /clear
		new conversation; the previous one is saved as TREE
		>> again
		says in TREE: again
	`)
}

// The commands that go about in the tree say where the conversation stands and what that means.
func TestTree(t *testing.T) {
	talked(t, newEnv(t), `
		>> hello
		says in TREE: hello
		>> one more
		says in TREE: one more
		>> /tree
		***** (TREE)
		***** User: hello
		***** Assistant: you said hello
		***** User: one more
		***** Assistant: you said one more  (main, you are here)
		>> /branches
		  * main  Assistant: you said one more
		>> /leaves
		  ***** Assistant: you said one more
		>> /fork side
		switched to new branch side
		>> /tree
		***** (TREE)
		***** User: hello
		***** Assistant: you said hello
		***** User: one more
		***** Assistant: you said one more  (main; side, you are here)
		>> on the side
		says in TREE: on the side
		>> /branches
		    main  Assistant: you said one more
		  * side  Assistant: you said on the side
		>> /leaves
		  ***** Assistant: you said on the side
		>> /switch main
		switched to branch main
		your last message here: one more
		>> /switch
		refused: /switch needs a branch; /branches lists them (see: /help switch)
		>> /switch nowhere
		refused: no branch, label or node named nowhere (list nodes: /tree)
		>> /switch side --files
		switched to branch side
		your last message here: on the side
		no files needed changing
		told
		>> /switch side --all
		refused: /switch has no option --all (its options: --files)
		>> /label here
		labelled here; return with /back here
		>> /label
		refused: /label needs a name (see: /help label)
		>> /search nothing like it
		no matches in this folder's conversations
		>> /search
		refused: /search needs the words to search for (see: /help search)
		>> /back
		your last message here: one more
		forward again: /back *****
		>> /back 0
		refused: /back needs a number of turns, 1 or more (see: /help back)
		>> /back 10000
		refused: /back needs a number of turns, 1 or more (see: /help back)
		>> /back x
		refused: no branch, label or node named x (list nodes: /tree)
		>> /back here
		your last message here: on the side
		forward again: /back *****
		>> /back --files
		your last message here: one more
		forward again: /back ***** --files
		no files needed changing
		told
		>> /back --x
		refused: /back has no option --x (its options: --files)
		>> /diff main
		Only in main:

		nothing

		Only in HEAD:

		nothing
		>> /diff main side
		Only in main:

		nothing

		Only in side:

		nothing
		>> /diff
		no files changed in this conversation
		>> /diff a b c
		refused: /diff needs at most two nodes (see: /help diff)
		>> /merge
		refused: /merge needs a branch; /branches lists them (see: /help merge)
		>> /merge main
		merged main into this branch
		>> /merge main what it came to
		merged main into this branch
		>> /history
		> hello

		you said hello

		> one more

		you said one more

		[Merged from branch main]
		you said one more

		[Merged from branch main]
		what it came to
		>> /history 1
		> one more

		you said one more

		[Merged from branch main]
		you said one more

		[Merged from branch main]
		what it came to
		>> /history 0
		refused: /history needs a number of turns, 1 or more (see: /help history)
		>> /history x
		refused: /history needs a number of turns, 1 or more (search: /search x)
		>> /cost
		  one  3 calls, 30 tokens in (9 cached), 15 out, $0.03

		2 of 3 calls are on this branch, the rest on others
		>> /retry
		says in TREE: [again]
		>> /retry beta
		says in TREE: [again] [model beta]
		>> /retry --files
		says in TREE: [again] [files]
		>> /retry --x
		refused: /retry has no option --x (its options: --files)
		>> /aside what is this?
		says in TREE: what is this? [aside]
		>> /aside
		refused: /aside needs a question (see: /help aside)
		>> /compact
		compacts TREE
		>> /undo
		refused: nothing to undo: no turn of this conversation changed files of the project (to restore the history that was compacted: /compact undo)
		>> /redo
		refused: nothing to redo
		>> /export
		md of a tree
		>> /export x.md
		writes x.md: md of a tree
		>> /export x.html
		writes x.html: html of a tree
		>> /export x.json
		writes x.json: json of a tree
		>> /export x.txt
		writes x.txt: md of a tree
	`)
}

// A conversation that has begun with settings alone has nothing to go back to, sum up or merge.
func TestNothingSaid(t *testing.T) {
	talked(t, newEnv(t), `
		>> /cost
		refused: this conversation has no messages yet
		>> /mode yolo
		mode: yolo
		>> /plan
		now in phase planner; /phase chat leaves it
		>> /context add a.go
		  a.go  shown with your next message
		>> /cost
		no cost yet
		>> /history
		no messages yet
		>> /back
		refused: cannot step back that far (turns so far: 0)
		>> /retry
		says in TREE: [again]
		failed: nothing to retry
		>> /merge nothing
		refused: no branch, label or node named nothing (list nodes: /tree)
		>> /diff main
		Only in main:

		nothing

		Only in HEAD:

		nothing
		>> /diff main nothing
		refused: no branch, label or node named nothing (list nodes: /tree)
		>> /fork x nowhere
		refused: no branch, label or node named nowhere (list nodes: /tree)
		>> /fork
		switched to new branch branch-2
		>> /fork main
		refused: branch main already exists (switch to it: /switch main)
		>> /label x nowhere
		refused: no branch, label or node named nowhere (list nodes: /tree)
		>> /models nobody
		refused: nobody is no model
		>> /memory
		no notes yet; add one: /remember TEXT
	`)
}

// Files named with an @, or added, are held; a document is written only with a title.
func TestFiles(t *testing.T) {
	talked(t, newEnv(t), `
		>> /context
		no files in context; add one: /context add FILE
		>> /context list
		no files in context; add one: /context add FILE
		>> /context add
		refused: /context needs add FILE, remove FILE or list (see: /help context)
		>> /context x a.go
		refused: /context needs add FILE, remove FILE or list (see: /help context)
		>> /context add a.go b.go
		  a.go  shown with your next message
		  b.go  shown with your next message
		>> /context list
		  a.go  shown with your next message
		  b.go  shown with your next message
		>> who is @anna, what is @lib/no.go
		no such file: lib/no.go (sent as text)
		says in TREE: who is @anna, what is @lib/no.go
		>> look @b.go, and @c.go and @a.go:1-2!
		no such file: c.go (sent as text)
		says in TREE: look @b.go, and @c.go and @a.go:1-2!
		>> /context list
		  a.go      shown, 10 bytes
		  a.go:1-2  shown, 10 bytes
		  b.go      shown, 10 bytes
		>> /context remove a.go
		  a.go:1-2  shown, 10 bytes
		  b.go      shown, 10 bytes
		>> /context remove none
		refused: none is not in the context (in context: a.go:1-2, b.go, nothing else)
		>> /context add nothing.go
		refused: no file nothing.go
		>> /new
		  bug  what is wrong
		create one: /new KIND TITLE. To start another conversation: /quit, then socrates chat
		>> /new bug
		refused: /new needs a title after bug (see: /help new)
		>> /new bug It breaks
		writes bugs/it-breaks.md: # It breaks
		>> /new x y
		refused: unknown kind x (known kinds: bug. To start another conversation: /quit, then socrates chat)
	`)
}

// Notes hold for the project or everywhere, until they are forgotten by number.
func TestMemory(t *testing.T) {
	talked(t, newEnv(t), `
		>> /memory
		no notes yet; add one: /remember TEXT
		>> /remember
		refused: /remember needs a text (see: /help remember)
		>> /remember keep this
		note 1 saved (list: /memory; delete: /forget 1)
		>> /remember --everywhere
		refused: /remember needs a text (see: /help remember)
		>> /remember --everywhere keep that
		note 2 saved (list: /memory; delete: /forget 2)
		>> /memory
		2. keep that
		1. keep this
		>> /memory that
		2. keep that
		>> /memory nothing
		no note contains all of these words: nothing
		>> /forget
		refused: /forget needs a note's number; /memory lists them (see: /help forget)
		>> /forget x
		refused: /forget needs a note's number; /memory lists them (see: /help forget)
		>> /forget 1
		deleted note 1
		>> /forget 99
		refused: no note 99 (list notes: socrates memory list (with --deleted: those in the trash))
		>> /memory
		2. keep that
		>> hello
		says in TREE: hello
		>> /remember third
		note 3 saved (list: /memory; delete: /forget 3)
	`)
}

// What is no command is refused with the nearest; pages and skills are said.
func TestOthers(t *testing.T) {
	talked(t, newEnv(t), `
		>> /debate
		refused: /debate needs a question (see: /help debate)
		>> /debate "A or B?"
		debates A or B?
		>> /debate --fast x
		refused: /debate has no flag --fast (its flags: --allow-check, --allow-source, --budget, --context, --economy, --effort, --files, --follow, --grace, --judge, --max-tokens, --moderator, --no-history, --option, --preset, --rounds, --seat, --seat-timeout, --seed, --strategy, --timeout, --tool-calls)
		>> /login
		do not type keys here: conversations are saved; in another terminal, run: program login
		>> /quit
		leaves
		>> /exit
		leaves
		>> /q
		leaves
		>> /nothing
		refused: unknown command /nothing (list commands: /help; to send it as a message, type a space before the /)
		>> /tre
		refused: unknown command /tre (did you mean /tree?)
		>> /checkpoint
		refused: unknown command /checkpoint (did you mean /undo?)
		>> /init
		says in TREE:
		>> /sums
		says in TREE: Use the skill sums: read  first, and follow it.
		>> /sums now
		says in TREE: Use the skill sums: read  first, and follow it.

		now
		>> /help sums
		/sums [TEXT]
		  skill:
		>> /help /tree
		/tree
		  show all branches
		>> /help nothing
		refused: unknown command /nothing (list commands: /help; to send it as a message, type a space before the /)
		>> /work skip gone 1
		refused: no run named gone (list runs: /work)
		>> /work approve 1
		refused: no runs in this project (execute a plan: /exec)
		>> ! ls
		runs in TREE: ls
		failed: no command given
		>> !
		runs in TREE:
		failed: no command given
	`)
}

// What an entry of the record is as people read it.
func TestPart(t *testing.T) {
	for want, e := range map[string]scene.Entry{
		"  · ls":                    {Sort: scene.Called, Text: "ls"},
		"  · rm x: denied":          {Sort: scene.Called, Text: "rm x", Reason: "denied"},
		"  · ls a: one two":         {Sort: scene.Called, Text: "ls\na", Reason: "one\ntwo"},
		"yes":                       {Sort: scene.Answered, Text: "yes", State: talk.Done},
		"half\n\n[failed: gone]":    {Sort: scene.Answered, Text: "half", State: talk.Failed, Reason: "gone"},
		"[failed: gone]":            {Sort: scene.Answered, State: talk.Failed, Reason: "gone"},
		"[ann] hello":               {Sort: scene.Said, Who: "ann", Text: "hello"},
		"> hello":                   {Sort: scene.Said, Text: "hello"},
		"[Merged from branch b]\nx": {Sort: scene.Merged, Who: "b", Text: "x"},
	} {
		if got := part(e); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Changes are left if the last state of the files is not the first one.
func TestLeft(t *testing.T) {
	for states, want := range map[string]bool{"": false, "a": false, "a a": false, "a b": true, "a b a": false, "a b c": true} {
		var turn []tree.Node
		for _, state := range strings.Fields(states) {
			turn = append(turn, margin.SnapKind.New("", "code", margin.Snap{Tree: state}))
		}
		if left(turn) != want {
			t.Errorf("%q: %t", states, !want)
		}
	}
}
