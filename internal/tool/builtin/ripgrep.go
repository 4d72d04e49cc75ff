package builtin

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// worthIt is from how many files on another program is faster than we are, where there is no text to jump to.
const worthIt = 1000

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

// ripgrep asks rg, if it is installed, which of the files may have a match; nil: it cannot say. Only its opinion on each
// file counts: which files there are, what is secret and which lines match is found out here, so that the answer is the
// same without it (but for bytes that are no letters: no class of rg's has them). Links and what is no file are never
// named to it.
func (s search) ripgrep(ctx context.Context, f *folder.Folder, names []string) (may []bool) {
	program := ripgrep()
	if program == "" || len(names) < worthIt || s.beyond || len(s.literal) > 0 {
		return nil
	}
	if rel, err := filepath.Rel(f.Dir(), program); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	ordinary := make([]bool, len(names))
	may = make([]bool, len(names))
	each(ctx, f, len(names), func(r *folder.Reader, i int) bool {
		size, ok := r.Size(names[i])
		ordinary[i] = ok && size <= largest
		may[i] = !ordinary[i] // these are looked at here
		return true
	})
	places := map[string]int{}
	var batch []string
	size := 0
	for i, name := range names {
		if ordinary[i] {
			places[name] = i
			batch = append(batch, filepath.FromSlash(name))
			size += len(name) + 1
		}
		if size < batchSize() && i < len(names)-1 || len(batch) == 0 {
			continue
		}
		found, ok := s.ask(ctx, program, f.Dir(), batch)
		if !ok {
			return nil
		}
		for _, name := range found {
			if at, ok := places[filepath.ToSlash(name)]; ok {
				may[at] = true
			}
		}
		batch, size = batch[:0], 0
	}
	return may
}

// batchSize is how many bytes of names one command line holds anywhere.
func batchSize() int {
	if runtime.GOOS == "windows" {
		return 20 << 10
	}
	return 96 << 10
}

// ask runs rg over files and returns those with a match; false: it could not.
func (s search) ask(ctx context.Context, program, dir string, files []string) (found []string, ok bool) {
	args := []string{"--no-config", "--no-messages", "--no-ignore", "--hidden", "--encoding=none", "--color=never",
		"--files-with-matches", "--null", "--regexp=" + s.rust(), "--"}
	cmd := exec.CommandContext(ctx, program, append(args, files...)...)
	cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+root)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if process.Run(cmd, time.Second) != nil || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
		return nil, false
	}
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 }), true
}

// rust is the expression as rg reads it: written out, so that \w and the like mean ASCII there too, and a line may end in CR.
func (s search) rust() string {
	return strings.NewReplacer(`\\`, `\\`, `\$`, `\$`, `$`, `(?:\r?$)`, `\b`, `(?-u:\b)`, `\B`, `(?-u:\B)`).Replace(s.tree.String())
}
