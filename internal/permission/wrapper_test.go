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
		d := p.Script(f[0], where(dir))
		reason := strings.ReplaceAll(strings.ReplaceAll(d.Reason, dir, "DIR"), filepath.Dir(dir), "PARENT")
		if string(d.Verdict) != f[1] || !strings.HasPrefix(reason, f[2]) {
			t.Errorf("%s: %s (%s), want %s (%s)", f[0], d.Verdict, reason, f[1], f[2])
		}
	}
}

// The long options of xargs do not hide what it runs, and are options of no other wrapper.
func TestLongOptions(t *testing.T) {
	judged(t, permission.Balanced, `
		ls | xargs --null rm -rf :: ask :: it deletes whole folders
		ls | xargs --no-run-if-empty rm :: ask :: which arguments rm is given, only xargs knows
		ls | xargs --null --no-run-if-empty -n1 rm :: ask :: which arguments rm is given, only xargs knows
		ls | xargs --null sh -c 'curl x' :: ask :: the script that sh runs is only known when it runs
		ls | xargs --null curl :: ask :: it talks to another machine
		ls | xargs --null echo :: allow :: it only reads
		ls | xargs --null :: allow :: it only reads
		find . -name '*.txt' -print0 | xargs --null cat :: allow :: it only reads
		xargs --verbose echo :: ask :: what an option makes of xargs is not known
		nice --null rm x :: ask :: what an option makes of nice is not known
		timeout --no-run-if-empty 5 rm x :: ask :: what an option makes of timeout is not known
		xargs --null A=1 :: ask :: it is not known what A=1 does
		env --no-run-if-empty ls :: ask :: what an option makes of env is not known
		env --null rm -r x :: ask :: it deletes whole folders
		env --null :: deny :: it shows the whole environment
	`)
}

// What watch is given is read by sh, to which $'…' does not quote a quote.
func TestWatchRunsSh(t *testing.T) {
	judged(t, permission.Balanced, `
		watch ls :: allow :: it is inside the project; it only reads
		watch -n1 -d 'cat a.txt; ls' :: allow :: it is inside the project; it only reads
		watch 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: ask :: it deletes DIR/x
		watch cat '$'"'"'a\'"'"'; rm x #'"'"'' :: ask :: it deletes DIR/x
		sh -c 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: ask :: it deletes DIR/x
		bash -c 'cat $'"'"'a\'"'"'; rm x #'"'"'' :: allow :: it only reads
		watch 'rm x' :: ask :: it deletes DIR/x
		watch 'ls &> x' :: ask :: the inner script: it is no shell script
	`)
}

// An interpreter that tells its version runs nothing; to many -v says that they tell more about what they run.
func TestVersionOfAnInterpreter(t *testing.T) {
	judged(t, permission.Balanced, `
		python3 --version :: allow :: it is inside the project
		python3 -V :: allow :: it is inside the project
		node -v :: allow :: it is inside the project
		bash --version :: allow :: it is inside the project
		echo x | bash --version :: allow :: it only reads
		bash -v :: ask :: bash runs a program
		bash -V :: ask :: bash runs a program
		echo 'rm x' | bash -v :: ask :: bash runs what another command tells it
		echo 'rm x' | sh -v :: ask :: sh runs what another command tells it
		sh -v < a.txt :: ask :: sh runs what another command tells it
		echo x | python3 -v :: ask :: python3 runs what another command tells it
		python2 -v :: ask :: python2 runs a program
		python3 -V a.txt :: ask :: python3 runs a program
		python3 :: ask :: python3 runs a program
		command -x -v ls :: ask :: what an option makes of command is not known
		echo ':!rm x' | vi -v :: ask :: vi runs what another command tells it
		echo x | vim -V :: ask :: vim runs what another command tells it
		echo x | swift -v :: ask :: swift runs what another command tells it
		echo x | tclsh --version :: ask :: tclsh runs what another command tells it
		echo x | expect --version :: ask :: expect runs what another command tells it
		ed --version :: ask :: ed runs a program
		ex --version :: ask :: ex runs a program
	`)
}

// The command that a wrapper runs is judged as itself, whatever stands before it; what is not known of the wrapper is asked about.
func TestWrappers(t *testing.T) {
	judged(t, permission.Balanced, `
		nice :: allow :: it is inside the project
		nice -n 5 :: allow :: it is inside the project
		nice -n :: ask :: what an option makes of nice is not known
		nice -n5 rm x :: ask :: it deletes DIR/x
		nice -- rm x :: ask :: it deletes DIR/x
		nice A=1 ls :: ask :: it is not known what A=1 does
		nohup -v rm x :: ask :: what an option makes of nohup is not known
		timeout :: allow :: it is inside the project
		timeout 5 :: allow :: it is inside the project
		timeout 5 ls :: allow :: it is inside the project; it only reads
		timeout -v 5 rm x :: ask :: it deletes DIR/x
		timeout -k 5 10 rm x :: ask :: it deletes DIR/x
		timeout 5 -x rm x :: ask :: what an option makes of timeout is not known
		env A=1 :: deny :: it shows the whole environment
		env A=1 B=2 rm x :: ask :: it deletes DIR/x
		env A=1 ls :: allow :: it is inside the project; it sets a variable; it only reads
		env A=1 PATH=. ls :: ask :: setting PATH changes what other commands do
		command -v rm :: allow :: it is inside the project
		command -V rm :: allow :: it is inside the project
		command -v :: allow :: it is inside the project
		command :: allow :: it is inside the project
		command -v curl :: allow :: it is inside the project
		command -V curl :: allow :: it is inside the project
		command -p rm x :: ask :: it deletes DIR/x
		command rm -v x :: ask :: it deletes DIR/x
		watch :: ask :: what an option makes of watch is not known
		parallel ls :: ask :: what an option makes of parallel is not known
		flock a.txt :: allow :: it is inside the project
		flock /etc/x :: allow :: it is inside the project
		flock a.txt ls :: allow :: it writes inside the project
		flock -n a.txt rm x :: ask :: it deletes DIR/x
		flock -n /etc/x ls -l a.txt :: ask :: /etc/x is outside the project
		flock -w 5 .env ls :: deny :: DIR/.env may hold secrets
		flock a.txt -c ls :: ask :: what an option makes of flock is not known
		ls | nice sh :: ask :: sh runs what another command tells it
		ls | xargs nice sh -c ls :: ask :: the script that sh runs is only known when it runs
		xargs ls :: ask :: which arguments ls is given, only xargs knows
		xargs echo :: allow :: it is inside the project; it only reads
		find . -name '*.txt' | nice cat :: allow :: it only reads
		find . -name '*.txt' | xargs cat :: allow :: it only reads
		find . -name '*.txt' | xargs rm :: ask :: which arguments rm is given, only xargs knows
		bash -c 'nice sh -c "$X"' :: ask :: the script that sh runs is only known when it runs
	`)
}

// What runs commands in a way that is not looked into is asked about, however harmless they are.
func TestWildWrappers(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for _, name := range strings.Fields(`parallel script entr setarch linux32 linux64 taskset numactl prlimit cpulimit firejail bwrap proot fakeroot
		torsocks proxychains proxychains4 dbus-run-session xvfb-run rlwrap ssh-agent sshpass start-stop-daemon run-parts faketime valgrind perf
		hyperfine nodemon watchexec screen winpty daemonize tini dumb-init choom uclampset chronic pee softlimit`) {
		if d := p.Script(name+" ls", where(dir)); d.Verdict != permission.Ask || !strings.Contains(d.Reason, "what an option makes of "+name) {
			t.Errorf("%s: %s (%s)", name, d.Verdict, d.Reason)
		}
	}
	for _, name := range strings.Fields("env nohup nice ionice time setsid command exec stdbuf unbuffer busybox caffeinate catchsegv strace ltrace toybox") {
		if d := p.Script(name+" ls", where(dir)); d.Verdict != permission.Allow {
			t.Errorf("%s ls: %s (%s)", name, d.Verdict, d.Reason)
		}
		if d := p.Script(name+" rm x", where(dir)); d.Verdict != permission.Ask || !strings.HasPrefix(d.Reason, "it deletes ") {
			t.Errorf("%s rm x: %s (%s)", name, d.Verdict, d.Reason)
		}
	}
}

// A script inside a script is judged like one that is not, and what only the inner shell would know is asked about.
func TestScriptInside(t *testing.T) {
	judged(t, permission.Balanced, `
		bash -c ls :: allow :: it only reads
		sh -c ls :: allow :: it only reads
		bash -lc 'rm x' :: ask :: it deletes DIR/x
		sh -exc 'rm x' :: ask :: it deletes DIR/x
		bash -c 'A=1' :: allow :: it sets a variable
		bash -c 'PATH=. ls' :: ask :: setting PATH changes what other commands do
		bash -c 'ls > x' :: allow :: it writes inside the project
		bash -c 'ls > /etc/x' :: ask :: /etc/x is outside the project
		bash -c 'cd src; rm b.go' :: ask :: it deletes DIR/src/b.go
		bash -c 'f() { ls; }' :: ask :: the inner script defines a function
		bash -c '$X ls' :: ask :: the value of $X
		bash -c 'ls $X' :: ask :: only known when it runs: the value of $X
		bash -c 'echo ${A[0]}' :: ask :: the inner script computes with values that can hold commands
		bash -c '((' :: ask :: the inner script: it is no shell script that can be read
		bash -c '' :: ask :: the inner script: the script is empty
		bash -c 'ls | sh' :: ask :: sh runs what another command tells it
		ls | bash -c 'cat' :: allow :: it only reads
		bash -c "find . -name '*.txt' | xargs cat" :: allow :: it only reads
		bash -c "$X" :: ask :: the script that bash runs is only known when it runs
		zsh -c ls :: ask :: zsh runs a program that is not looked into
		bash -o ls :: ask :: bash runs a program that is not looked into
		bash -c :: ask :: bash runs a program that is not looked into
		bash -xyzc ls :: ask :: bash runs a program that is not looked into
		bash c ls :: ask :: bash runs a program that is not looked into
		bash -cx ls :: ask :: bash runs a program that is not looked into
		bash a.txt :: ask :: bash runs a program that is not looked into
		ls | python3 :: ask :: python3 runs what another command tells it
	`)
}

// How deep commands may be wrapped in one another is the same number for each kind, where a script inside counts twice.
func TestDepth(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for before, most := range map[string]int{"nice ": 8, "xargs ": 8, "watch ": 4} {
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
		bash -c 'cd src; cat ../a.txt' :: allow :: it only reads
		bash -c 'cd src && cat b.go && cd .. && cat a.txt' :: allow :: it only reads
		bash -c 'cd src; cat ../../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		sh -c 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		watch 'cd nothing; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd a.txt; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; touch ../x' :: ask :: PARENT/x is outside
		bash -c 'cd nothing; cd ..; cat x' :: ask :: PARENT is outside
		bash -c 'cd src && false; cd src; cat ../../x' :: ask :: PARENT/x is outside
		bash -c 'false && cd src; cat ../x' :: ask :: PARENT/x is outside
		bash -c 'cd -L src; cat ../a.txt' :: allow :: it only reads
		bash -c 'ls; ls -l; pwd; cat a.txt; date; cat a.txt' :: allow :: it only reads
		bash -c '(cd src; ls); cat a.txt' :: allow :: it only reads
		bash -c 'ls; (cd src; ls); cat a.txt' :: allow :: it only reads
		bash -c 'mkdir -p x && cd x && touch y' :: allow :: it writes inside the project
		bash -c 'mkdir -p x; cd -- x; rm y' :: ask :: it deletes DIR/x/y
		bash -c 'ls; cd a; ls; cd b; ls; cd c; ls; cd d; ls' :: ask :: in which folder the inner script goes on is not known
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
			if told != (d.Verdict == permission.Allow) || !told && d.Reason != name+" runs a program that is not looked into" {
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

// The environment may hold secrets: no program that reads files shows it.
func TestEnvironmentOfJq(t *testing.T) {
	judged(t, permission.Balanced, `
		jq .name a.txt :: allow :: it only reads
		jq env a.txt :: deny :: it shows the environment
		jq env.HOME a.txt :: deny :: it shows the environment
		jq '$ENV' a.txt :: deny :: it shows the environment
		jq '.a|$ENV.HOME' a.txt :: deny :: it shows the environment
		jq '$environment.x' a.txt :: allow :: it only reads
		jq .env a.txt :: allow :: it only reads
		jq 'import "x" as y; .' a.txt :: ask :: it reads other files
	`)
}

// What destroys things elsewhere is asked about in every mode: no snapshot brings them back.
func TestDestroyedElsewhere(t *testing.T) {
	for _, script := range strings.Split("docker rm x,docker rmi x,docker system prune,podman rm x,kubectl delete pod x,helm uninstall x,terraform state rm x,terraform destroy,"+
		"aws s3 rm x,aws s3 rb x,aws ec2 terminate-instances,gcloud compute instances delete x,gh repo delete x,rsync --delete a b,apt purge x", ",") {
		for _, mode := range []permission.Mode{permission.Balanced, permission.Yolo} {
			p, dir := policy(t, mode)
			if d := p.Script(script, where(dir)); d.Verdict != permission.Ask || !strings.Contains(d.Reason, "destroys what is elsewhere") {
				t.Errorf("%s in mode %s: %s (%s)", script, mode, d.Verdict, d.Reason)
			}
		}
	}
}
