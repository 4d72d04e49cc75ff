package evidence_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/git"
)

// install puts the probe on the search path and returns a new folder for a project. What looks leave behind in the
// temporary folder fails the test.
func install(t *testing.T) (project string) {
	t.Helper()
	bin, temp := t.TempDir(), t.TempDir()
	name := "probe"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link(t, self, filepath.Join(bin, name))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		t.Setenv(name, temp)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return filepath.Join(t.TempDir(), "project")
}

// try runs the probe, allowed in just these words, in dir.
func try(t *testing.T, dir, expect string, args ...string) debate.Observation {
	t.Helper()
	argv := append([]string{"probe"}, args...)
	l := &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Timeout: time.Minute}
	return look(t, l, verdict.Evidence{Kind: "command", Command: argv, Expect: expect})
}

func TestCommands(t *testing.T) {
	dir := install(t)
	write(t, dir, "f", "content\n")
	const same, other = "the same in an empty folder", "otherwise in an empty folder: status "
	for _, tc := range []struct {
		expect  string
		args    []string
		result  string
		says    string
		control string
		passed  bool // the control run came out as expected
	}{
		{"", []string{"show", "f"}, verdict.Pass, "status 0: content", other + "1", false},
		{"pass", []string{"show", "g"}, verdict.Fail, "status 1", same, false},
		{"fail", []string{"show", "g"}, verdict.Pass, "status 1", same, true},
		{"fail", []string{"show", "f"}, verdict.Fail, "status 0", other + "1", true},
		{"pass", []string{"say", "0", "ok"}, verdict.Pass, "status 0: ok", same, true},
		{"fail", []string{"say", "7", "a", "b\x1b[2J", "", "c", "d\r", "e"}, verdict.Pass, "status 7: b | c | d | e", same, true},
		{"pass", []string{"input"}, verdict.Pass, "0 bytes, <nil>", same, true},
	} {
		o := try(t, dir, tc.expect, tc.args...)
		expect(t, o, tc.result, verdict.Executed, tc.says)
		if o.Control != tc.control || !reflect.DeepEqual(o.Trials, []verdict.Trial{{Grade: verdict.Executed, Passed: tc.passed}}) {
			t.Errorf("%s: control %q, trials %+v", tc.args, o.Control, o.Trials)
		}
	}
	o := try(t, dir, "", "show", "f")
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte("content\n"))); o.Proof != (verdict.Proof{SHA256: want}) {
		t.Errorf("proof %+v, want the hash of the output", o.Proof)
	}
}

func TestCommandsThatShowNothing(t *testing.T) {
	dir := install(t)
	write(t, dir, "f", "content\n")
	l := &evidence.Looker{Dir: dir, Timeout: 300 * time.Millisecond, Commands: [][]string{{"probe", "*"}, {"no-such-program"}}}
	for _, expected := range []string{"pass", "fail"} {
		for says, args := range map[string][]string{"127": {"say", "127", "sh: x: not found"}, "126": {"say", "126"}, "137": {"say", "137"}} {
			expect(t, try(t, dir, expected, args...), verdict.Skipped, verdict.Nothing, "status "+says)
		}
		o := look(t, l, verdict.Evidence{Kind: "command", Command: []string{"probe", "flood"}, Expect: expected})
		expect(t, o, verdict.Skipped, verdict.Nothing, "longer than 300ms")
		o = look(t, l, verdict.Evidence{Kind: "command", Command: []string{"no-such-program"}, Expect: expected})
		expect(t, o, verdict.Skipped, verdict.Nothing, "no-such-program is not installed")
	}
	o := look(t, l, verdict.Evidence{Kind: "command", Command: []string{"probe", "wait"}})
	expect(t, o, verdict.Skipped, verdict.Nothing, "longer than 300ms")
	gone := filepath.Join(dir, "gone")
	expect(t, try(t, gone, "", "say", "0"), verdict.Skipped, verdict.Nothing, "copying the folder")
}

func TestCancelledCommands(t *testing.T) {
	dir := install(t)
	write(t, dir, "f", "content\n")
	l := &evidence.Looker{Dir: dir, Commands: [][]string{{"probe", "wait"}}}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the round is over"))
	o := l.Look(ctx, verdict.Claim{Evidence: verdict.Evidence{Kind: "command", Command: []string{"probe", "wait"}}})
	expect(t, o, verdict.Skipped, verdict.Nothing)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// A long output keeps its end, and is hashed whole.
func TestOutputIsBounded(t *testing.T) {
	dir := install(t)
	body := strings.Repeat("filler é\n", 1<<20) + "the end\n"
	write(t, dir, "f", body)
	argv := []string{"probe", "show", "f"}
	o := look(t, &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Output: 15}, verdict.Evidence{Kind: "command", Command: argv})
	expect(t, o, verdict.Pass, verdict.Executed, "| the end")
	if len(o.Detail) > 60 || o.Proof.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(body))) {
		t.Errorf("detail %q, proof %+v", o.Detail, o.Proof)
	}
}

func TestCommandsSeeLittleOfUs(t *testing.T) {
	dir := install(t)
	write(t, dir, "f", "content\n")
	for _, name := range []string{"EVIL_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "HTTPS_PROXY", "GIT_DIR", "LD_LIBRARY_PATH", "BASH_ENV", "NODE_OPTIONS"} {
		t.Setenv(name, "canary")
	}
	into := filepath.Join(t.TempDir(), "environ")
	expect(t, try(t, dir, "", "environ", into), verdict.Pass, verdict.Executed)
	body, err := os.ReadFile(into)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for line := range strings.SplitSeq(string(body), "\n") {
		name, value, _ := strings.Cut(line, "=")
		if seen[name] = value; value == "canary" {
			t.Errorf("the command sees %s", name)
		}
	}
	for _, name := range []string{"HOME", "TMPDIR"} {
		if v := seen[name]; v == "" || v == os.Getenv(name) || !strings.HasPrefix(v, os.Getenv("TMPDIR")) {
			t.Errorf("%s is %q, want a folder of its own", name, v)
		}
	}
}

// What lies in the project is never the program a pattern means.
func TestProgramsOfTheProjectAreNotRun(t *testing.T) {
	dir := install(t)
	self, _ := os.Executable()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	name := "shadow"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	link(t, self, filepath.Join(dir, "bin", name))
	link(t, self, filepath.Join(dir, name))
	outside := filepath.Join(t.TempDir(), "link")
	link(t, filepath.Join(dir, "bin"), outside)
	t.Chdir(dir)
	list := string(filepath.ListSeparator)
	t.Setenv("PATH", filepath.Join(dir, "bin")+list+"."+list+"bin"+list+list+dir+list+outside+list+os.Getenv("PATH"))
	argv := []string{"shadow"}
	o := look(t, &evidence.Looker{Dir: dir, Commands: [][]string{argv}}, verdict.Evidence{Kind: "command", Command: argv})
	expect(t, o, verdict.Skipped, verdict.Nothing, "shadow is not installed")
}

// repository makes dir a repository with a commit, an edit, an untracked and an ignored file.
func repository(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	write(t, dir, "f", "committed\n")
	write(t, dir, ".gitignore", "ignored\nnode_modules\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "m"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	write(t, dir, "f", "edited\n")
	write(t, dir, "untracked", "new\n")
	write(t, dir, "ignored", "built\n")
}

func TestCommandsRunOnWhatIsThere(t *testing.T) {
	dir := install(t)
	repository(t, dir)
	write(t, dir, "sub/g", "below\n")
	expect(t, try(t, dir, "", "show", "f"), verdict.Pass, verdict.Executed, "edited")
	expect(t, try(t, dir, "", "show", "untracked"), verdict.Pass, verdict.Executed, "new")
	expect(t, try(t, dir, "", "show", "ignored"), verdict.Fail, verdict.Executed)
	expect(t, try(t, filepath.Join(dir, "sub"), "", "show", "g"), verdict.Pass, verdict.Executed, "below")
}

// A copy without what the project needs can show that something works, but not that it does not.
func TestCopiesThatLackDependencies(t *testing.T) {
	dir := install(t)
	repository(t, dir)
	write(t, dir, "node_modules/x/index.js", "x\n")
	for _, expected := range []string{"pass", "fail"} {
		expect(t, try(t, dir, expected, "say", "1"), verdict.Skipped, verdict.Nothing, "without node_modules")
	}
	expect(t, try(t, dir, "pass", "say", "0"), verdict.Pass, verdict.Executed)
}

func TestCommandsDoNotChangeTheProject(t *testing.T) {
	for name, make := range map[string]func(*testing.T, string){
		"repository": repository, "folder": func(t *testing.T, dir string) { write(t, dir, "f", "edited\n") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := install(t)
			make(t, dir)
			link(t, "f", filepath.Join(dir, "alias"))
			link(t, filepath.Join(dir, "f"), filepath.Join(dir, "absolute"))
			before := state(t, dir)
			for _, file := range []string{"f", "untracked", "new", "alias", "absolute"} {
				expect(t, try(t, dir, "", "write", file), verdict.Pass, verdict.Executed)
			}
			expect(t, try(t, dir, "", "lock"), verdict.Pass, verdict.Executed)
			if after := state(t, dir); !reflect.DeepEqual(before, after) {
				t.Errorf("the project was %v and is %v", before, after)
			}
			// Nor does one command see what another left.
			expect(t, try(t, dir, "", "show", "new"), verdict.Fail, verdict.Executed)
		})
	}
}

// state is the content of every file below dir, and what git thinks of it.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		files[name] = fmt.Sprintf("%v %x", d.Type(), sha256.Sum256(body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if repo, err := git.Open(dir); err == nil {
		print, err := repo.Fingerprint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		files["git"] = fmt.Sprint(print)
	}
	return files
}
