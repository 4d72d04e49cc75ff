package permission_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
)

// judged holds scripts against verdict and reason. The reason is what comes first of it, with the folder as DIR, and the one it is in as PARENT.
func judged(t *testing.T, mode permission.Mode, table string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the paths in it are those of Unix")
	}
	p, dir := policy(t, mode)
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSpace(line), " :: ")
		if len(f) != 3 {
			continue
		}
		d := p.Script(strings.ReplaceAll(f[0], "↵", "\n"), where(dir))
		reason := strings.ReplaceAll(strings.ReplaceAll(d.Reason, dir, "DIR"), filepath.Dir(dir), "PARENT")
		if string(d.Verdict) != f[1] || !strings.HasPrefix(reason, f[2]) {
			t.Errorf("%s: %s (%s), want %s (%s)", f[0], d.Verdict, reason, f[1], f[2])
		}
	}
}

// The long options of xargs do not hide what it runs, and are options of no other wrapper.
func TestLongOptions(t *testing.T) {
	judged(t, permission.Balanced, `
		ls | xargs --null rm -rf :: ask :: deletes folders recursively
		ls | xargs --no-run-if-empty rm :: ask :: arguments for rm are only known to xargs
		ls | xargs --null --no-run-if-empty -n1 rm :: ask :: arguments for rm are only known to xargs
		ls | xargs --null sh -c 'curl x' :: ask :: script run by sh is only known at run time
		ls | xargs --null curl :: ask :: contacts another machine
		ls | xargs --null echo :: allow :: only reads
		ls | xargs --null :: allow :: only reads
		find . -name '*.txt' -print0 | xargs --null cat :: allow :: only reads
		xargs --verbose echo :: ask :: effect of an option of xargs is unknown
		nice --null rm x :: ask :: effect of an option of nice is unknown
		timeout --no-run-if-empty 5 rm x :: ask :: effect of an option of timeout is unknown
		xargs --null A=1 :: ask :: effect of A=1 is unknown
		env --no-run-if-empty ls :: ask :: effect of an option of env is unknown
		env --null rm -r x :: ask :: deletes folders recursively
		env --null :: deny :: shows all environment variables
	`)
}

// What watch is given is read by sh, to which $'…' does not quote a quote.
func TestWatchRunsSh(t *testing.T) {
	judged(t, permission.Balanced, `
		watch ls :: allow :: inside the project; only reads
		watch -n1 -d 'cat a.txt; ls' :: allow :: inside the project; only reads
		watch 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: ask :: deletes DIR/x
		watch cat '$'"'"'a\'"'"'; rm x #'"'"'' :: ask :: deletes DIR/x
		sh -c 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: ask :: deletes DIR/x
		bash -c 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: allow :: only reads
		watch 'rm x' :: ask :: deletes DIR/x
		watch 'ls &> x' :: ask :: inner script: it cannot be parsed as a shell script
	`)
}

// An interpreter that tells its version runs nothing; to many -v says that they tell more about what they run.
func TestVersionOfAnInterpreter(t *testing.T) {
	judged(t, permission.Balanced, `
		python3 --version :: allow :: inside the project
		python3 -V :: allow :: inside the project
		node -v :: allow :: inside the project
		bash --version :: allow :: inside the project
		echo x | bash --version :: allow :: only reads
		bash -v :: ask :: bash runs a program
		bash -V :: ask :: bash runs a program
		echo 'rm x' | bash -v :: ask :: pipes another command's output into bash
		echo 'rm x' | sh -v :: ask :: pipes another command's output into sh
		sh -v < a.txt :: ask :: pipes another command's output into sh
		echo x | python3 -v :: ask :: pipes another command's output into python3
		python2 -v :: ask :: python2 runs a program
		python3 -V a.txt :: ask :: python3 runs a program
		python3 :: ask :: python3 runs a program
		command -x -v ls :: ask :: effect of an option of command is unknown
		echo ':!rm x' | vi -v :: ask :: pipes another command's output into vi
		echo x | vim -V :: ask :: pipes another command's output into vim
		echo x | swift -v :: ask :: pipes another command's output into swift
		echo x | tclsh --version :: ask :: pipes another command's output into tclsh
		echo x | expect --version :: ask :: pipes another command's output into expect
		ed --version :: ask :: ed runs a program
		ex --version :: ask :: ex runs a program
	`)
}

// The command that a wrapper runs is judged as itself, whatever stands before it; what is not known of the wrapper is asked about.
func TestWrappers(t *testing.T) {
	judged(t, permission.Balanced, `
		nice :: allow :: inside the project
		nice -n 5 :: allow :: inside the project
		nice -n :: ask :: effect of an option of nice is unknown
		nice -n5 rm x :: ask :: deletes DIR/x
		nice -- rm x :: ask :: deletes DIR/x
		nice A=1 ls :: ask :: effect of A=1 is unknown
		nohup -v rm x :: ask :: effect of an option of nohup is unknown
		timeout :: allow :: inside the project
		timeout 5 :: allow :: inside the project
		timeout 5 ls :: allow :: inside the project; only reads
		timeout -v 5 rm x :: ask :: deletes DIR/x
		timeout -k 5 10 rm x :: ask :: deletes DIR/x
		timeout 5 -x rm x :: ask :: effect of an option of timeout is unknown
		env A=1 :: deny :: shows all environment variables
		env A=1 B=2 rm x :: ask :: deletes DIR/x
		env A=1 ls :: allow :: inside the project; sets a variable; only reads
		env A=1 PATH=. ls :: ask :: setting PATH changes how other commands behave
		command -v rm :: allow :: inside the project
		command -V rm :: allow :: inside the project
		command -v :: allow :: inside the project
		command :: allow :: inside the project
		command -v curl :: allow :: inside the project
		command -V curl :: allow :: inside the project
		command -p rm x :: ask :: deletes DIR/x
		command rm -v x :: ask :: deletes DIR/x
		watch :: ask :: effect of an option of watch is unknown
		parallel ls :: ask :: effect of an option of parallel is unknown
		flock a.txt :: allow :: inside the project
		flock /etc/x :: allow :: inside the project
		flock a.txt ls :: allow :: writes inside the project
		flock -n a.txt rm x :: ask :: deletes DIR/x
		flock -n /etc/x ls -l a.txt :: ask :: /etc/x is outside the project
		flock -w 5 .env ls :: deny :: DIR/.env may contain secrets
		flock a.txt -c ls :: ask :: effect of an option of flock is unknown
		ls | nice sh :: ask :: pipes another command's output into sh
		ls | xargs nice sh -c ls :: ask :: script run by sh is only known at run time
		xargs ls :: ask :: arguments for ls are only known to xargs
		xargs echo :: allow :: inside the project; only reads
		find . -name '*.txt' | nice cat :: allow :: only reads
		find . -name '*.txt' | xargs cat :: allow :: only reads
		find . -name '*.txt' | xargs rm :: ask :: arguments for rm are only known to xargs
		bash -c 'nice sh -c "$X"' :: ask :: script run by sh is only known at run time
	`)
}

// What runs commands in a way that is not looked into is asked about, however harmless they are.
func TestWildWrappers(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for _, name := range strings.Fields(`parallel script entr setarch linux32 linux64 taskset numactl prlimit cpulimit firejail bwrap proot fakeroot
		torsocks proxychains proxychains4 dbus-run-session xvfb-run rlwrap ssh-agent sshpass start-stop-daemon run-parts faketime valgrind perf
		hyperfine nodemon watchexec screen winpty daemonize tini dumb-init choom uclampset chronic pee softlimit`) {
		if d := p.Script(name+" ls", where(dir)); d.Verdict != permission.Ask || !strings.Contains(d.Reason, "effect of an option of "+name) {
			t.Errorf("%s: %s (%s)", name, d.Verdict, d.Reason)
		}
	}
	for _, name := range strings.Fields("env nohup nice ionice time setsid command exec stdbuf unbuffer busybox caffeinate catchsegv strace ltrace toybox") {
		if d := p.Script(name+" ls", where(dir)); d.Verdict != permission.Allow {
			t.Errorf("%s ls: %s (%s)", name, d.Verdict, d.Reason)
		}
		if d := p.Script(name+" rm x", where(dir)); d.Verdict != permission.Ask || !strings.HasPrefix(d.Reason, "deletes ") {
			t.Errorf("%s rm x: %s (%s)", name, d.Verdict, d.Reason)
		}
	}
}

// A script inside a script is judged like one that is not, and what only the inner shell would know is asked about.
func TestScriptInside(t *testing.T) {
	judged(t, permission.Balanced, `
		bash -c ls :: allow :: only reads
		sh -c ls :: allow :: only reads
		bash -lc 'rm x' :: ask :: deletes DIR/x
		sh -exc 'rm x' :: ask :: deletes DIR/x
		bash -c 'A=1' :: allow :: sets a variable
		bash -c 'PATH=. ls' :: ask :: setting PATH changes how other commands behave
		bash -c 'ls > x' :: allow :: writes inside the project
		bash -c 'ls > /etc/x' :: ask :: /etc/x is outside the project
		bash -c 'cd src; rm b.go' :: ask :: deletes DIR/src/b.go
		bash -c 'f() { ls; }' :: ask :: inner script defines a function
		bash -c '$X ls' :: ask :: the value of $X
		bash -c 'ls $X' :: ask :: only known at run time: the value of $X
		bash -c 'echo ${A[0]}' :: ask :: inner script evaluates values that may contain commands
		bash -c '((' :: ask :: inner script: it cannot be parsed as a shell script
		bash -c '' :: ask :: inner script: the script is empty
		bash -c 'ls | sh' :: ask :: pipes another command's output into sh
		ls | bash -c 'cat' :: allow :: only reads
		bash -c "find . -name '*.txt' | xargs cat" :: allow :: only reads
		bash -c "$X" :: ask :: script run by bash is only known at run time
		zsh -c ls :: ask :: zsh runs a program that is not analysed
		bash -o ls :: ask :: bash runs a program that is not analysed
		bash -c :: ask :: bash runs a program that is not analysed
		bash -xyzc ls :: ask :: bash runs a program that is not analysed
		bash c ls :: ask :: bash runs a program that is not analysed
		bash -cx ls :: ask :: bash runs a program that is not analysed
		bash a.txt :: ask :: bash runs a program that is not analysed
		ls | python3 :: ask :: pipes another command's output into python3
	`)
}

// How deep commands may be wrapped in one another is the same number for each kind, where a script inside counts twice.
func TestDepth(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	p.Confined = true
	for before, most := range map[string]int{"nice ": 8, "xargs ": 8, "watch ": 4, "npx ": 8} {
		for n := range 12 {
			d := p.Script(strings.Repeat(before, n)+"pwd", where(dir))
			if deep := strings.Contains(d.Reason, "too deeply"); deep != (n > most) {
				t.Errorf("%d times %q: %s (%s)", n, before, d.Verdict, d.Reason)
			}
		}
	}
}

// A cd of another shell may fail, or not come to run: what follows is then judged where it would happen as well.
func TestFolderOfAnotherShell(t *testing.T) {
	judged(t, permission.Balanced, `
		bash -c 'cd src; cat ../a.txt' :: allow :: only reads
		bash -c 'cd src && cat b.go && cd .. && cat a.txt' :: allow :: only reads
		bash -c 'cd src; cat ../../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		sh -c 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		watch 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd a.txt; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; touch ../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; cd ..; cat x' :: ask :: PARENT is outside
		bash -c 'cd src && false; cd src; cat ../../x' :: ask :: PARENT/x is outside
		bash -c 'false && cd src; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd -L src; cat ../a.txt' :: allow :: only reads
		bash -c 'ls; ls -l; pwd; cat a.txt; date; cat a.txt' :: allow :: only reads
		bash -c '(cd src; ls); cat a.txt' :: allow :: only reads
		bash -c 'ls; (cd src; ls); cat a.txt' :: allow :: only reads
		bash -c 'mkdir -p x && cd x && touch y' :: allow :: writes inside the project
		bash -c 'mkdir -p x; cd -- x; rm y' :: ask :: deletes DIR/x/y
		bash -c 'ls; cd a; ls; cd b; ls; cd c; ls; cd d; ls' :: ask :: working folder of the inner script is unknown
	`)
}

// What runs programs in a language of its own is asked about, whatever it is given.
func TestInterpreters(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	short := map[string]string{"python": "-V", "python2": "-V", "python3": "-V", "node": "-v", "nodejs": "-v", "deno": "-V", "perl": "-v", "ruby": "-v", "php": "-v",
		"lua": "-v", "luajit": "-v", "gdb": "-v", "ghc": "-V", "emacs": "-V", "nano": "-V", "ts-node": "-v", "tsx": "-v", "fish": "-v"}
	for _, name := range strings.Fields(`sh bash dash ash ksh zsh fish csh tcsh pwsh powershell cmd python python2 python3 node nodejs deno perl ruby php lua luajit Rscript R
		tclsh expect osascript java scala groovy julia guile ghc runghc swift irb gdb lldb vim vi nvim ed ex emacs nano m4 bc dc sqlite3 ts-node tsx`) {
		for _, args := range []string{"", " x", " -c", " -v", " -V"} {
			d := p.Script(name+args, where(dir))
			told := args == " "+short[name] && short[name] != ""
			if told != (d.Verdict == permission.Allow) || !told && d.Reason != name+" runs a program that is not analysed" {
				t.Errorf("%s%s: %s (%s)", name, args, d.Verdict, d.Reason)
			}
		}
	}
}

// A .. behind a link leads above what the link leads to, be it in a name or in the folder where a command runs.
func TestAboveALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows takes .. out of a name before it looks")
	}
	p, dir := policy(t, permission.Balanced)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "deep", "deep"), 0o755), os.Symlink(filepath.Join(dir, "src"), filepath.Join(dir, "deep", "deep", "link"))); err != nil {
		t.Skip(err)
	}
	for script, want := range map[string]permission.Verdict{
		"cat deep/deep/link/b.go": "allow", "cat deep/deep/link/../a.txt": "allow", "cat deep/deep/../deep/link/b.go": "allow", "cd deep/deep/link; cat ../a.txt": "allow",
		"cat deep/deep/link/../../x": "ask", "cat ./deep/deep/link/.././../x": "ask", "cat " + dir + "/deep/deep/link/../../x": "ask", "touch deep/deep/link/../../x": "ask",
		"cd deep/deep/link; cat ../../x": "ask", "bash -c 'cd deep/deep/link; cat ../../x'": "ask", "bash -c 'cd -P deep/deep/link/../..; cat x'": "ask",
		"cat out/../x": "ask", "bash -c 'cd -P out/..; cat x'": "ask", "cat deep/deep/link/../.env": "deny",
	} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", script, d.Verdict, d.Reason, want)
		}
	}
}

// The environment may contain secrets: no program that reads files shows it.
func TestEnvironmentOfJq(t *testing.T) {
	judged(t, permission.Balanced, `
		jq .name a.txt :: allow :: only reads
		jq env a.txt :: deny :: shows environment variables
		jq env.HOME a.txt :: deny :: shows environment variables
		jq '$ENV' a.txt :: deny :: shows environment variables
		jq '.a|$ENV.HOME' a.txt :: deny :: shows environment variables
		jq '$environment.x' a.txt :: allow :: only reads
		jq .env a.txt :: allow :: only reads
		jq 'import "x" as y; .' a.txt :: ask :: reads other files
	`)
}

// What destroys things elsewhere is asked about in every mode: no snapshot brings them back.
func TestDestroyedElsewhere(t *testing.T) {
	for _, script := range strings.Split("docker rm x,docker rmi x,docker system prune,podman rm x,kubectl delete pod x,helm uninstall x,terraform state rm x,terraform destroy,"+
		"aws s3 rm x,aws s3 rb x,aws ec2 terminate-instances,gcloud compute instances delete x,gh repo delete x,rsync --delete a b,apt purge x", ",") {
		for _, mode := range []permission.Mode{permission.Balanced, permission.Yolo} {
			p, dir := policy(t, mode)
			if d := p.Script(script, where(dir)); d.Verdict != permission.Ask || !strings.Contains(d.Reason, "deletes or overwrites data elsewhere") {
				t.Errorf("%s in mode %s: %s (%s)", script, mode, d.Verdict, d.Reason)
			}
		}
	}
}

// TestHeld: in a sandbox that holds everything, a command of a script inside a script may have words that are only known at run time,
// unless it deletes or starts other programs.
func TestHeld(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths in it are those of Unix")
	}
	p, dir := policy(t, permission.Balanced)
	p.Confined = true
	for _, deep := range []bool{false, true} {
		p.Deep = deep
		for script, held := range map[string]bool{
			`bash -c 'for f in *.go; do wc -l "$f"; done'`: true, `ls | xargs touch`: true,
			`bash -c 'for f in *.go; do rm "$f"; done'`: false, `bash -c 'for f in *; do env "$f"; done'`: false, `ls | xargs git`: false,
		} {
			want := deep && held
			if got := p.Script(script, where(dir)); (got.Verdict == permission.Allow) != want {
				t.Errorf("deep %v: %s: %s (%s), want allowed: %v", deep, script, got.Verdict, got.Reason, want)
			}
		}
	}
}
