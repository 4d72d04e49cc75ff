package shell_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/shell"
)

// plain writes a command as one line: its words, and in brackets what else is known of it. DIR is where the script would run.
func plain(c shell.Command, dir string) string {
	var notes []string
	note := func(ok bool, format string, args ...any) {
		if ok {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	sign := func(known bool) string {
		if known {
			return "="
		}
		return "~"
	}
	for _, a := range c.Assigns {
		note(true, "%s%s%s", a.Name, sign(a.Known), a.Value)
	}
	for _, r := range c.Redirects {
		note(!r.Write, "reads%s%s", sign(r.Known), r.Path)
		note(r.Write, "writes%s%s", sign(r.Known), r.Path)
	}
	note(c.Function != "", "function %s", c.Function)
	note(c.Name != "", "name: %s", c.Name)
	note(c.Unknown != "", "unknown: %s", c.Unknown)
	note(c.Dir != dir, "in %q", strings.TrimPrefix(c.Dir, dir))
	note(c.Piped, "piped")
	note(c.Feed != nil, "feed %q", c.Feed)
	note(c.Draft != "", "draft %q", c.Draft)
	note(c.Behind, "behind")
	out := strings.Join(c.Argv, " ")
	if len(notes) > 0 {
		out += " [" + strings.Join(notes, "; ") + "]"
	}
	return strings.TrimSpace(strings.ReplaceAll(out, dir, "DIR"))
}

// found holds scripts against the commands they can come to. Blocks are set apart by a blank line: the script, then a line a command.
func found(t *testing.T, table string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the paths in it are those of Unix")
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600), os.WriteFile(filepath.Join(dir, "b.txt"), nil, 0o600), os.Mkdir(filepath.Join(dir, "src"), 0o700),
		os.WriteFile(filepath.Join(dir, "src", "c.go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"HOME": "/home/person", "V": "one two", "Q": "quote", "EMPTY": ""}
	at := shell.Context{Dir: dir, Var: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
	for block := range strings.SplitSeq(strings.NewReplacer("\t", "", `\x60`, "`").Replace(strings.TrimSpace(table)), "\n\n") {
		text, want, _ := strings.Cut(block, "\n")
		script, err := shell.Parse(strings.ReplaceAll(text, `\n`, "\n"), at)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, c := range script.Commands {
			got = append(got, plain(c, dir))
		}
		if all := strings.Join(got, "\n"); all != want {
			t.Errorf("%s\n%s\n--- not\n%s", text, all, want)
		}
	}
}

// Words are expanded where what they become is known before the script runs; else the command says what is not known.
func TestWords(t *testing.T) {
	found(t, `
		ls -l
		ls -l

		ls *.txt src/*
		ls a.txt b.txt src/c.go

		ls *.none
		ls *.none

		ls [ab].txt ?.txt 'a b' "$V" $V ~ ~/x ~other/x
		ls a.txt b.txt a.txt b.txt a b one two one two /home/person /home/person/x ~other/x [unknown: the folder ~other/x]

		echo $NONE $(pwd) \x60pwd\x60 $((1+1)) <(ls) $EMPTY
		echo $NONE $(pwd) \x60pwd\x60 $((1+1)) <(ls) [unknown: the value of $NONE, which is not set]
		pwd
		pwd
		ls

		echo ${V:-x} ${#V} ${V%x} ${V[0]} $PWD
		echo ${V:-x} ${#V} ${V%x} ${V[0]} DIR [unknown: the value of ${V:-x}]

		$V x
		one two x

		V=x; echo $V
		[V=x]
		echo $V [unknown: the value of $V]

		V=x echo $Q
		echo quote [V=x]

		V+=x; echo $V
		[V=x]
		echo $V [unknown: the value of $V]

		read V; echo $V
		read V
		echo $V [unknown: the value of $V]

		printf -v Q x; echo $Q
		printf -v Q x
		echo $Q [unknown: the value of $Q]

		unset Q; echo $Q $REPLY
		unset Q
		echo $Q $REPLY [unknown: the value of $Q]

		. ./x; pwd
		. ./x
		pwd [in ""]

		export A=b C $NONE
		export C $NONE [A=b; unknown: the value of $NONE, which is not set]

		declare -A m
		declare -A m

		readonly V=x; echo $V
		readonly [V=x]
		echo $V [unknown: the value of $V]

		echo ${V:=x}
		echo ${V:=x} [name: ${V:=x} sets the variable it reads; unknown: the value of ${V:=x}]

		echo ${V=x}
		echo ${V=x} [name: ${V=x} sets the variable it reads; unknown: the value of ${V=x}]

		echo ${V:?x}
		echo ${V:?x} [name: ${V:?x} may end the script; unknown: the value of ${V:?x}]

		echo ${V?x}
		echo ${V?x} [name: ${V?x} may end the script; unknown: the value of ${V?x}]

		echo ${!V}
		echo ${!V} [name: ${!V} looks a name up in a variable; unknown: the value of ${!V}]

		echo ${!V*}
		echo ${!V*} [name: ${!V*} looks a name up in a variable; unknown: the value of ${!V*}]

		echo ${V@P}
		echo ${V@P} [name: ${V@P} evaluates the text of a variable; unknown: the value of ${V@P}]

		echo ${V@Q}
		echo ${V@Q} [name: ${V@Q} evaluates the text of a variable; unknown: the value of ${V@Q}]

		ls # comment
		ls

		ls; # x
		ls

		! ls
		ls

		echo {a,b}c {1..3}
		echo ac bc 1 2 3

		echo a\ b 'c'"d"
		echo a b cd

		echo @(a|b)
		echo @(a|b) [unknown: the matches of @(a|b)]

		PWD=x; echo $PWD
		[PWD=x]
		echo $PWD [unknown: the value of $PWD]

		IFS=x; echo $V
		[IFS=x]
		echo one two

		getopts a V; echo $V $OPTIND
		getopts a V
		echo $V $OPTIND [unknown: the value of $V]

		getopts a W; echo $OPTARG
		getopts a W
		echo $OPTARG [unknown: the value of $OPTARG]

		test -v V
		test -v V

		echo ${V/x/y} ${V:1:2} ${V^^}
		echo ${V/x/y} ${V:1:2} ${V^^} [unknown: the value of ${V/x/y}]
	`)
}

// The commands inside words are commands of the script.
func TestSubstitutions(t *testing.T) {
	found(t, `
		$(pwd) x
		$(pwd) x [name: the output of $(pwd)]
		pwd

		local -r A=$(ls)
		local -r [A~$(ls)]
		ls

		echo $((V=1)) $((--W)) $((W+1))
		echo $((V=1)) $((--W)) $((W+1)) [unknown: the result of $((V=1))]
		[V~; W~]

		echo $(cat $(ls))
		echo $(cat $(ls)) [unknown: the output of $(cat $(ls))]
		cat $(ls) [unknown: the output of $(ls)]
		ls

		diff <(ls) >(cat)
		diff <(ls) >(cat) [unknown: the name of <(ls)]
		ls
		cat
	`)
}

// Of loops, branches, functions and tests, everything that could run is found, and what they set is not known afterwards.
func TestCompounds(t *testing.T) {
	found(t, `
		for V in a b; do echo $V; done
		[V~]
		echo $V [unknown: the value of $V]

		for V in $(ls); do cat; done
		[V~]
		ls
		cat

		for ((i=0; i<3; i++)); do ls; done
		[i~; i~]
		ls

		if a; then b; elif c; then d; else e; fi
		a
		b
		c
		d
		e

		f() { ls; }; f
		[function f]
		ls
		f

		time ls
		ls

		[[ -f $(ls) ]]
		ls

		(( V = 1 ))
		[V~]

		(( V++ )); echo $V
		[V~]
		echo $V [unknown: the value of $V]

		(( V + 1 )); echo $V
		echo $V [unknown: the value of $V]

		let V=1 W+=2
		[V~; W~]

		[[ ${!V} ]]
		[name: ${!V} looks a name up in a variable]

		((${!V}))
		[name: ${!V} looks a name up in a variable]

		select V in a b; do ls; done
		[V~]
		ls
	`)
}

// What cannot be understood, or is too much to be looked through, is refused with the reason.
func TestNotParsed(t *testing.T) {
	for text, want := range map[string]string{
		"": "the script is empty", " \n\t": "the script is empty", "ls \x00": "NUL byte", "ls\rpwd": "carriage return",
		"ls\r\r\npwd": "carriage return",
		"if":          "cannot be parsed as a shell script", "ls & | cat": "cannot be parsed as a shell script",
		"((":                                   "cannot be parsed as a shell script",
		strings.Repeat("x", shell.MaxScript+1): "longer than 64 kB",
		strings.TrimSuffix(strings.Repeat("a;", 51), ";"):                 "it has 51 commands; more than 50",
		strings.Repeat("a;", 25) + "{ " + strings.Repeat("a;", 26) + " }": "it has 51 commands",
	} {
		if script, err := shell.Parse(text, shell.Context{}); err == nil || script != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, not %q", text, err, want)
		}
	}
	for _, text := range []string{"ls\r\npwd", strings.Repeat("a;", 50), "echo " + strings.Repeat("x", shell.MaxScript-5)} {
		if _, err := shell.Parse(text, shell.Context{}); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// As sh reads a script, &> and $'…' are something else than to bash.
func TestPOSIX(t *testing.T) {
	for text, want := range map[string]string{`cat $'a\'; rm x #'`: "cat $a\\, rm x", "ls &> x": "", "ls": "ls"} {
		script, err := shell.Parse(text, shell.Context{POSIX: true})
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var all []string
		for _, c := range script.Commands {
			all = append(all, strings.Join(c.Argv, " "))
		}
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

// Arithmetic, and tests of variables by name, are texts that another shell evaluates.
func TestComputes(t *testing.T) {
	for text, want := range map[string]bool{
		"ls": false, "echo $V": false, "echo ${V%x}": false, "test -f x": false, "test -v V": true, "[ -v V ]": true, "ls -v": false,
		"echo -v test": false, "export A=b": false,
		"echo $((1))": true, "((1))": true, "let A=1": true, "for ((i=0;i<1;i++)); do ls; done": true, "[[ -f x ]]": true,
		"echo ${V:1}": true, "echo ${V[0]}": true, "A[0]=1": true,
		"export $V": true, "declare -i A": true, "ls; ls; echo $(echo $((1)))": true, "f() { ((1)); }": true,
		"for i in a; do ls; done": false,
	} {
		script, err := shell.Parse(text, shell.Context{})
		if err != nil || script.Computes != want {
			t.Errorf("%s: %v, %v", text, script.Computes, err)
		}
	}
}

// Nothing is known of variables without a list of them, and more files than can be looked through stay a pattern.
func TestNothingKnown(t *testing.T) {
	dir := t.TempDir()
	for i := range 2001 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"echo $HOME": "the value of $HOME", "cd": "", "echo *": "the expansion of *", "echo x": ""} {
		script, err := shell.Parse(text, shell.Context{Dir: dir})
		if err != nil || script.Commands[0].Unknown != want {
			t.Errorf("%s: %v %v", text, script, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "0")); err != nil {
		t.Fatal(err)
	}
	if script, err := shell.Parse("echo *", shell.Context{Dir: dir}); err != nil || len(script.Commands[0].Argv) != 2001 {
		t.Errorf("2000 files: %v", err)
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"ls -l; pwd": "ls -l|pwd", "ls &": "ls &", "(a; b) > x": "(a; b) > x|a|b", "for V in a b; do c; done": "for V in a b|c",
		"f() { a; }": "f() { a; }|a", "a | b # c": "a|b", "ls > x;": "ls > x", "((V=1))": "((V=1))",
	} {
		script, err := shell.Parse(text, shell.Context{})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range script.Commands {
			all = append(all, c.Text)
		}
		if got := strings.Join(all, "|"); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

// What Quote writes is read as the same words again.
func TestQuote(t *testing.T) {
	for want, argv := range map[string][]string{
		"ls -l a/b.txt": {"ls", "-l", "a/b.txt"}, "'' 'a b' '$V' '~' '*' '#'": {"", "a b", "$V", "~", "*", "#"}, `'it'\''s'`: {"it's"},
		"": nil, "a=1:2@3%4,5^6+7_8": {"a=1:2@3%4,5^6+7_8"},
	} {
		got := shell.Quote(argv)
		if got != want {
			t.Errorf("%q: %s, not %s", argv, got, want)
		}
		if len(argv) == 0 {
			continue
		}
		script, err := shell.Parse("x "+got, shell.Context{Dir: t.TempDir()})
		if err != nil || !slices.Equal(script.Commands[0].Argv[1:], argv) {
			t.Errorf("%s is read as %q, %v", got, script.Commands[0].Argv, err)
		}
	}
}

// Real follows links as far as there is something, also to what is about to be made.
func TestReal(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "src", "deep": "src/new/file", "loop": "loop", "far": filepath.Join(dir, "other"),
		"chain": "deep"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "src"), 0o700), os.WriteFile(filepath.Join(dir, "src", "a"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/a": "src/a", "link/a": "src/a", "link/new/x": "src/new/x", "deep": "src/new/file", "deep/x": "src/new/file/x",
		"chain": "src/new/file", "far": "other", "far/x/y": "other/x/y",
		"new": "new", "src/../link": "src", "loop": "loop", "loop/x": "loop/x", "": "",
	} {
		if got := shell.Real(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s is %s, not %s", path, got, want)
		}
	}
	if got := shell.Real("/nothing/there/x"); got != filepath.Clean("/nothing/there/x") {
		t.Errorf("%s", got)
	}
}
