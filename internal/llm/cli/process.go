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
	tailSize  = 4 << 10                // what is kept of stderr
	pipeDrain = 250 * time.Millisecond // how long a dead program's child may hold its pipes
)

// process is a running program in a group of its own, spoken to in lines.
//
// Three goroutines belong to it: watch starts and reaps it, read or readText passes on its output, and a tail
// collects stderr. Lines are handed over one at a time, so that a program which writes faster than it is listened
// to blocks. next, send and write are for one caller at a time; end and alive for any number. Whoever started a
// process must call end, also if it has died.
type process struct {
	name    string
	started command // how
	dir     string  // where it runs
	grace   time.Duration
	stdin   io.WriteCloser
	lines   chan []byte // closed when nothing more will come
	fault   error       // why, if not because the program ended; read after lines is closed
	errout  tail
	// complaints are lines of stderr that the program's notices picks. They are dropped when nobody hears them.
	complaints chan []byte

	spent bool // what the turn that ended has left behind ends with it

	held      *held      // nil: nothing holds it
	trouble   chan error // hosts of its own that cannot be reached
	unreached error      // the last of them that was heard
	muted     <-chan time.Time

	group    group.Group
	over     chan struct{} // closed when nobody reads lines any more
	dead     chan struct{} // closed when the program was reaped and its group swept
	homeGone chan struct{} // closed when its home is gone, which is after its end was asked for
	exit     error         // how it ended; read after dead is closed
	once     sync.Once
}

// command is how a process is started.
type command struct {
	name      string // of the program
	bin       string
	args, env []string
	dir       string // where it runs; empty: an empty folder of its own
	home      *home  // goes when the process is gone or cannot start
	works     bool   // it changes dir, instead of reading there
	borrowed  bool   // the home is another process's, and stays
	hold      *Hold  // nil: nothing holds it
	reach     reach
	mute      time.Duration // see Options
	grace     time.Duration
	skim      func(head []byte) ([]byte, bool) // see Program
	notices   func() *regexp.Regexp            // see Program
	text      bool                             // see Program
}

// startProcess starts c and takes its home over: the home is removed when the process is gone, also if it cannot be
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

// prepare makes the command, which is held if it is to be. Its mark is the environment by which what it leaves is found.
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

// unreachable is told of a host of the program's own.
func (p *process) unreachable(err error) {
	select {
	case p.trouble <- err:
	default: // enough was told
	}
}

// leaveHome removes the home unless another process needs it.
func (p *process) leaveHome() {
	if !p.started.borrowed {
		p.started.home.remove()
	}
}

// find returns the absolute path of a program, so that it does not depend on the folder it will run in.
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
		cmd.Env = mark // a sandbox has taken it
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

// read passes on lines until the output ends, nobody listens any more, or a line is too long. Empty lines are left
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

// readText passes on what comes as it comes, and an empty line once the program has ended.
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

// errLong is why reading stops: what a program keeps in memory for us is bounded.
var errLong = errors.New("line too long")

// headSize is how much of a line is shown to skim. Shorter lines are not worth it.
const headSize = 1 << 10

// readLine reads up to and including the next newline, whatever its length up to limit. What skim, which may be nil,
// does not want is passed over without being kept.
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

// next waits for a line. Its error is ctx's, or an *llm.Error that says how the program ended.
//
// Complaints are lines like others, in no certain order with them. If a host of its own could not be reached it
// waits a while for another one to answer, and gives up with the reason of the first: some programs try on for ever
// without a word.
func (p *process) next(ctx context.Context) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case line := <-p.complaints: // first, since it was written before the end
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

// forget drops complaints nobody heard: they were about what is over.
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

// write hands b to the program, or gives up when ctx ends. Part of b may be written then, so the process is of no
// use any more; the goroutine that still writes ends with it.
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

// obituary says why the program answers no more: the fault of its output if that had one, else how it ended, with
// the end of what it wrote to stderr, which is also what the kind of the error is judged by. It waits a moment for
// the end, since the output closes first.
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

// alive is false once the program was reaped.
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
// It asks first: standard input closes and the group is told to terminate. After grace the group is killed. In all
// it takes at most four times grace, more than that only a process in the kernel's hands would survive.
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
	case <-time.After(2 * p.grace): // not even killed: nothing more can be done
	}
}

// tail keeps the end of what is written to it, and passes on the lines that notices matches. It never blocks the
// program: what nobody hears is dropped. Safe for concurrent use.
type tail struct {
	notices func() *regexp.Regexp // nil: none
	noticed chan<- []byte

	mu   sync.Mutex
	buf  []byte
	line []byte // the unfinished one
}

// Write never fails and never waits for whoever hears the lines.
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

// notice puts lines together from pieces, and passes on those that match. Of a line that does not end only the last
// part is kept. The caller holds mu.
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
			default: // nobody hears it
			}
		}
	}
	if len(t.line) > tailSize {
		t.line = t.line[len(t.line)-tailSize:]
	}
}

// String is the end of what was written, at most tailSize bytes.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// decode reads a line into v. A line that is not meant as JSON is skipped: false without an error.
func decode(p *process, line []byte, v any) (bool, error) {
	if line[0] != '{' {
		return false, nil
	}
	if err := json.Unmarshal(line, v); err != nil {
		if _, shape := errors.AsType[*json.UnmarshalTypeError](err); shape {
			return true, nil // fields of another type than the ones we know keep their zero value
		}
		return false, &trouble.Error{Kind: trouble.Malformed, Message: fmt.Sprintf("%s wrote a broken line: %v", p.name, err), Err: err}
	}
	return true, nil
}
