package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// words returns the arguments that a word becomes. One that is only known at run time stays as written, and is recorded in the command.
func (w *walker) words(c *Command, word *syntax.Word) []string {
	if word == nil {
		return nil
	}
	why := w.unknown(word)
	if why == "" {
		fields, err := w.expand(word)
		if err == nil {
			return fields
		}
		why = "the expansion of " + w.source(word)
	}
	if c.Unknown == "" {
		c.Unknown = why
	}
	return []string{w.source(word)}
}

// assign returns a variable that is set. Arrays and their elements are never known.
func (w *walker) assign(c *Command, a *syntax.Assign) Assign {
	out := Assign{}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Index != nil || a.Array != nil {
		return out
	}
	out.Known = true
	if a.Value == nil {
		return out
	}
	if w.unknown(a.Value) != "" {
		out.Known, out.Value = false, w.source(a.Value)
		return out
	}
	fields, err := w.expand(a.Value)
	out.Known = err == nil
	out.Value = strings.Join(fields, " ")
	return out
}

// unknown says what of a word is only known at run time; empty: nothing.
func (w *walker) unknown(word *syntax.Word) (why string) {
	syntax.Walk(word, func(n syntax.Node) bool {
		if why != "" {
			return false
		}
		switch n := n.(type) {
		case *syntax.Lit:
			if len(n.Value) > 1 && n == word.Parts[0] && n.Value[0] == '~' && n.Value[1] != '/' {
				why = "the folder " + n.Value
			}
		case *syntax.CmdSubst:
			why = "the output of " + w.source(n)
		case *syntax.ProcSubst:
			why = "the name of " + w.source(n)
		case *syntax.ArithmExp:
			why = "the result of " + w.source(n)
		case *syntax.ExtGlob:
			why = "the matches of " + w.source(n)
		case *syntax.ParamExp:
			why = w.parameter(n)
			return false
		}
		return why == ""
	})
	return why
}

// parameter says why the value of a variable is not known; empty: it is.
func (w *walker) parameter(p *syntax.ParamExp) string {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Excl && !p.Length && !p.Width && p.Names == 0
	if !plain || name == "" || w.moved[name] || w.at.Var == nil {
		return "the value of " + w.source(p)
	}
	if name == "PWD" {
		if w.dir == "" || w.dir != w.at.Dir {
			return "the value of " + w.source(p)
		}
		return ""
	}
	if _, ok := w.at.Var(name); !ok {
		return "the value of " + w.source(p) + ", which is not set"
	}
	return ""
}

// danger names an operator that does more than it seems to: it evaluates text, sets what it reads, or reads a
// variable's name from another variable.
func (w *walker) danger(n syntax.Node) (why string) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		if _, ok := inner.(*syntax.CmdSubst); ok || why != "" {
			return false // judged as commands of their own
		}
		p, ok := inner.(*syntax.ParamExp)
		if !ok {
			return true
		}
		switch {
		case p.Excl || p.Names != 0:
			why = w.source(p) + " looks a name up in a variable"
		case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
			why = w.source(p) + " evaluates the text of a variable"
		case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
			why = w.source(p) + " sets the variable it reads"
		case p.Exp != nil && (p.Exp.Op == syntax.ErrorUnset || p.Exp.Op == syntax.ErrorUnsetOrNull):
			why = w.source(p) + " may end the script"
		}
		return why == ""
	})
	return why
}

// mostMatches bounds the expansion of a glob before it runs: it is the maximum number of entries of a folder that is read for it.
const mostMatches = 2000

var errTooMany = errors.New("too many files match")

// config expands with the known variables, and fails for all others.
func (w *walker) config() *expand.Config { return &expand.Config{Env: known{w}, NoUnset: true} }

// expand expands a word as the interpreter would in the folder where it would run. Globs are matched in the real
// folder. Hooks.Call sees what is created between now and the run.
func (w *walker) expand(word *syntax.Word) ([]string, error) {
	if word == nil {
		return nil, nil
	}
	if lit := word.Lit(); lit != "" && !strings.ContainsAny(lit, `*?[{~\`) { // it has no special characters
		return []string{lit}, nil
	}
	cfg := w.config()
	if w.dir != "" {
		cfg.ReadDir2 = func(dir string) ([]os.DirEntry, error) {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(w.dir, dir)
			}
			entries, err := os.ReadDir(dir)
			if len(entries) > mostMatches {
				return nil, errTooMany
			}
			return entries, err
		}
	}
	fields, err := expand.Fields(cfg, word)
	if err == nil && w.dir == "" {
		for _, f := range fields {
			if strings.ContainsAny(f, "*?[") {
				return nil, errors.New("which files match")
			}
		}
	}
	return fields, err
}

// one is a word in a place where it cannot become several arguments and globs do not apply, as after a redirection.
func (w *walker) one(word *syntax.Word) (text string, known bool) {
	if word != nil && w.unknown(word) == "" {
		if text, err := expand.Literal(w.config(), word); err == nil {
			return text, true
		}
	}
	return w.source(word), false
}

// input is the text of a here-document, if all of it is known; tabs: leading tabs of its lines are removed.
func (w *walker) input(doc *syntax.Word, tabs bool) *string {
	text, known := w.one(doc)
	if !known || tabs && strings.Contains(text, "\t") {
		return nil
	}
	return &text
}

// known are the variables whose values are known before the script runs.
type known struct{ w *walker }

// Get implements expand.Environ.
func (k known) Get(name string) expand.Variable {
	if name == "PWD" {
		return expand.Variable{Set: true, Kind: expand.String, Str: k.w.dir}
	}
	if name == "IFS" || k.w.moved[name] || k.w.at.Var == nil {
		return expand.Variable{}
	}
	v, ok := k.w.at.Var(name)
	return expand.Variable{Set: ok, Kind: expand.String, Str: v}
}

// Each implements expand.Environ. It lists nothing: only ${!prefix*} would need it, which is never expanded here.
func (known) Each(func(string, expand.Variable) bool) {}

// computes reports whether a script has arithmetic, or tests variables by name. Shells evaluate the text of a variable
// there, including its command substitutions; ours does not.
func computes(file *syntax.File) (found bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop, *syntax.TestClause:
			found = true
		case *syntax.ParamExp:
			found = found || n.Slice != nil || n.Index != nil
		case *syntax.Assign:
			found = found || n.Index != nil
		case *syntax.CallExpr:
			for _, a := range n.Args {
				found = found || a.Lit() == "-v" && (n.Args[0].Lit() == "test" || n.Args[0].Lit() == "[")
			}
		case *syntax.DeclClause:
			for _, a := range n.Args {
				found = found || a.Name == nil
			}
		}
		return !found
	})
	return found
}
