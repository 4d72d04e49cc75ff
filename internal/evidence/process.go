package evidence

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"os/exec"

	"github.com/socrates-cli/socrates/internal/process"
)

// outcome is how a program ended.
type outcome struct {
	code   int
	output string // the end of what it printed
	sum    string // SHA-256 of all it printed
}

// unclear are the exit statuses with which shells, and tools that start them, say that a program did not run to its end.
var unclear = map[int]string{
	126: "a program it needs cannot be run", 127: "a program it needs is not installed", 137: "it was killed", 143: "it was ended",
}

// run runs a program, without input, in a process group that is ended with it, together with processes that left the group, where the
// system shows them. An error says why its end shows nothing.
func run(ctx context.Context, cmd *exec.Cmd, keep int) (outcome, error) {
	printed := &record{hash: sha256.New(), keep: keep}
	cmd.Stdout, cmd.Stderr = printed, printed
	process.Mark(cmd)
	if err := process.Run(cmd); err != nil {
		return outcome{}, err
	}
	code := cmd.ProcessState.ExitCode()
	switch {
	case ctx.Err() != nil:
		return outcome{}, fmt.Errorf("it was ended: %w", context.Cause(ctx))
	case code < 0:
		return outcome{}, fmt.Errorf("it was ended: %v", cmd.ProcessState)
	case unclear[code] != "":
		return outcome{}, fmt.Errorf("it ended with status %d: %s", code, unclear[code])
	}
	return outcome{code, printed.end(), fmt.Sprintf("%x", printed.hash.Sum(nil))}, nil
}

// record hashes what is written to it and keeps the last keep bytes. Only one goroutine may write at a time.
type record struct {
	hash hash.Hash
	last []byte
	keep int
}

// Write never fails, so its output cannot stop a program.
func (r *record) Write(p []byte) (int, error) {
	r.hash.Write(p)
	r.last = append(r.last, p[max(0, len(p)-r.keep):]...)
	if len(r.last) > 2*r.keep {
		r.last = append(r.last[:0], r.last[len(r.last)-r.keep:]...)
	}
	return len(p), nil
}

func (r *record) end() string { return string(r.last[max(0, len(r.last)-r.keep):]) }
