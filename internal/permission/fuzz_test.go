package permission_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// FuzzScript: no script is too odd to be decided on; none is allowed whose commands are named by something that is not
// known; what the shell comes to when an allowed script runs is what was judged, and allowed, or left to be seen; and of two
// scripts, one after the other, neither makes what is decided of the other milder.
func FuzzScript(f *testing.F) {
	all := verdicts(f)
	for i, c := range all {
		if i%7 == 0 {
			f.Add(c.script, all[len(all)-1-i].script)
		}
	}
	f.Add("mine", "mine() { ls; }")
	p, dir := policy(f, permission.Balanced)
	f.Fuzz(func(t *testing.T, text, more string) {
		p.Mode = permission.Yolo
		p.Script(text, where(dir))
		p.Mode = permission.Balanced
		script, err := shell.Parse(text, where(dir))
		if err != nil {
			if d := p.Script(text, where(dir)); d.Verdict == permission.Allow {
				t.Fatalf("what cannot be read is allowed: %q", text)
			}
			return
		}
		d := p.Parsed(script)
		if d.Verdict == permission.Allow && dynamicName(text) {
			t.Fatalf("allowed, with a name that is not known: %q", text)
		}
		for _, end := range []string{"\n", "; ", " && ", " & "} {
			firstOf(t, p, dir, text, more, end)
		}
		if d.Verdict == permission.Allow || d.Waits() {
			run(t, p, dir, text, script)
		}
	})
}

// firstOf decides about two scripts as one: it is what the first is decided to be, or stricter; and what the second is, too,
// unless the first changes what the second means.
func firstOf(t *testing.T, p permission.Policy, dir, text, more, end string) {
	whole := text + end + more
	script, err := shell.Parse(whole, where(dir))
	n, ok := count(whole)
	a, aOK := count(text)
	b, bOK := count(more)
	if err != nil || !ok || !aOK || !bOK || n != a+b || strings.TrimSpace(more) == "" { // it is not the one and then the other
		return
	}
	both, first, second := p.Parsed(script), p.Script(text, where(dir)), p.Script(more, where(dir))
	if weight[both.Verdict] < weight[first.Verdict] {
		t.Fatalf("%q: %s; %q: %s (%s)", whole, both.Verdict, text, first.Verdict, first.Reason)
	}
	if weight[both.Verdict] < weight[second.Verdict] && !changes(p, dir, text) {
		t.Fatalf("%q: %s; %q: %s (%s)", whole, both.Verdict, more, second.Verdict, second.Reason)
	}
}

var weight = map[permission.Verdict]int{permission.Allow: 0, permission.Ask: 1, permission.Deny: 2}

// count is how many commands a script has, simple ones and others.
func count(text string) (n int, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return 0, false
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CallExpr, *syntax.Redirect, *syntax.DeclClause, *syntax.FuncDecl:
			n++
		}
		return true
	})
	return n, true
}

// changes says whether a script may change what the next one means: where it runs, its variables, its functions.
func changes(p permission.Policy, dir, text string) bool {
	script, err := shell.Parse(text, where(dir))
	if err != nil {
		return true
	}
	return slices.ContainsFunc(script.Commands, func(c shell.Command) bool {
		return len(c.Assigns) > 0 || c.Function != "" || c.Name != "" || len(c.Argv) > 0 && slices.Contains(moving, c.Argv[0])
	})
}

var moving = []string{"cd", "pushd", "popd", "eval", "source", ".", "command", "builtin", "set", "shopt", "unset", "read", "export", "alias"}

// dynamicName says whether a command is named by anything but plain letters.
func dynamicName(text string) (found bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			syntax.Walk(c.Args[0], func(n syntax.Node) bool {
				switch n.(type) {
				case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
					found = found || c.Args[0].Lit() == ""
				}
				return true
			})
		}
		return true
	})
	return found
}

var errHeld = errors.New("held")

// run runs a script without starting a program: each is taken for one that says nothing and fails or not.
func run(t *testing.T, p permission.Policy, dir, text string, script *shell.Script) {
	vars := []string{"HOME=/home/person", "USER=person", "PATH=/usr/bin:/bin"}
	s, err := shell.NewSession(dir, vars)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	whole := p.Parsed(script)
	open := slices.ContainsFunc(whole.Parts, func(part permission.Part) bool { return part.Later })
	judged := func(argv []string) bool {
		return slices.ContainsFunc(script.Commands, func(c shell.Command) bool {
			return slices.Equal(c.Argv, argv) || c.Unknown != "" && len(c.Argv) > 0 && c.Argv[0] == argv[0]
		})
	}
	hooks := shell.Hooks{
		Call: func(_ context.Context, c shell.Command, program string) error {
			if c.Argv[0] == "sleep" || c.Argv[0] == "wait" {
				return errHeld
			}
			d := p.Judge("bash", tool.Act{Effect: tool.Runs, Command: &c, Program: program})
			if d.Verdict != permission.Allow && !open && !functions(script, c.Argv[0]) {
				t.Errorf("%q is allowed and comes to %q: %s (%s)", text, c.Argv, d.Verdict, d.Reason)
			}
			if !open && !judged(c.Argv) {
				t.Errorf("%q is allowed and comes to %q, which was not judged: %+v", text, c.Argv, script.Commands)
			}
			if d.Verdict != permission.Allow {
				return errHeld
			}
			return nil
		},
		Open: func(_ context.Context, path string, write bool) error {
			if part := p.Open(path, write); part.Verdict != permission.Allow && !open {
				t.Errorf("%q is allowed and opens %s: %s (%s)", text, path, part.Verdict, part.Reason)
			}
			return errHeld
		},
		Start: func(*exec.Cmd) (func() error, error) { return nil, errHeld },
	}
	s.Run(ctx, script, hooks, io.Discard)
}

func functions(script *shell.Script, name string) bool {
	return slices.ContainsFunc(script.Commands, func(c shell.Command) bool { return c.Function == name })
}
