package permission

import "testing"

// Whether a path lies below a folder, as each system compares names (S20).
func TestBelow(t *testing.T) {
	same := func(s string) string { return s }
	for _, c := range []struct {
		system, dir, path string
		want              string // empty: it does not
	}{
		{"linux", "/proj", "/proj", "."}, {"linux", "/proj", "/proj/a/b", "a/b"}, {"linux", "/proj/", "/proj/a", "a"}, {"linux", "/", "/a", "a"},
		{"linux", "/proj", "/proj-evil/a", ""}, {"linux", "/proj", "/PROJ/a", ""}, {"linux", "/proj", "/pro", ""}, {"linux", "/proj", "/", ""}, {"linux", "", "/a", ""},
		{"linux", "/proj/a", "/proj/ab", ""}, {"linux", "/\u00e9", "/e\u0301/a", ""},
		{"darwin", "/Proj", "/pROJ/a", "a"}, {"darwin", "/\u00e9", "/e\u0301/A", "A"}, {"darwin", "/proj", "/proj-evil", ""}, {"darwin", "/\u0130x", "/\u0130X/Kept", "Kept"},
		{"windows", `C:\proj`, `c:\PROJ\a`, "a"}, {"windows", `C:\proj`, `C:\proj-evil\a`, ""}, {"windows", `C:\`, `C:\a`, "a"}, {"windows", `C:\proj`, `D:\proj\a`, ""},
		{"windows", `C:\proj`, `\\server\share\proj\a`, ""}, {"windows", `C:\proj`, `\\?\C:\proj\a`, ""}, {"windows", `C:\proj`, `C:proj\a`, ""}, {"windows", `C:\proj`, `C:\PROJ~1\a`, ""},
	} {
		sep, fold := "/", same
		if c.system == "windows" {
			sep = `\`
		}
		if c.system != "linux" {
			fold = folded
		}
		rel, ok := below(c.dir, c.path, sep, fold)
		if ok != (c.want != "") || rel != c.want {
			t.Errorf("%s: %s below %s: %q, %v", c.system, c.path, c.dir, rel, ok)
		}
	}
}

// What steers tools has many spellings (S18, S20, S21).
func TestProtected(t *testing.T) {
	for _, name := range []string{".git/config", ".GIT/config", ".git", `src\.git\hooks\x`, ".git./x", ".git /x", ".git. ./x", ".git::$INDEX_ALLOCATION/x", ".git:stream", "GIT~1/x", "git~2", ".g\u200bit/x", "\u202e.git",
		"ａｇｅｎｔｓ.md", "AGENTS.md", "sub/Agents.MD", "CLAUDE.md", ".claude/settings.json", ".codex/x", ".cursor/rules", ".vscode/tasks.json", ".husky/pre-commit", ".mcp.json", ".envrc", ".socrates/config.yaml", ".gitmodules",
		".github/instructions/a.md", ".GitHub/Prompts", "sub/.hg/hgrc", ".config/mise/config.toml", "my.code-workspace", ".factory/x", ".mise.local.toml"} {
		if !protected(name) {
			t.Errorf("%q may be written", name)
		}
	}
	for _, name := range []string{"git/config", "agents", "AGENTS.txt", ".github/workflows/x.yml", ".gitignore", "a.git", "src/gitlog.go", "x.vscode"} {
		if protected(name) {
			t.Errorf("%q may not be written", name)
		}
	}
}

func TestSystem(t *testing.T) {
	for _, path := range []string{"/proc/self/environ", "/proc", "/sys/kernel", "/dev/sda", "/dev/shm", "/dev/fd/3", `\\?\C:\x`, `\??\C:\x`, `\\.\PhysicalDrive0`} {
		if !system(path) {
			t.Errorf("%s may be touched", path)
		}
	}
	for _, path := range []string{"/dev/null", "/dev/shm/project/a.go", "/process", "/devices", "/home/proc/x"} {
		if system(path) {
			t.Errorf("%s may not be touched", path)
		}
	}
}

func TestTame(t *testing.T) {
	for _, s := range []string{"p", "1,5p", "$p", "$=", "/a/p", "/a/,/b/p", "/a/,+3p", "s/a/b/", "s/a/b/g", "s|a|b|gI", `s/\(a\)/\1/`, "s/a/b/;s/c/d/", "1d;3p", "/^#/d", "5q", "n;d", "$!N;P;D", "1,5{p}", "1{s/a/b/;p}", "y/abc/xyz/", "a text w x", "1i x",
		`\%a%p`, "/a/I,/b/Mp", "0~3p", "/[0-9]/p", "s/[^,]*,//", "/a\\/w x/p", "# e id", "s/e id/w x/", "G", "x;p;x", "/a/!d"} {
		if !sedOnlyEdits(s) {
			t.Errorf("%q is not taken for tame", s)
		}
	}
	for _, s := range []string{"e id", "1e id", "1!e id", "$e", "w out", "1w out", "r /etc/passwd", "R x", "W x", "s/a/b/e", "s/a/b/w out", "s/a/b/pw out", "s/a/b/gew", "/a/w x/p", "/a/e x/p", "/a/,/b/e id", "p;e id", "p\ne id", "{e id}", "1{p;w x}", "s/a/b/;w x",
		"a x\ne id", "a x\\\ny\ne id", "y/a/b/;e", "s/[/]/x/w out/", "/[/]/e x/p", "v", "sea/b/", "s\na\nb\n", "s/a/b", "/a", "1,", "n e id", "q e", "b;e id", "}e", "5 e", "0~3e id", "1,+3e id", "1,~4w x", `\,a,e id`, "# x\ne id", "s;a;b;e", "sxaxbxe", "F w", "z;w x", "l 3;e", ":a;e", "ba;w x"} {
		if sedOnlyEdits(s) {
			t.Errorf("%q is taken for tame", s)
		}
	}
}

func TestMild(t *testing.T) {
	for _, s := range []string{"{print}", "{print $1}", "NR>1", "NR>=5 && NR<=10 {print}", "length > 120", `/a|b/{print "x|y"; y = 4 > 3 ? "" : 1}`, `{s+=$1} END {print s/NR}`, `{print ($1 > 2)}`, `{if ($1 > 2) print $2}`, `/"/`, `{gsub(/"/,"");print}`, `a[$1]++ > 0`, `{print $1 "\"" $2}`, `{print $1 / 2 / 3}`, `$1 ~ /x/ || $2`, "BEGIN{x=1;y=x>2}"} {
		if !awkOnlyComputes(s) {
			t.Errorf("%q is not taken for mild", s)
		}
	}
	for _, s := range []string{`{print > "x"}`, `{print >> "x"}`, `{printf "%s", $1 > "x"}`, `{print | "sh"}`, `{print |& "sh"}`, `BEGIN{system("id")}`, `{"id" | getline}`, `BEGIN{while((getline l < "/etc/passwd")>0) print l}`, `BEGIN{ARGV[1]="x";ARGC=2}`, `@load "x"`, `BEGIN{f="system";@f("id")}`,
		`/"/ {print > "x"}`, `{x=1/2; print "/" > "y"}`, `{print (1)/2 > "x" /3}`, `{print a[1] > "x"}`, `{print "a" "b" > "x"}`, `BEGIN{print ENVIRON["K"]}`, `BEGIN{SYMTAB["ARGV"]}`, `{print "x" # "
> "y"}`, `/[/]/{print > "x"}`, `{print /a/ > "x"}`, `{print "unclosed > "x"`, `BEGIN { print length() > "x" }`, `{ if (1) print > "x" }`, `{print a ? b : c > "x"}`, "{print \\\n> \"x\"}"} {
		if awkOnlyComputes(s) {
			t.Errorf("%q is taken for mild", s)
		}
	}
}

// A name that is read as another one is not written without a question.
func TestNamesThatDeceive(t *testing.T) {
	p := Policy{Workspace: []string{"/proj"}}
	for name, want := range map[string]region{"a.txt": inside, "نام\u200cها.txt": inside, "👩\u200d👧.txt": inside, "a\u202etxt.exe": outside,
		"a\u200b.txt": outside, "\u2066a": outside, "a\x1b[8m": outside, "\ufeffa": outside} {
		if got, why := p.region("/proj/"+name, true); got != want {
			t.Errorf("%q is in %v (%s), want %v", name, got, why, want)
		}
	}
}
