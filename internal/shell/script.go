// Package shell parses, expands and runs shell scripts with one interpreter, so that what is judged is what runs.
//
// A script passes through it three times:
//
//  1. [Parse] (or [Read]) turns its text into a [Script]: every [Command] it can reach, with its arguments, variables, files
//     and folder, as far as these are known before anything runs. Package permission judges that list.
//  2. [Session.Run] runs it with mvdan.cc/sh. [Hooks] are asked again before every command and every file, with the
//     actual values, so that what Parse could not know is decided late and not guessed.
//  3. [Hooks.Start] puts each program that is started into a sandbox.
//
// Parse fails closed. A script that it does not understand completely, that is too long, or in which a part of the
// syntax was not visited, is an error and must not run. What it reports as known is exact; what it cannot know it
// marks, in Command.Unknown (arguments) and Command.Name (which program), rather than leaving it out. It runs nothing
// and opens nothing, though it lists folders to expand globs.
//
// The interpreter is not bash. If a script uses what they do differently, [Read] passes all of it to bash as one
// command, if a sandbox can restrict that (Script.InBash).
//
// A Session keeps folder, variables and functions from script to script, like a terminal; programs that are still
// running when a script ends are ended with it. Scripts of one session run one after the other, and Session is safe for
// concurrent use. Output is forwarded as it arrives and never after Run has returned.
//
// Redirections open files here and not in the interpreter: only ordinary files, and without following a link that was
// not there when the path was decided on (beneath.go).
package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a script. A larger one is not analysed, and so not run.
const (
	MaxScript   = 64 << 10
	MaxCommands = 50
)

// Script is a parsed script: every command it can reach, in the order of the text. It does not change once made, and
// may be run repeatedly, by one session at a time.
type Script struct {
	Commands []Command
	Computes bool // it has arithmetic, or tests variables by name: other shells evaluate text there
	InBash   bool // bash itself runs it, outside the session: see [Read]
	file     *syntax.File
}

// Command is one command of a script, expanded as far as possible before anything runs.
type Command struct {
	// Argv is the name and the arguments. Empty: only assignments or redirections, a test, or a function definition.
	Argv []string
	// Unknown says which of its arguments are only known at run time; empty: Argv is what will be executed.
	Unknown string
	// Name says why its name, or an operator in it, cannot be known or trusted; empty: it can. Such a command always needs approval.
	Name      string
	Assigns   []Assign
	Redirects []Redirect
	Function  string // the name of the function it defines
	Own       bool   // at run time: it is a function, whose commands are judged one by one
	Dir       string // where it runs; empty: only known at run time
	Piped     bool   // its standard input is the output of another command or a here-document
	// Feed are the commands of the pipe whose output it reads, if that is all it reads and each is known; otherwise nil.
	Feed [][]string
	// Input is the text of a here-document or here-string that it reads, if that is known; otherwise nil.
	Input  *string
	Draft  string // the literal text of a here-document in which something is expanded before the command reads it
	Behind bool   // runs in the background
	Text   string // as written
}

// Assign is a variable that is set: only for the command if it has an Argv, otherwise for the script.
type Assign struct {
	Name, Value string
	Known       bool // Value is the final value
}

// Redirect is a file that a command's input or output is redirected to. Copies of open files (2>&1) and here-documents do not count.
type Redirect struct {
	Path  string
	Write bool
	Known bool // Path is the final path
}

// Context describes where a script would run.
type Context struct {
	Dir string                      // absolute
	Var func(string) (string, bool) // variables that are set; nil: none
	// POSIX parses the script like sh, for which &> and $'…' mean something other than for bash.
	POSIX bool
	// Held means that a sandbox restricts what the script starts: see [Read].
	Held bool
}

// feed is the input of a command that is about to run. It is known if all commands of the script are, and if these
// words read the same input wherever they occur. Otherwise it is nil: a guess about a program's input could be wrong in
// the very case that matters.
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

// Parse parses a script and finds its commands. An error says why it cannot be understood; then it must not run. It
// uses the variables and folders of at as they are now: they must not change before the script runs.
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

// named is a suffix of the name of every file a redirection opens, so that the interpreter mistakes none for a pipe it created itself: it
// would open such a name, or a link put there, without asking.
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
