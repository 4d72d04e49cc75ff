package slash

import "testing"

// Phase, mode and model are those of the conversation that begins next, or of the one there is.
func TestModes(t *testing.T) {
	talked(t, desk(t), `
		>> /phase
		  * chat      talk
		    planner   make a plan
		    executor
		>> /mode
		    plan      reads only
		    paranoid  reads in the project; all else is asked
		  * balanced  reads, and writes in the project; commands that change things are asked
		    yolo      all but what cannot be undone, what leaves the project, and what is never allowed
		>> /models
		one answers. Ready are:
		  * one
		    two
		>> /mode yolo
		The mode is yolo now.
		>> /mode
		    plan      reads only
		    paranoid  reads in the project; all else is asked
		    balanced  reads, and writes in the project; commands that change things are asked
		  * yolo      all but what cannot be undone, what leaves the project, and what is never allowed
		>> /phase planner
		The phase is planner now.
		>> /phase
		    chat      talk
		  * planner   make a plan
		    executor
		>> /models beta
		The model is beta now.
		>> /models
		beta answers. Ready are:
		    one
		    two
		>> /next
		The phase is executor now.
		>> /phase nothing
		error: there is no such page
		>> /mode nothing
		refused: there is no mode "nothing": plan, paranoid, balanced or yolo
		>> /next go on
		refused: no phase follows executor (/phase lists them)
		>> /phase
		    chat      talk
		    planner   make a plan
		  * executor
		>> /plan
		The phase is planner now.
		>> /plan make one
		says in TREE: make one [phase planner]
		>> /exec
		The phase is executor now.
		>> /review
		The phase is reviewer now.
		>> /socrates why
		says in TREE: why [phase socrates]
		>> /clear
		What you say next begins a new conversation. The old one is kept as TREE.
		>> /models
		beta answers. Ready are:
		    one
		    two
		>> hello
		says in TREE: hello
		>> /clear
		What you say next begins a new conversation. The old one is kept as TREE.
		>> again
		says in TREE: again
	`)
}

// The commands that go about in the tree say where the conversation stands and what that means.
func TestTree(t *testing.T) {
	talked(t, desk(t), `
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
		You are on the new branch side.
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
		You are on the branch main.
		Here the last thing you said is: one more
		>> /switch
		refused: /switch needs a branch; /branches lists them (see: /help switch)
		>> /switch nowhere
		refused: there is no branch, label or single node nowhere in TREE (socrates tree show TREE --nodes lists them)
		>> /switch side --files
		You are on the branch side.
		Here the last thing you said is: on the side
		No files needed changing.
		told
		>> /switch side --all
		refused: /switch does not know --all (it knows --files)
		>> /label here
		It is named here: /back here comes back here.
		>> /label
		refused: /label needs a name (see: /help label)
		>> /back
		Here the last thing you said is: one more
		>> /back 0
		refused: /back needs how many turns, a number from 1 (see: /help back)
		>> /back 10000
		refused: /back needs how many turns, a number from 1 (see: /help back)
		>> /back x
		refused: there is no branch, label or single node x in TREE (socrates tree show TREE --nodes lists them)
		>> /back here
		Here the last thing you said is: on the side
		>> /back --files
		Here the last thing you said is: one more
		No files needed changing.
		told
		>> /back --x
		refused: /back does not know --x (it knows --files)
		>> /diff main
		Only in main:

		Nothing.

		Only in HEAD:

		Nothing.
		>> /diff main side
		Only in main:

		Nothing.

		Only in side:

		Nothing.
		>> /diff
		refused: /diff needs one place or two (see: /help diff)
		>> /diff a b c
		refused: /diff needs one place or two (see: /help diff)
		>> /merge
		refused: /merge needs a branch; /branches lists them (see: /help merge)
		>> /merge main
		What main came to is part of this branch now.
		>> /merge main what it came to
		What main came to is part of this branch now.
		>> /history
		> hello

		you said hello

		> one more

		you said one more

		[what main came to]
		you said one more

		[what main came to]
		what it came to
		>> /history 1
		> one more

		you said one more

		[what main came to]
		you said one more

		[what main came to]
		what it came to
		>> /history 0
		refused: /history needs how many turns, a number from 1 (see: /help history)
		>> /history x
		refused: /history needs how many turns, a number from 1 (see: /help history)
		>> /cost
		  one  3 calls, 30 tokens in, 9 of them from the cache, 15 out, $0.0300

		2 of 3 calls are on the way to here; the others were made on branches, or were gone back from.
		>> /retry
		says in TREE: [again]
		>> /retry beta
		says in TREE: [again] [model beta]
		>> /retry --files
		says in TREE: [again] [files]
		>> /retry --x
		refused: /retry does not know --x (it knows --files)
		>> /aside what is this?
		says in TREE: what is this? [aside]
		>> /aside
		refused: /aside needs something to ask (see: /help aside)
		>> /compact
		compacts TREE
		>> /undo
		refused: nothing to undo: no turn of this conversation has changes that can be taken back
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
	talked(t, desk(t), `
		>> /cost
		refused: nothing was said yet
		>> /mode yolo
		The mode is yolo now.
		>> /plan
		The phase is planner now.
		>> /context add a.go
		  a.go  shown with the next thing you say
		>> /cost
		Nothing was spent yet.
		>> /history
		Nothing was said yet.
		>> /back
		refused: there are only 0 turns to go back
		>> /retry
		says in TREE: [again]
		failed: nothing was said yet that could be answered again
		>> /merge nothing
		refused: there is no branch, label or single node nothing in TREE (socrates tree show TREE --nodes lists them)
		>> /diff main
		Only in main:

		Nothing.

		Only in HEAD:

		Nothing.
		>> /diff main nothing
		refused: there is no branch, label or single node nothing in TREE (socrates tree show TREE --nodes lists them)
		>> /fork x nowhere
		refused: there is no branch, label or single node nowhere in TREE (socrates tree show TREE --nodes lists them)
		>> /fork
		You are on the new branch branch-2.
		>> /fork main
		refused: there is a branch named main already (go there with: socrates tree switch TREE main)
		>> /label x nowhere
		refused: there is no branch, label or single node nowhere in TREE (socrates tree show TREE --nodes lists them)
		>> /models nobody
		refused: nobody is no model
		>> /memory
		Nothing is kept here yet: /remember TEXT
	`)
}

// Files named with an @, or added, are held; a document is written only with a title.
func TestFiles(t *testing.T) {
	talked(t, desk(t), `
		>> /context
		No file is in the context: /context add FILE
		>> /context list
		No file is in the context: /context add FILE
		>> /context add
		refused: /context needs add or remove, and a file; or list (see: /help context)
		>> /context x a.go
		refused: /context needs add or remove, and a file; or list (see: /help context)
		>> /context add a.go b.go
		  a.go  shown with the next thing you say
		  b.go  shown with the next thing you say
		>> /context list
		  a.go  shown with the next thing you say
		  b.go  shown with the next thing you say
		>> look @b.go, and @c.go and @a.go:1-2!
		says in TREE: look @b.go, and @c.go and @a.go:1-2!
		>> /context
		  a.go      shown, 10 bytes
		  a.go:1-2  shown, 10 bytes
		  b.go      shown, 10 bytes
		>> /context remove a.go
		  a.go:1-2  shown, 10 bytes
		  b.go      shown, 10 bytes
		>> /context remove none
		refused: none is not in the context (it holds: a.go:1-2, b.go, nothing else)
		>> /context add nothing.go
		refused: there is no file nothing.go
		>> /new
		  bug  what is wrong
		>> /new bug
		refused: /new needs a title behind bug (see: /help new)
		>> /new bug It breaks
		writes bugs/it-breaks.md: # It breaks
		>> /new x y
		refused: there is no kind x (there are: bug)
	`)
}

// Notes hold for the project or everywhere, until they are forgotten by number.
func TestMemory(t *testing.T) {
	talked(t, desk(t), `
		>> /memory
		Nothing is kept here yet: /remember TEXT
		>> /remember
		refused: /remember needs something to keep (see: /help remember)
		>> /remember keep this
		Kept as note 1. /memory lists what is kept, /forget 1 forgets it.
		>> /remember --everywhere
		refused: /remember needs something to keep (see: /help remember)
		>> /remember --everywhere keep that
		Kept as note 2. /memory lists what is kept, /forget 2 forgets it.
		>> /memory
		2. keep that
		1. keep this
		>> /memory that
		2. keep that
		>> /memory nothing
		No note has all of these words: nothing
		>> /forget
		refused: /forget needs the number of a note; /memory lists them (see: /help forget)
		>> /forget x
		refused: /forget needs the number of a note; /memory lists them (see: /help forget)
		>> /forget 1
		Forgot note 1.
		>> /forget 99
		refused: there is no note 99 (socrates memory list shows them, with --deleted those in the trash)
		>> /memory
		2. keep that
		>> hello
		says in TREE: hello
		>> /remember third
		Kept as note 3. /memory lists what is kept, /forget 3 forgets it.
	`)
}

// What is no command is refused with the nearest; pages and skills are said.
func TestOthers(t *testing.T) {
	talked(t, desk(t), `
		>> /debate
		refused: /debate needs a question (see: /help debate)
		>> /debate "A or B?"
		debates A or B?
		>> /debate --fast x
		refused: /debate takes a question alone (on the screen /seats chooses who sits, else: socrates config set seats)
		>> /login
		A key or a sign-in is not typed here, where it would be kept. In another terminal: program login
		>> /quit
		leaves
		>> /exit
		leaves
		>> /q
		leaves
		>> /nothing
		refused: there is no command /nothing (/help lists the commands; a blank before the / says it to the model)
		>> /tre
		refused: there is no command /tre (did you mean /tree?)
		>> /init
		says in TREE:
		>> /sums
		says in TREE: Use the skill sums: read  first, and do as it says.
		>> /sums now
		says in TREE: Use the skill sums: read  first, and do as it says.

		now
		>> /help sums
		/sums [TEXT]
		  skill:
		>> /help /tree
		/tree
		  draw the conversation with all its branches
		>> /help nothing
		refused: there is no command /nothing (/help lists the commands; a blank before the / says it to the model)
		>> ! ls
		runs in TREE: ls
		failed: there is nothing to run
		>> !
		runs in TREE:
		failed: there is nothing to run
	`)
}
