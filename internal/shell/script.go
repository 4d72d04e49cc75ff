// Package shell reads, expands and runs shell scripts with one interpreter, so that what is judged is what runs.
//
// A script passes through it three times:
//
//  1. [Parse] (or [Read]) makes a [Script] of its text: every [Command] it can come to, with the arguments, variables, files
//     and folder it will have, as far as these are known before anything runs. Package permission judges that list.
//  2. [Session.Run] runs it with mvdan.cc/sh. [Hooks] are asked again before every command and every file, with what they
//     really are by then, so that what Parse could not know is decided late and not guessed.
//  3. [Hooks.Start] puts each program that is started under the rules of a sandbox.
//
// Parse fails closed. A script that it does not understand completely, that is too long, or in which a part of the
// syntax was not visited, is an error and must not run. What it says is known is exact; what it cannot know it
// marks, in Command.Unknown (arguments) and Command.Name (which program), rather than leaving it out. It runs
// nothing and opens nothing, though it lists folders to expand globs.
//
// The interpreter is not bash. Where a script uses what they do differently, [Read] hands all of it to bash as one
// command, if a sandbox can hold that (Script.InBash).
//
// A Session keeps folder, variables and functions from script to script, as a terminal would; programs that are
// still running when a script ends are ended with it. Scripts of one session run one after the other, and Session
// is safe for concurrent use. Output is passed on as it comes and never after Run has returned.
//
// Redirections open files here and not in the interpreter: only ordinary files, and without following a link that
// was not there when the path was decided on (beneath.go).
package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a script. What is larger is not analysed, and so not run.
const (
	MaxScript   = 64 << 10
	MaxCommands = 50
)

// Script is a parsed script: every command it can come to, in the order in which they stand. It does not change
// once made, and may be run repeatedly, by one session at a time.
type Script struct {
	Commands []Command
	Computes bool // it has arithmetic, or tests variables by name: other shells than ours evaluate text there
	InBash   bool // bash itself runs it, apart from the session: see [Read]
	file     *syntax.File
}

// Command is one command of a script, expanded as far as it can be before anything runs.
type Command struct {
	// Argv is name and arguments. Empty: assignments or redirections alone, a test, or a function's definition.
	Argv []string
	// Unknown says what of its arguments is only known once it runs; empty: Argv is what will be executed.
	Unknown string
	// Name says why its name, or an operator in it, cannot be known or trusted; empty: it can. This is always asked.
	Name      string
	Assigns   []Assign
	Redirects []Redirect
	Function  string // the name of the function it defines
	Own       bool   // as it runs: it is a function, whose commands are asked about one by one
	Dir       string // where it runs; empty: not known before it runs
	Piped     bool   // its standard input is what another command or a here-document says
	// Feed are the commands of the pipe whose output it reads, where that is all it reads and each is known; else nil.
	Feed [][]string
	// Input is the text of a here-document or here-string that it reads, where that is known; else nil.
	Input  *string
	Draft  string // the text of a here-document as it stands in the script, where something in it is replaced before the command reads it
	Behind bool   // runs in the background
	Text   string // as written
}

// Assign is a variable that is set: for the command alone if it has an Argv, else for the script.
type Assign struct {
	Name, Value string
	Known       bool // Value is what it will be
}

// Redirect is a file that a command is connected to. Copies of open files (2>&1) and here-documents are none.
type Redirect struct {
	Path  string
	Write bool
	Known bool // Path is what it will be
}

// Context is where a script would run.
type Context struct {
	Dir string                      // absolute
	Var func(string) (string, bool) // variables that are set; nil: none
	// POSIX reads the script as sh does, to which &> and $'…' are something else than to bash.
	POSIX bool
	// Held says that a sandbox holds what the script starts: see [Read].
	Held bool
}

// feed is what a command reads that is about to run: known where the script has no commands but known ones, and wherever
// these words stand in it they read that. Else it is nil: a guess at what a program reads could be wrong in the
// very case that matters.
func (s *Script) feed(argv []string, dir string) (feed [][]string) {
	for _, c := range s.Commands {
		switch {
		case c.Unknown != "" || c.Name != "" || c.Function != "":
			return nil
		case !slices.Equal(c.Argv, argv) || c.Dir != dir:
		case c.Feed == nil || feed != nil && !slices.EqualFunc(c.Feed, feed, slices.Equal[[]string]):
			return nil
		default:
			feed = c.Feed
		}
	}
	return feed
}

// input is the here-document that a command reads which is about to run, by the same rule.
func (s *Script) input(argv []string, dir string) (input *string) {
	for _, c := range s.Commands {
		switch {
		case c.Name != "" || c.Function != "" || c.Unknown != "" && c.Argv[0] == argv[0]:
			return nil
		case !slices.Equal(c.Argv, argv) || c.Dir != dir:
		case c.Input == nil || input != nil && *input != *c.Input:
			return nil
		default:
			input = c.Input
		}
	}
	return input
}

// Parse reads a script and finds its commands. An error says why it cannot be understood; then it must not run. It
// reads variables and folders of at as they are now: whoever runs the script later must not have changed them in
// between.
func Parse(text string, at Context) (*Script, error) {
	switch {
	case len(text) > MaxScript:
		return nil, fmt.Errorf("the script is longer than %d kB", MaxScript>>10)
	case strings.ContainsRune(text, 0):
		return nil, fmt.Errorf("the script contains a NUL byte")
	case strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "\r"):
		return nil, fmt.Errorf("the script contains a carriage return, which shells read in different ways")
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("the script is empty")
	}
	variant := syntax.LangBash
	if at.POSIX {
		variant = syntax.LangPOSIX
	}
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("it cannot be parsed as a shell script: %w", err)
	}
	s := &Script{file: file, Computes: computes(file)}
	w := newWalker(text, at, file)
	w.stmts(file.Stmts)
	s.Commands = w.found
	if !w.complete(file) {
		return nil, fmt.Errorf("it has an ambiguous part")
	}
	if len(s.Commands) > MaxCommands {
		return nil, fmt.Errorf("it has %d commands; more than %d are not analysed", len(s.Commands), MaxCommands)
	}
	markRedirects(file)
	return s, nil
}

// named ends the name of every file a redirection opens, so that the interpreter takes none for a pipe it made itself: it would open
// such a name, or the link that somebody put there, without asking.
const named = "/."

func markRedirects(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		r, ok := n.(*syntax.Redirect)
		if !ok || r.Word == nil || !slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll,
			syntax.AppAll, syntax.RdrInOut, syntax.RdrClob}, r.Op) {
			return true
		}
		if len(r.Word.Parts) == 1 {
			if _, own := r.Word.Parts[0].(*syntax.ProcSubst); own {
				return true
			}
		}
		r.Word.Parts = append(r.Word.Parts, &syntax.SglQuoted{Value: named})
		return true
	})
}
