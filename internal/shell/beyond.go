package shell

import (
	"os/exec"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Read parses a script like [Parse]. If the script uses what our interpreter does differently from bash, it becomes one command, bash -c,
// provided there is a bash and a sandbox for it: it is judged as such, and runs as a separate program, so that its variables, functions
// and folder do not last. The person is then asked about one line, bash -c, with the whole script in it.
func Read(text string, at Context) (*Script, error) {
	script, err := Parse(text, at)
	if err != nil || !at.Held || !script.beyond() {
		return script, err
	}
	if _, missing := exec.LookPath("bash"); missing != nil {
		return script, nil
	}
	whole, err := Parse(Quote([]string{"bash", "-c", text}), at)
	if err != nil {
		return nil, err
	}
	whole.InBash = true
	return whole, nil
}

// bashBuiltins are built-ins that our interpreter lacks, or runs differently from bash.
var bashBuiltins = set(`trap alias unalias source . ulimit jobs fg bg disown eval caller compgen complete enable help history times suspend
	select type hash getopts wait let`)

// set returns a set of the words in a list.
func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// onlyBash are variables that only bash sets.
var onlyBash = set(`BASH_VERSION BASH_VERSINFO BASHPID BASH_SOURCE BASH_LINENO BASH_COMMAND BASH_SUBSHELL FUNCNAME PIPESTATUS EPOCHSECONDS
	EPOCHREALTIME SHLVL SECONDS MACHTYPE HOSTTYPE OSTYPE ! - _ 0`)

// ownWays are operators of variables that are only allowed if bash itself runs them in a sandbox.
var ownWays = []syntax.ParExpOperator{syntax.OtherParamOps, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset,
	syntax.ErrorUnsetOrNull}

// beyond reports whether a script uses what our interpreter does differently from bash. A construct belongs here once
// it was seen to behave differently; a script that only looks unusual still runs in the session.
func (s *Script) beyond() (found bool) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			found = found || callBeyond(n) || dropsTemporary(s.file, n)
		case *syntax.CoprocClause, *syntax.LetClause:
			found = true
		case *syntax.DeclClause:
			found = found || n.Variant.Value == "readonly" // ours continues after a second assignment
			for _, a := range n.Args {
				option := ""
				if a.Value != nil {
					option = a.Value.Lit()
				}
				found = found || strings.HasPrefix(option, "-") && option != "-x" && option != "-a" && option != "-g"
			}
		case *syntax.ForClause:
			found = found || n.Select
		case *syntax.ParamExp:
			found = found || n.Param != nil && onlyBash[n.Param.Value] || n.Excl || n.Exp != nil && slices.Contains(ownWays, n.Exp.Op)
		case *syntax.Redirect:
			found = found || n.N != nil && n.N.Value != "0" && n.N.Value != "1" && n.N.Value != "2" || beyondNumber(n)
		case *syntax.Stmt:
			found = found || template(n)
		case *syntax.BinaryCmd:
			found = found || (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && keeps(s.file, n.Y)
		}
		return !found
	})
	return found
}

// dropsTemporary reports whether a command deletes what the script itself created with mktemp: bash in the sandbox knows the name, and the
// one decision about the script covers it.
func dropsTemporary(file *syntax.File, c *syntax.CallExpr) (found bool) {
	if len(c.Args) < 2 || c.Args[0].Lit() != "rm" {
		return false
	}
	made := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil && a.Value != nil && makesTemporary(a.Value) {
			made[a.Name.Value] = true
		}
		return true
	})
	for _, w := range c.Args[1:] {
		syntax.Walk(w, func(n syntax.Node) bool {
			p, ok := n.(*syntax.ParamExp)
			found = found || ok && p.Param != nil && made[p.Param.Value]
			return true
		})
	}
	return found
}

// makesTemporary reports whether a word calls mktemp.
func makesTemporary(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		found = found || ok && len(c.Args) > 0 && c.Args[0].Lit() == "mktemp"
		return true
	})
	return found
}

// callBeyond is beyond for one command, by its literal name: a computed name needs approval anyway.
func callBeyond(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	switch name := c.Args[0].Lit(); name {
	case "exec":
		return len(c.Args) == 1
	case "umask":
		return true
	case "kill": // for what the script itself started
		return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return w.Lit() == "" || strings.HasPrefix(w.Lit(), "%") }) ||
			len(c.Args) > 1 && c.Args[1].Lit() == "-l"
	case "set":
		return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
			// set -x and set -u print and fail with other messages.
			return strings.ContainsAny(w.Lit(), "xu") && strings.HasPrefix(w.Lit(), "-") || w.Lit() == "xtrace"
		})
	case "shopt":
		return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return w.Lit() == "extglob" || w.Lit() == "nocasematch" })
	case "read", "mapfile", "readarray": // ours has few of their options
		return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
			return strings.HasPrefix(w.Lit(), "-") && w.Lit() != "-r" && w.Lit() != "-t" || name == "read" && w.Lit() == "-t"
		})
	case "unset": // for an array element
		return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return w.Lit() == "" || strings.Contains(w.Lit(), "[") })
	case "printf":
		return len(c.Args) < 2 || formatBeyond(c.Args[1], c.Args[2:])
	default:
		return bashBuiltins[name]
	}
}

// programs are the interpreters that get their program in a here-document.
var programs = set(`sh bash dash python python3 node perl ruby php`)

// template reports whether an interpreter gets a program in which something is expanded first: only bash knows the result.
func template(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && programs[call.Args[0].Lit()] && slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
		if r.Hdoc == nil {
			return false
		}
		_, text := written(r.Hdoc)
		return !text
	})
}

// written is the text of a word without expansions; ok is false for any other.
func written(w *syntax.Word) (text string, ok bool) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += part.Value
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			inner, fixed := written(&syntax.Word{Parts: part.Parts})
			if !fixed {
				return "", false
			}
			text += inner
		default:
			return "", false
		}
	}
	return text, true
}

// formatBeyond reports whether a format of printf has more than plain %s, %d and %%, or anything but a number for %d.
func formatBeyond(w *syntax.Word, args []*syntax.Word) bool {
	text := ""
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			text += n.Value
		case *syntax.SglQuoted:
			text += n.Value
		case *syntax.ParamExp, *syntax.CmdSubst:
			text += "%?"
		}
		return true
	})
	rest := strings.NewReplacer("%s", "", "%d", "", "%%", "").Replace(text)
	odd := strings.Contains(text, "%d") && !strings.Contains(text, "%s") && slices.ContainsFunc(args, func(w *syntax.Word) bool {
		arg, fixed := written(w)
		return fixed && strings.Trim(arg, "0123456789") != ""
	})
	return strings.ContainsRune(rest, '%') || strings.HasPrefix(text, "-") || odd
}

// beyondNumber reports whether a redirection uses an open file with a number above 2.
func beyondNumber(r *syntax.Redirect) bool {
	if r.Op != syntax.DplIn && r.Op != syntax.DplOut || r.Word == nil {
		return false
	}
	word := r.Word.Lit()
	return word != "0" && word != "1" && word != "2" && word != "-"
}

// keeps reports whether a pipe ends in a compound command that sets what the rest of the script reads: bash runs it in a subshell, where
// that is lost.
func keeps(file *syntax.File, s *syntax.Stmt) bool {
	switch s.Cmd.(type) {
	case *syntax.WhileClause, *syntax.ForClause, *syntax.Block, *syntax.IfClause:
	default:
		return false
	}
	sets, ends := map[string]bool{}, false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				sets[n.Name.Value] = true
			}
		case *syntax.Word:
			if name := n.Lit(); syntax.ValidName(name) { // read name, ((name++))
				sets[name] = true
			}
		case *syntax.CallExpr:
			ends = ends || len(n.Args) > 0 && slices.Contains([]string{"cd", "exit", "return"}, n.Args[0].Lit())
		}
		return true
	})
	later := false
	syntax.Walk(file, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		later = later || ok && p.Param != nil && sets[p.Param.Value] && p.Pos().After(s.End())
		return !later
	})
	return ends || later
}
