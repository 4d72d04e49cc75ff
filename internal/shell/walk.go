package shell

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker collects the commands of a script. It walks the syntax in the order in which commands would run, tracks the
// folder, and counts a variable as unknown as soon as the script sets it anywhere, even after its use, since functions
// and loops run later than their position suggests.
type walker struct {
	text  string
	at    Context
	dir   string          // where the next command runs; empty: unknown
	moved map[string]bool // variables that the script itself sets: their values are not known in advance
	found []Command
	seen  map[syntax.Node]bool // the syntax nodes that were visited
	piped bool
	feed  [][]string // for the next statement only
	moves bool       // the script changes its folder somewhere
}

// newWalker records in advance every variable that the script sets, and whether it changes its folder.
func newWalker(text string, at Context, file *syntax.File) *walker {
	w := &walker{text: text, at: at, dir: at.Dir, moved: map[string]bool{}, seen: map[syntax.Node]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				w.moved[n.Name.Value] = true
			}
		case *syntax.WordIter:
			w.moved[n.Name.Value] = true
		case *syntax.CallExpr:
			w.setBy(n)
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
				w.moved[n.Param.Value] = true
			}
		case *syntax.BinaryArithm, *syntax.UnaryArithm:
			syntax.Walk(n, func(inner syntax.Node) bool {
				if word, ok := inner.(*syntax.Word); ok {
					w.moved[word.Lit()] = true
				}
				return true
			})
		}
		return true
	})
	return w
}

// setBy records the variables that a built-in sets by name.
func (w *walker) setBy(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	switch c.Args[0].Lit() {
	case "cd", "pushd", "popd", "eval", "source", ".":
		w.moves = true
	}
	switch c.Args[0].Lit() {
	case "read", "mapfile", "readarray", "getopts", "printf", "unset", "cd", "pushd", "popd":
		for _, a := range c.Args[1:] {
			w.moved[a.Lit()] = true
		}
		w.moved["PWD"], w.moved["OLDPWD"], w.moved["REPLY"], w.moved["MAPFILE"] = true, true, true, true
		w.moved["OPTARG"], w.moved["OPTIND"] = true, true
	}
}

// complete reports whether every command of the syntax was visited. It is the safety net of this file: a construct that
// a new version of the parser adds, and that no case here knows, makes the script one that cannot be analysed.
func (w *walker) complete(file *syntax.File) bool {
	all := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.FuncDecl, *syntax.Redirect, *syntax.CmdSubst, *syntax.ProcSubst:
			all = all && w.seen[n]
		}
		return true
	})
	return all
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// subshell walks what runs in a subshell, or perhaps not at all: its cd does not affect what comes after.
func (w *walker) subshell(f func()) {
	dir, piped := w.dir, w.piped
	f()
	w.dir, w.piped = dir, piped
}

// maybe walks what may run never, once or often: if it changes the folder, the folder of the rest is unknown.
func (w *walker) maybe(f func()) {
	dir := w.dir
	f()
	if w.dir != dir {
		w.dir = ""
	}
}

// stmt walks one statement with its redirections. A compound one (a loop, a block) is recorded as a command of its own
// only if it writes somewhere or runs in the background; its parts are recorded either way.
func (w *walker) stmt(s *syntax.Stmt) {
	first := len(w.found)
	c := Command{Dir: w.dir, Behind: s.Background || s.Coprocess || s.Disown, Text: w.source(s), Piped: w.piped, Feed: w.feed}
	w.feed = nil
	for _, r := range s.Redirs {
		w.redirect(&c, r)
	}
	switch cmd := s.Cmd.(type) {
	case nil:
		w.found = append(w.found, c)
	case *syntax.CallExpr:
		w.call(c, cmd)
	case *syntax.DeclClause:
		w.declare(c, cmd)
	default:
		if len(c.Redirects) > 0 || c.Behind {
			c.Text = w.source(s)
			w.found = append(w.found, c) // the output of the compound, or that it runs in the background
		}
		w.compound(cmd, c)
	}
	if c.Behind {
		for i := first; i < len(w.found); i++ {
			w.found[i].Behind = true
		}
	}
}

// compound walks what consists of statements. What it does not know becomes a command that always needs approval.
func (w *walker) compound(cmd syntax.Command, c Command) {
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		w.binary(cmd)
	case *syntax.Block:
		w.stmts(cmd.Stmts)
	case *syntax.Subshell:
		w.subshell(func() { w.stmts(cmd.Stmts) })
	case *syntax.IfClause:
		w.maybe(func() { w.branches(cmd) })
	case *syntax.WhileClause:
		w.maybe(func() { w.stmts(cmd.Cond); w.stmts(cmd.Do) })
	case *syntax.ForClause:
		w.sets(c, cmd.Loop)
		w.substitutions(cmd.Loop)
		w.maybe(func() { w.stmts(cmd.Do) })
	case *syntax.CaseClause:
		w.substitutions(cmd.Word)
		for _, item := range cmd.Items {
			for _, p := range item.Patterns {
				w.substitutions(p)
			}
			w.maybe(func() { w.stmts(item.Stmts) })
		}
	case *syntax.FuncDecl:
		w.seen[cmd] = true
		c.Function = "?"
		if cmd.Name != nil {
			c.Function = cmd.Name.Value
		}
		c.Text = w.source(cmd)
		w.found = append(w.found, c)
		dir := w.dir
		if w.moves {
			w.dir = "" // it runs where it is called
		}
		w.stmt(cmd.Body)
		w.dir = dir
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			w.stmt(cmd.Stmt)
		}
	case *syntax.CoprocClause:
		w.subshell(func() { w.stmt(cmd.Stmt) })
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		if why := w.danger(cmd); why != "" {
			c.Name = why
			w.found = append(w.found, c)
		}
		w.sets(c, cmd)
		w.substitutions(cmd)
	default:
		c.Name = "it has an unknown kind of command"
		w.found = append(w.found, c)
	}
}

// sets records the variables that a loop or arithmetic sets, as a command that assigns them.
func (w *walker) sets(c Command, n syntax.Node) {
	c.Name, c.Redirects, c.Text, c.Assigns = "", nil, w.source(n), nil
	if _, ok := n.(*syntax.WordIter); ok {
		c.Text = "for " + c.Text
	}
	note := func(n syntax.ArithmExpr) {
		if word, ok := n.(*syntax.Word); ok {
			c.Assigns = append(c.Assigns, Assign{Name: word.Lit()})
		}
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WordIter:
			c.Assigns = append(c.Assigns, Assign{Name: n.Name.Value})
		case *syntax.BinaryArithm:
			switch n.Op {
			case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
				syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
				note(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				note(n.X)
			}
		}
		return true
	})
	if len(c.Assigns) > 0 {
		w.found = append(w.found, c)
	}
}

// branches walks conditions and branches as if all of them ran: it is not known which one does.
func (w *walker) branches(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond)
		w.stmts(c.Then)
	}
}

// binary walks pipes, && and ||. Both ends of a pipe run in subshells: their cd affects nothing else.
func (w *walker) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		first := len(w.found)
		w.subshell(func() { w.stmt(c.X) })
		feed := w.fed(c, w.found[first:])
		w.subshell(func() {
			w.piped, w.feed = true, feed
			w.stmt(c.Y)
		})
	case syntax.AndStmt:
		w.stmt(c.X)
		w.stmt(c.Y) // only in the folder that the first one leaves
	default:
		w.stmt(c.X)
		w.maybe(func() { w.stmt(c.Y) })
	}
}

// fed are the commands before the last one of a pipe, if they are all simple and known, and the last reads nothing else.
func (w *walker) fed(c *syntax.BinaryCmd, before []Command) (out [][]string) {
	if _, simple := c.Y.Cmd.(*syntax.CallExpr); !simple || len(c.Y.Redirs) > 0 || stages(c) != len(before)+1 {
		return nil
	}
	for _, b := range before {
		if len(b.Argv) == 0 || b.Unknown != "" || b.Name != "" || b.Function != "" || len(b.Assigns) > 0 || b.Behind {
			return nil
		}
		for _, r := range b.Redirects {
			if r.Path != "/dev/null" {
				return nil
			}
		}
		out = append(out, b.Argv)
	}
	return out
}

// stages is how many simple commands a pipe consists of; negative: it has others, or carries more than their output, as
// with |& or 2>&1. The large negative number stays negative when stages are added up.
func stages(c *syntax.BinaryCmd) int {
	n := 0
	for _, s := range []*syntax.Stmt{c.X, c.Y} {
		for _, r := range s.Redirs {
			if r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" {
				return -1 << 20
			}
		}
		switch cmd := s.Cmd.(type) {
		case *syntax.CallExpr:
			n++
		case *syntax.BinaryCmd:
			if cmd.Op != syntax.Pipe || c.Op != syntax.Pipe {
				return -1 << 20
			}
			n += stages(cmd)
		default:
			return -1 << 20
		}
	}
	if c.Op != syntax.Pipe {
		return -1 << 20
	}
	return n
}

// declare walks export, local, readonly, typeset, declare: assignments that look like a command.
func (w *walker) declare(c Command, d *syntax.DeclClause) {
	w.seen[d] = true
	c.Argv = []string{d.Variant.Value}
	for _, a := range d.Args {
		switch {
		case a.Name != nil && a.Naked:
			c.Argv = append(c.Argv, a.Name.Value)
		case a.Name != nil:
			c.Assigns = append(c.Assigns, w.assign(&c, a))
		default:
			c.Argv = append(c.Argv, w.words(&c, a.Value)...)
		}
	}
	w.found = append(w.found, c)
	w.sets(Command{Dir: c.Dir}, d)
	w.substitutions(d)
}

// call records a simple command. Its name must be known literally: a program whose name is computed can be any.
func (w *walker) call(c Command, call *syntax.CallExpr) {
	w.seen[call] = true
	for _, a := range call.Assigns {
		c.Assigns = append(c.Assigns, w.assign(&c, a))
	}
	for i, word := range call.Args {
		if i > 0 {
			c.Argv = append(c.Argv, w.words(&c, word)...)
			continue
		}
		if why := w.unknown(word); why != "" {
			c.Name = why
			c.Argv = append(c.Argv, w.source(word))
			continue
		}
		c.Argv = append(c.Argv, w.words(&c, word)...)
	}
	if why := w.danger(call); why != "" && c.Name == "" {
		c.Name = why
	}
	w.found = append(w.found, c)
	w.sets(Command{Dir: c.Dir}, call)
	w.substitutions(call)
	w.move(c)
}

// move follows a change of folder. Only cd to a known path is followed. After anything else the folder is unknown, and
// so is every relative path.
func (w *walker) move(c Command) {
	if len(c.Argv) == 0 {
		return
	}
	switch c.Argv[0] {
	case "cd":
		args := c.Argv[1:]
		if len(args) > 0 && (args[0] == "--" || args[0] == "-P" || args[0] == "-L") {
			args = args[1:]
		}
		target, home := "", false
		if w.at.Var != nil && len(args) == 0 && !w.moved["HOME"] {
			target, home = w.at.Var("HOME")
		}
		if len(args) == 1 && !strings.HasPrefix(args[0], "-") && !w.moved["CDPATH"] {
			target = args[0]
		}
		switch {
		case c.Unknown != "" || c.Name != "" || target == "" && !home:
			w.dir = ""
		case filepath.IsAbs(target):
			w.dir = filepath.Clean(target)
		case w.dir != "":
			w.dir = filepath.Join(w.dir, target)
		}
	case "pushd", "popd", "eval", "source", ".":
		w.dir = ""
	}
}

// redirect records a file that is read or written, or a here-document.
func (w *walker) redirect(c *Command, r *syntax.Redirect) {
	w.seen[r] = true
	if r.Hdoc != nil {
		c.Piped = true
		if c.Input = w.input(r.Hdoc, r.Op == syntax.DashHdoc); c.Input == nil {
			for _, part := range r.Hdoc.Parts {
				if text, ok := part.(*syntax.Lit); ok { // its position includes the word that ends the document
					c.Draft += text.Value
				} else {
					c.Draft += w.source(part)
				}
			}
		}
		w.substitutions(r.Hdoc)
		return
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if word := r.Word.Lit(); word != "" && strings.Trim(word, "0123456789-") == "" {
			return // it copies an open file
		}
	case syntax.WordHdoc:
		c.Piped = true
		c.Input = w.input(r.Word, false)
		w.substitutions(r.Word)
		return
	}
	out := Redirect{Write: r.Op != syntax.RdrIn && r.Op != syntax.DplIn}
	if out.Path, out.Known = w.one(r.Word); !out.Known {
		w.words(c, r.Word) // this records the reason in the command
	}
	c.Redirects = append(c.Redirects, out)
	w.substitutions(r.Word)
}

// source is the source text of a node.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if s, ok := n.(*syntax.Stmt); ok && s.Semicolon.IsValid() && !s.Background && !s.Coprocess && !s.Disown {
		to = int(s.Semicolon.Offset())
	}
	if from < 0 || to > len(w.text) || from > to {
		return ""
	}
	return strings.TrimSpace(w.text[from:to])
}

// substitutions walks the commands inside the words of n. A substitution runs in a subshell, and reads the script's input.
func (w *walker) substitutions(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(inner syntax.Node) bool {
		switch inner := inner.(type) {
		case *syntax.CmdSubst:
			if !w.seen[inner] {
				w.seen[inner] = true
				w.subshell(func() { w.piped = false; w.stmts(inner.Stmts) })
			}
			return false
		case *syntax.ProcSubst:
			if !w.seen[inner] {
				w.seen[inner] = true
				w.subshell(func() { w.piped = false; w.stmts(inner.Stmts) })
			}
			return false
		}
		return true
	})
}
