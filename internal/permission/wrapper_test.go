package permission_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
)

// judged holds scripts against verdict and reason. The reason is what comes first of it, with the folder as DIR.
func judged(t *testing.T, mode permission.Mode, table string) {
	t.Helper()
	p, dir := policy(t, mode)
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSpace(line), " :: ")
		if len(f) != 3 {
			continue
		}
		d := p.Script(f[0], where(dir))
		reason := strings.ReplaceAll(d.Reason, dir, "DIR")
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
		echo ':!rm x' | vi -v :: ask :: vi runs what another command tells it
		echo x | vim -V :: ask :: vim runs what another command tells it
		echo x | swift -v :: ask :: swift runs what another command tells it
		echo x | tclsh --version :: ask :: tclsh runs what another command tells it
		echo x | expect --version :: ask :: expect runs what another command tells it
		ed --version :: ask :: ed runs a program
		ex --version :: ask :: ex runs a program
	`)
}
