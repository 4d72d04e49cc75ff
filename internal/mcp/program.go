package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
)

const (
	farewell = 2 * time.Second // a program has to end once its input is closed
	grace    = time.Second     // between asking it to end and killing it
)

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

// start starts the program of a server.
func (s Server) start(lookup func(string) (string, bool)) (*program, error) {
	name := s.Command
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = filepath.Join(s.Dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("its program %s is not there, or cannot be run", s.Command)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, process.Login(os.Environ())
	for _, e := range s.Env {
		if !strings.Contains(e, "=") {
			value, ok := lookup(e)
			if !ok {
				cancel()
				return nil, fmt.Errorf("it needs the variable %s, which is not set", e)
			}
			e += "=" + value
		}
		cmd.Env = append(cmd.Env, e)
	}
	process.Mark(cmd)
	p := &program{said: &process.Tail{Most: 4 << 10}, cancel: cancel, done: make(chan struct{}), state: cmd}
	out, writer := io.Pipe()
	p.out, cmd.Stdout, cmd.Stderr = out, writer, p.said
	if p.in, err = cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	go func() { // process.Run holds the thread that started the program
		p.err = process.Run(cmd, grace)
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
