package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	group "github.com/socrates-cli/socrates/internal/process"
)

const (
	maxLine   = 64 << 20               // a longer line is an error, not a crash
	tailSize  = 4 << 10                // how much of stderr is kept
	pipeDrain = 250 * time.Millisecond // how long a dead program's child may hold its pipes
)

// process is a running program in a group of its own, spoken to in lines.
//
// Three goroutines belong to it: watch starts and reaps it, read or readText forwards its output, and a tail collects
// stderr. Lines are passed one at a time, so a program that writes faster than it is read blocks. next, send and
// write are for one caller at a time; end and alive for any number. Whoever started a process must call end, even if
// it has died.
type process struct {
	name    string
	started command // how
	dir     string  // where it runs
	grace   time.Duration
	stdin   io.WriteCloser
	lines   chan []byte // closed when nothing more will come
	fault   error       // why lines was closed, if not because the program ended; read after lines is closed
	errout  tail
	// complaints are the lines of stderr that the program's notices selects. They are dropped when nobody reads them.
	complaints chan []byte

	spent bool // the process ends with what its last turn has left behind

	held      *held      // nil: not confined
	trouble   chan error // hosts of its own that cannot be reached
	unreached error      // the last of these errors that was read
	muted     <-chan time.Time

	group    group.Group
	over     chan struct{} // closed when nobody reads lines any more
	dead     chan struct{} // closed when the program was reaped and its group swept
	homeGone chan struct{} // closed when its home is gone, which is after end was called
	exit     error         // how it ended; read after dead is closed
	once     sync.Once
}

// command is how a process is started.
type command struct {
	name      string // of the program
	bin       string
	args, env []string
	dir       string // where it runs; empty means an empty folder of its own
	home      *home  // removed when the process is gone or cannot start
	works     bool   // it changes dir instead of reading there
	borrowed  bool   // the home belongs to another process, and stays
	hold      *Hold  // nil: not confined
	reach     reach
	mute      time.Duration // see Options
	grace     time.Duration
	skim      func(head []byte) ([]byte, bool) // see Program
	notices   func() *regexp.Regexp            // see Program
	text      bool                             // see Program
}

// startProcess starts c and takes over its home: the home is removed when the process is gone, also if it cannot be
// started. An error that is no *trouble.Error is that of the system.
func startProcess(c command) (*process, error) {
	p := &process{name: filepath.Base(c.bin), started: c, dir: c.dir, grace: c.grace, lines: make(chan []byte), over: make(chan struct{}),
		dead: make(chan struct{}), homeGone: make(chan struct{})}
	p.complaints, p.trouble = make(chan []byte, 16), make(chan error, mostTrouble)
	cmd, mark, err := p.prepare(c)
	if err != nil {
		p.leaveHome()
		return nil, err
	}
	r, w := io.Pipe()
	cmd.Stdout = w
	started := make(chan error)
	go p.watch(cmd, mark, w, started)
	if err := <-started; err != nil {
		return nil, err
	}
	slog.Debug("program started", "program", c.bin, "pid", cmd.Process.Pid, "folder", p.dir, "held", c.hold != nil)
	if c.text {
		go p.readText(r)
	} else {
		go p.read(r, c.skim)
	}
	return p, nil
}

// prepare makes the command, confined if c asks for it. mark is the environment by which the processes it leaves
// behind are found.
func (p *process) prepare(c command) (cmd *exec.Cmd, mark []string, err error) {
	path, err := find(c.bin)
	if err != nil {
		return nil, nil, err
	}
	if p.dir == "" {
		p.dir = filepath.Join(c.home.dir, emptyFolder)
	}
	if c.hold == nil {
		if err := c.home.fill(); err != nil {
			return nil, nil, fmt.Errorf("its home: %w", err)
		}
	}
	p.errout.notices, p.errout.noticed = c.notices, p.complaints
	cmd = exec.Command(path, c.args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = p.dir, c.env, &p.errout, pipeDrain
	group.Mark(cmd)
	group.Prepare(cmd)
	mark = cmd.Env
	if p.stdin, err = cmd.StdinPipe(); err == nil && c.hold != nil {
		p.held, err = c.hold.confine(cmd, c, p.unreachable)
	}
	return cmd, mark, err
}

// unreachable stores the error about a host of the program's own.
func (p *process) unreachable(err error) {
	select {
	case p.trouble <- err:
	default: // there are enough of them
	}
}

// leaveHome removes the home unless another process needs it.
func (p *process) leaveHome() {
	if !p.started.borrowed {
		p.started.home.remove()
	}
}

// find returns the absolute path of a program, which does not depend on the folder it will run in.
func find(bin string) (string, error) {
	path, err := exec.LookPath(bin)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// watch starts the program, reaps it and sweeps its group. It keeps one thread for the program's whole life, because
// on Linux the signal that ends a program together with us is sent when the thread that started it ends.
func (p *process) watch(cmd *exec.Cmd, mark []string, w *io.PipeWriter, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		cmd.Env = mark // the sandbox has used it
		if p.group, err = group.Adopt(cmd); err == nil {
			err = p.held.started()
		}
		if err != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	if err != nil {
		p.held.end()
		p.leaveHome()
		started <- err
		return
	}
	started <- nil
	if p.exit = cmd.Wait(); errors.Is(p.exit, exec.ErrWaitDelay) {
		p.exit = nil // it ended well; a child of it holds the pipes
	}
	p.group.Kill()
	p.group.Release()
	w.Close()
	close(p.dead)
	<-p.over
	p.held.end()
	p.leaveHome()
	close(p.homeGone)
}

// read forwards lines until the output ends, nobody listens any more, or a line is too long. Empty lines are left
// out.
func (p *process) read(r *io.PipeReader, skim func([]byte) ([]byte, bool)) {
	defer close(p.lines)
	defer r.Close()
	b := bufio.NewReaderSize(r, 32<<10)
	for {
		line, err := readLine(b, maxLine, skim)
		if line = bytes.TrimSpace(line); len(line) > 0 && err != errLong {
			select {
			case p.lines <- line:
			case <-p.over:
				return
			}
		}
		if err == errLong {
			p.fault = &trouble.Error{Kind: trouble.Malformed,
				Message: fmt.Sprintf("%s wrote a line of more than %d MiB", p.name, maxLine>>20)}
		}
		if err != nil {
			return
		}
	}
}

// readText forwards the output as it comes, and an empty line once the program has ended.
func (p *process) readText(r *io.PipeReader) {
	defer close(p.lines)
	defer r.Close()
	for piece := make([]byte, 32<<10); ; {
		n, err := r.Read(piece)
		if err != nil {
			<-p.dead
			n = 0
		}
		select {
		case p.lines <- bytes.Clone(piece[:n]):
		case <-p.over:
			return
		}
		if err != nil {
			return
		}
	}
}

// errLong is why reading stops: the memory used for a program's output is limited.
var errLong = errors.New("line too long")

// headSize is how much of a line is passed to skim. Shorter lines are not worth it.
const headSize = 1 << 10

// readLine reads up to and including the next newline, whatever its length up to limit. What skim, which may be nil,
// does not want is skipped without being stored.
func readLine(b *bufio.Reader, limit int, skim func([]byte) ([]byte, bool)) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		if skim != nil && line == nil && len(part) > headSize {
			if short, ok := skim(part[:headSize]); ok {
				for err == bufio.ErrBufferFull {
					_, err = b.ReadSlice('\n')
				}
				return short, err
			}
		}
		line = append(line, part...)
		if len(line) > limit {
			return line, errLong
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// next waits for a line. Its error is ctx's, or a *trouble.Error that says how the program ended.
//
// Complaints are lines like others, in no certain order with them. If a host of its own could not be reached it waits
// a while for another one to answer, and gives up with the reason of the first: some programs try on for ever without
// a word.
func (p *process) next(ctx context.Context) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case line := <-p.complaints: // read first, since it was written before the end
		return line, nil
	default:
	}
	for {
		select {
		case line, ok := <-p.lines:
			if ok {
				return line, nil
			}
			return nil, p.obituary(ctx)
		case line := <-p.complaints:
			return line, nil
		case p.unreached = <-p.trouble:
			if p.muted == nil {
				p.muted = time.After(p.started.mute)
			}
		case <-p.muted:
			p.muted = nil
			if !p.held.gate.Reached() {
				return nil, &trouble.Error{Kind: trouble.Network, Message: p.unreached.Error()}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// forget drops unread complaints: they were about something that is over.
func (p *process) forget() {
	for {
		select {
		case <-p.complaints:
		default:
			return
		}
	}
}

// send writes v as one line of JSON.
func (p *process) send(ctx context.Context, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("message for %s: %w", p.name, err)
	}
	return p.write(ctx, append(line, '\n'))
}

// write sends b to the program, or gives up when ctx ends. Part of b may be written then, so the process is of no use
// any more; the goroutine that still writes ends with it.
func (p *process) write(ctx context.Context, b []byte) error {
	wrote := make(chan error, 1)
	go func() {
		_, err := p.stdin.Write(b)
		wrote <- err
	}()
	select {
	case err := <-wrote:
		if err != nil {
			return p.obituary(ctx)
		}
		return nil
	case <-ctx.Done(): // the writer ends with the process
		return ctx.Err()
	}
}

// obituary returns why the program no longer answers: the fault of its output if there was one, else how it ended,
// with the end of its stderr, which also decides the kind of the error. It waits briefly for the exit, since the
// output closes first.
func (p *process) obituary(ctx context.Context) error {
	if p.fault != nil {
		return p.fault
	}
	how := "closed its output"
	select {
	case <-p.dead:
		how = "ended: exit status 0"
		if p.exit != nil {
			how = "ended: " + p.exit.Error()
		}
	case <-time.After(p.grace):
	case <-ctx.Done():
	}
	last := oneLine(p.errout.String())
	e := classify(0, last, trouble.Crash)
	e.Message = p.name + " " + how
	if last != "" {
		e.Message += ": " + last
	}
	return e
}

// alive reports whether the program has not been reaped yet.
func (p *process) alive() bool {
	select {
	case <-p.dead:
		return false
	default:
		return true
	}
}

// end ends the program and its group and waits until it is gone. It may be called more than once.
//
// It asks first: it closes standard input and signals the group to terminate. After grace it kills the group. In all
// it takes at most four times grace; only a process stuck in the kernel would survive longer.
func (p *process) end() {
	p.once.Do(func() {
		close(p.over)
		p.stdin.Close()
		p.group.Terminate()
		for range 2 {
			select {
			case <-p.dead:
				return
			case <-time.After(p.grace):
				p.group.Kill()
			}
		}
	})
	select {
	case <-p.homeGone:
	case <-time.After(2 * p.grace): // not even killing helped: nothing more can be done
	}
}

// tail keeps the end of what is written to it, and forwards the lines that notices matches. It never blocks the
// program: a line that nobody reads is dropped. Safe for concurrent use.
type tail struct {
	notices func() *regexp.Regexp // nil: none
	noticed chan<- []byte

	mu   sync.Mutex
	buf  []byte
	line []byte // the unfinished one
}

// Write never fails and never waits for whoever reads the lines.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.notices != nil {
		t.notice(b)
	}
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - tailSize; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

// notice assembles lines from pieces, and forwards those that match. Of an unfinished line only the last part is
// kept. The caller holds mu.
func (t *tail) notice(b []byte) {
	t.line = append(t.line, b...)
	for {
		line, rest, whole := bytes.Cut(t.line, []byte("\n"))
		if !whole {
			break
		}
		t.line = rest
		if t.notices().Match(line) {
			select {
			case t.noticed <- bytes.Clone(line):
			default: // nobody reads it
			}
		}
	}
	if len(t.line) > tailSize {
		t.line = t.line[len(t.line)-tailSize:]
	}
}

// String returns the end of what was written, at most tailSize bytes.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// decode reads a line into v. A line that is not JSON is skipped: false without an error.
func decode(p *process, line []byte, v any) (bool, error) {
	if line[0] != '{' {
		return false, nil
	}
	if err := json.Unmarshal(line, v); err != nil {
		if _, shape := errors.AsType[*json.UnmarshalTypeError](err); shape {
			return true, nil // fields of another type than we expect keep their zero value
		}
		return false, &trouble.Error{Kind: trouble.Malformed, Message: fmt.Sprintf("%s wrote a broken line: %v", p.name, err), Err: err}
	}
	return true, nil
}
