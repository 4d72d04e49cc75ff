//go:build unix

package stress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rewriter fills four hundred files with the word that it is told.
const rewriter = `info: {id: rewriter, window: 100000}
rules:
  - contains: two
    calls: [{tool: bash, args: {command: "for i in $(seq 400); do echo two > f$i; done; rm f1; echo new > g"}}]
    reply: Done.
  - contains: one
    calls: [{tool: bash, args: {command: "for i in $(seq 400); do echo one > f$i; done"}}]
    reply: Done.
`

// TestBackKilledAnywhere kills tree back --files at random moments. Afterwards the conversation and the files are both as before, or both as
// at the point gone back to, or the program says that it was interrupted; then the command it names finishes it. A person's own file stays.
func TestBackKilledAnywhere(t *testing.T) {
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	project := filepath.Join(home, "project")
	call := func(args ...string) (string, string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		return stdout.String(), stderr.String(), err
	}
	must := func(args ...string) (string, string) {
		t.Helper()
		stdout, stderr, err := call(args...)
		if err != nil {
			t.Fatalf("socrates %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
		}
		return stdout, stderr
	}
	script := filepath.Join(home, "rewriter.yaml")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(rewriter), 0o600); err != nil {
		t.Fatal(err)
	}
	must("run", "--session", "x", "--mode", "yolo", "--model", "script:"+script, "one")
	must("run", "--continue", "--mode", "yolo", "--model", "script:"+script, "two")
	if err := os.WriteFile(filepath.Join(project, "mine.txt"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	head := func() string {
		stdout, _ := must("tree", "show", "x", "--output", "json")
		var v struct{ Head string }
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Fatal(err)
		}
		return v.Head
	}
	files := func() string {
		words := map[string]int{}
		for i := 1; i <= 400; i++ {
			text, _ := os.ReadFile(filepath.Join(project, fmt.Sprintf("f%d", i)))
			words[strings.TrimSpace(string(text))]++
		}
		_, err := os.Stat(filepath.Join(project, "g"))
		switch {
		case words["one"] == 400 && err != nil:
			return "one"
		case words["two"] == 399 && words[""] == 1 && err == nil:
			return "two"
		}
		return "mixed"
	}
	began := time.Now()
	before := head()
	must("tree", "back", "x", "1", "--files")
	takes := time.Since(began)
	must("tree", "switch", "x", before, "--files")
	rnd := rand.New(rand.NewPCG(1, 2))
	mixed := 0
	for i := range 6 {
		if files() != "two" {
			t.Fatal("the files are not as the second turn left them")
		}
		cmd := exec.Command(program, "tree", "back", "x", "1", "--files")
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		was := head()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			time.Sleep(time.Duration(rnd.Int64N(int64(takes))))
		} else {
			begun(filepath.Join(project, "g"), takes)
			time.Sleep(time.Duration(rnd.Int64N(int64(4 * time.Millisecond))))
		}
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		_, says := must("tree", "show", "x")
		told := strings.Contains(says, "was interrupted")
		now, state := head(), files()
		switch {
		case told:
			if mixed++; mixed == 1 {
				if _, refused, err := call("run", "--continue", "--model", "script:"+script, "one"); err == nil || !strings.Contains(refused, "was interrupted") {
					t.Fatalf("a model works on files that are half restored: %v %s", err, refused)
				}
			}
			_, finish, _ := strings.Cut(strings.TrimSpace(says), "Finish it: socrates ")
			must(strings.Fields(finish)...)
			if state = files(); state != "one" {
				t.Fatalf("finished, the files are %s", state)
			}
		case now == was && state == "two":
			continue
		case now == was || state != "one":
			t.Fatalf("killed, nothing is said, the conversation moved: %v, files: %s\n%s", now != was, state, says)
		}
		if _, err := os.Stat(filepath.Join(project, "mine.txt")); err != nil {
			t.Fatal(err)
		}
		must("tree", "switch", "x", before, "--files")
	}
	t.Logf("%d of 6 were interrupted", mixed)
}

// begun waits until a file is gone, but no longer than five times what it usually takes.
func begun(file string, takes time.Duration) {
	for end := time.Now().Add(5 * takes); time.Now().Before(end); time.Sleep(50 * time.Microsecond) {
		if _, err := os.Stat(file); err != nil {
			return
		}
	}
}
