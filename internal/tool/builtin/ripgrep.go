package builtin

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// worthIt is the number of files from which the other program is faster than we are.
const worthIt = 1000

// ripgrep returns the program's path; empty if it is not installed. A relative one in PATH would depend on the
// folder.
var ripgrep = sync.OnceValue(func() string {
	program, err := exec.LookPath("rg")
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return ""
	}
	return program
})

// ripgrep asks rg, if it is installed, which of the files may have a match; nil if it cannot tell. Only its verdict
// on each file is used: which files there are, what is secret and which lines match is decided here, so that the
// answer is the same without it (except for invalid bytes, which no class of rg's matches). It walks as git does;
// files that git would ignore, but tracks or was asked for, are searched here.
func (s search) ripgrep(ctx context.Context, f *folder.Folder, names []string) (may []bool) {
	program := ripgrep()
	if program == "" || len(names) < worthIt || s.beyond {
		return nil
	}
	repo, err := f.Repo()
	if rel, relErr := filepath.Rel(f.Dir(), program); err != nil || relErr == nil && filepath.IsLocal(rel) {
		return nil
	}
	var ignored []string
	var asking sync.WaitGroup
	asking.Go(func() { ignored, err = repo.Ignored(ctx, names) })
	found, ok := s.ask(ctx, program, f.Dir())
	asking.Wait()
	if !ok || err != nil {
		return nil
	}
	may = make([]bool, len(names))
	for _, name := range slices.Concat(found, ignored) {
		if at, ok := slices.BinarySearch(names, strings.TrimPrefix(filepath.ToSlash(name), "./")); ok {
			may[at] = true
		}
	}
	return may
}

// ask runs rg in dir and returns the files with a match; false: it could not.
func (s search) ask(ctx context.Context, program, dir string) (found []string, ok bool) {
	cmd := exec.CommandContext(ctx, program, "--no-config", "--no-messages", "--hidden", "--binary", "--glob=!.git", "--no-ignore-dot",
		"--no-ignore-global",
		"--encoding=none", "--color=never", "--files-with-matches", "--null", "--regexp="+s.rust(), "--", "./")
	cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+root)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if process.Run(cmd) != nil || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
		return nil, false
	}
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 }), true
}

// rust returns the expression for rg: written out, so that \w and the like mean ASCII there too, and a line may end
// in CR.
func (s search) rust() string {
	return strings.NewReplacer(`\\`, `\\`, `\$`, `\$`, `$`, `(?:\r?$)`, `\b`, `(?-u:\b)`, `\B`, `(?-u:\B)`).Replace(s.tree.String())
}
