package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
)

// position is a client's position in a debate.
type position struct {
	room string
	cursor
	notes []string // warnings from the start
}

// cursor is the position up to which a client was told. It counts waits too, so that no two calls are the same: some
// clients take equal calls for a loop and stop their model.
type cursor struct {
	node  int64 // the number of the last node
	waits int
}

// Clients return it without reading it.
func (c cursor) String() string { return fmt.Sprintf("%d-%d", c.node, c.waits) }

// cursorOf parses one. Anything invalid means the beginning.
func cursorOf(text string) (c cursor) {
	fmt.Sscanf(text, "%d-%d", &c.node, &c.waits)
	return c
}

// The lines with which a process that runs a debate identifies it: the first names it, the last says that all
// warnings were written.
const (
	Begins = "start"
	Holds  = "holds"
)

// line is what is read of a started program's stream. Lines of other types leave fields empty.
type line struct {
	Type    string `json:"type"`
	Session string `json:"session"`
	Message string `json:"message"`
	Reason  string `json:"reason"`
	Code    int    `json:"exit_code"`
	Error   string `json:"error"`
	Hint    string `json:"hint"`
}

// failed returns the error of a process that failed.
func (l line) failed() error {
	return failure.New(max(l.Code, failure.ExitFailed), l.Reason, l.Error, l.Hint)
}

// start runs the debate in a process of its own, and reports that meanwhile.
func (d *door) start(ctx context.Context, in Ask, p *progress) (position, error) {
	defer p.every(d.beat)()
	room, notes, err := Start(ctx, d.Program, d.Dir, in)
	return position{room: room, notes: notes}, err
}

// Start runs a debate about a folder in a process of its own and returns once its name is on disk, with warnings.
// That process leads a session: it continues if this one, the client or their terminal ends. The error is that of the
// other process, with its exit code, or ctx's. ctx does not end the debate: it may have begun.
func Start(ctx context.Context, program []string, dir string, in Ask) (room string, notes []string, err error) {
	if err := in.check(); err != nil {
		return "", nil, failure.Usage(err.Error(), "")
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return "", nil, err
	}
	return Begin(ctx, program, dir, bytes.NewReader(raw), "mcp", "host", "--output", "stream-json")
}

// Begin runs a debate in a process of its own with arguments of mcp host, and returns as Start does. stdin may be
// nil. The stream is read up to the line that ends the warnings, and closed: the process must tolerate that nobody
// reads on.
func Begin(ctx context.Context, program []string, dir string, stdin io.Reader, args ...string) (room string, notes []string, err error) {
	if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) { // else the error would name the program
		return "", nil, failure.Usage("the project's folder "+dir+" does not exist", "move it back, or name another project")
	}
	cmd := command(program, dir, args...)
	cmd.Stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start the debate: %w", err)
	}
	type begun struct {
		at  position
		err error
	}
	done := make(chan begun, 1)
	go func() {
		at, err := begin(bufio.NewScanner(stdout))
		done <- begun{at, err}
		stdout.Close() // nobody reads on: the debate is followed in the store
		cmd.Wait()
	}()
	select {
	case b := <-done:
		return b.at.room, b.at.notes, b.err
	case <-ctx.Done():
		return "", nil, context.Cause(ctx)
	}
}

// command returns the command of this program in a folder, in a session of its own. It inherits our environment and
// ends with nobody.
func command(program []string, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(program[0], append(program[1:len(program):len(program)], args...)...)
	cmd.Dir = dir
	detach(cmd)
	return cmd
}

// Launch continues something in a process of its own and returns once running is true, or with the error of a process
// that did not begin. A process that ends before is a failure only with a code below failure.ExitNone: others are
// results, which the store has.
func Launch(ctx context.Context, program []string, dir string, running func() bool, args ...string) error {
	cmd := command(program, dir, args...)
	said := &tail{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(lookEvery / 20)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < failure.ExitNone {
				message, hint, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(said.String(), "socrates: ")), "\n")
				return failure.New(max(exit.ExitCode(), failure.ExitFailed), "refused", message, strings.TrimSpace(hint))
			}
			return nil
		case <-tick.C:
			if running() {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tail keeps the end of a process's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails, and keeps the last 8 KB.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-8<<10):]
	return len(p), nil
}

// String returns what was kept so far.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// begin reads a stream up to the debate's first node, and collects its warnings. A result instead of a beginning is
// the error of the process. A line that is not JSON is skipped.
func begin(lines *bufio.Scanner) (at position, err error) {
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		switch l.Type {
		case Begins:
			at.room = l.Session
		case "warning":
			at.notes = append(at.notes, l.Message)
		case Holds:
			return at, nil
		case "result":
			return at, l.failed()
		}
	}
	if at.room == "" {
		err = errors.New("the debate did not start; try it in a terminal: socrates debate")
	}
	return at, err
}

// sayTo sends a message to a debate from another process of this program, and waits for it. It is not interrupted
// halfway. Exit codes from failure.ExitNone on are the verdict's and mean that it was sent.
func (d *door) sayTo(ctx context.Context, room, text string) error {
	cmd := command(d.Program, d.Dir, "debate", "tell", "--output", "json", "--", room, text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= failure.ExitNone { // the verdict's
			return nil
		}
		if err != nil {
			return errors.New(strings.TrimSpace(strings.TrimPrefix(d.Clean(stderr.String()), "socrates: ")))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
