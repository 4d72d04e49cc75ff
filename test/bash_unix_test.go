//go:build unix

package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/sandbox"
)

// workshop is the small project in which models' scripts run.
var workshop = map[string]string{
	"a.txt":    "alpha one\nbeta two\ngamma three\n",
	"data.csv": "name,value\nx,3\ny,1\nz,2\n", "conf.json": `{"name": "demo", "v": 1}` + "\n",
	"src/main.py": "import sys\nprint(\"main\", len(sys.argv))  # TODO\n",
	"src/util.py": "X = 1\n", "run.sh": "#!/bin/bash\necho \"run ${1:-none}\"\n",
	"lib.sh": "LIBVAR=lib\ngreet() { echo \"hello $1\"; }\n", "Makefile": "all:\n\t@echo made\nhello:\n\t@echo hello $(NAME)\n",
	"hello.c": "#include <stdio.h>\nint main(void) { puts(\"hello c\"); return 0; }\n",
}

// TestBash runs scripts as models write them, in balanced with nobody to ask, and by bash: output and status are the same for at least
// 97 in 100, and each of the others is refused with a word on what to write instead. One in six is tried; with SOCRATES_STRESS, all.
func TestBash(t *testing.T) {
	if testing.Short() || sandbox.Probe(t.Context()).Files.Level != sandbox.Held {
		t.Skip("it needs a sandbox, and time")
	}
	for _, name := range []string{"bash", "python3", "gcc", "make", "jq", "perl", "bc", "column", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	text, err := os.ReadFile("test/testdata/bash.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) < 200 {
		t.Fatalf("%d scripts", len(lines))
	}
	tried := []string{}
	for i, line := range lines {
		if i%6 == 0 || os.Getenv("SOCRATES_STRESS") != "" {
			tried = append(tried, line)
		}
	}
	ours := ourselves(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	differ, refused := 0, 0
	next := make(chan string)
	for range 4 {
		wait.Go(func() {
			for line := range next {
				script := strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(line)
				want, _ := inWorkshop(t, "bash", "-c", script)
				call, _ := json.Marshal(map[string]string{"command": script})
				got, code := inWorkshop(t, ours, "tool", "bash", "--json", string(call))
				mu.Lock()
				switch {
				case strings.Contains(got, "Instead: ") && code == 6:
					refused++
					t.Logf("refused: %s", line)
				case got != want:
					differ++
					t.Errorf("%s\nbash: %q\nours: %q", line, want, got)
				}
				mu.Unlock()
			}
		})
	}
	for _, line := range tried {
		next <- line
	}
	close(next)
	wait.Wait()
	if refused*100 > len(tried)*3 {
		t.Errorf("of %d scripts %d are refused", len(tried), refused)
	}
	t.Logf("of %d scripts %d differ and %d are refused", len(tried), differ, refused)
}

// inWorkshop is what a program says and how it ends in a new project, as the tool bash tells it.
func inWorkshop(t *testing.T, name string, args ...string) (said string, code int) {
	dir := t.TempDir()
	for file, text := range workshop {
		path := filepath.Join(dir, "p", filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "p", "run.sh"), 0o755), os.Mkdir(filepath.Join(dir, "home"), 0o755)); err != nil {
		t.Error(err)
	}
	c := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	c.Dir = filepath.Join(dir, "p")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "CI=true"}
	out, err := c.CombinedOutput()
	said, code = strings.TrimRight(string(out), "\n"), 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if name == "bash" && code != 0 {
		said = strings.TrimRight(said, "\n") + fmt.Sprintf("\n[exit status %d]", code)
	}
	if said == "" {
		said = "[no output]"
	}
	return strings.TrimLeft(said, "\n"), code
}
