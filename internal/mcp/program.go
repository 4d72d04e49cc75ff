package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
)

// farewell is how long a program may take to end once its input is closed.
const farewell = 2 * time.Second

// program is a server that runs: a group of its own, spoken to over its pipes.
type program struct {
	in     io.WriteCloser
	out    *io.PipeReader
	said   *process.Tail // the end of what it complained
	cancel context.CancelFunc
	done   chan struct{} // closed once nothing of it is left
	err    error         // why it could not run; set before done is closed
	state  *exec.Cmd
}

// start starts the program of a server. Variables that are only named are passed on from ours; a missing one is an
// error, since the server would fail later in a way nobody understands.
func (s Server) start(lookup func(string) (string, bool)) (*program, error) {
	var env []string
	for _, e := range s.Env {
		if !strings.Contains(e, "=") {
			value, ok := lookup(e)
			if !ok {
				return nil, fmt.Errorf("it needs the variable %s, which is not set", e)
			}
			e += "=" + value
		}
		env = append(env, e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd, err := process.Named(ctx, s.Dir, append([]string{s.Command}, s.Args...), env...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("its program %w", err)
	}
	p := &program{said: &process.Tail{Most: 4 << 10}, cancel: cancel, done: make(chan struct{}), state: cmd}
	out, writer := io.Pipe()
	p.out, cmd.Stdout, cmd.Stderr = out, writer, p.said
	if p.in, err = cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	go func() { // process.Run holds the thread that started the program
		p.err = process.Run(cmd)
		writer.Close()
		close(p.done)
	}()
	return p, nil
}

// close ends the program: by the end of its input, then by TERM, then by KILL. Nothing of it is left afterwards.
func (p *program) close() {
	p.in.Close()
	go io.Copy(io.Discard, p.out) // it may still want to say something
	select {
	case <-p.done:
	case <-time.After(farewell):
	}
	p.cancel()
	<-p.done
}

// why says what became of a program that does not answer; nil: it runs.
func (p *program) why() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	if p.err != nil {
		return p.err
	}
	text := strings.TrimSpace(clean.Text(p.said.String()))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return errors.New(strings.TrimSuffix(fmt.Sprintf("it ended (%s): %s", p.state.ProcessState, text), ": "))
}
