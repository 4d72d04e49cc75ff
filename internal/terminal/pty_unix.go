//go:build linux || darwin

package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// open starts the program as the first of a session that has the terminal.
func (t *Terminal) open() error {
	master, tty, err := pty.Open()
	if err != nil {
		return err
	}
	defer tty.Close()
	t.master = master
	// else reads block in the kernel, and closing does not hang up
	if err := t.control(func(fd int) { unix.SetNonblock(fd, true) }); err != nil {
		return err
	}
	if err := t.setSize(); err != nil {
		return err
	}
	if t.before, err = t.state(); err != nil {
		return err
	}
	if _, err := t.master.WriteString(t.ahead); err != nil {
		return err
	}
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = tty, tty, tty
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return t.cmd.Start()
}

// Resize changes the size of the terminal; the system tells the program. One that has the alternate screen erases and redraws
// all of it, and Resize waits for that: until then the screen shows the old frame, cropped, and keys would be read by a program
// that does not know its new size. Others redraw when they like, if at all, and are not waited for.
func (t *Terminal) Resize(cols, rows int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cols == t.cols && rows == t.rows {
		return nil // the system tells nobody
	}
	t.em.Resize(cols, rows)
	t.cols, t.rows = cols, rows
	before := len(t.raw)
	if err := t.setSize(); err != nil || !t.modes[ansi.ModeAltScreenSaveCursor] {
		return err
	}
	redrawn := func() bool { return bytes.Contains(t.raw[before:], []byte(ansi.EraseEntireScreen)) }
	if !t.waited(patience, func() bool { return t.over || redrawn() }) {
		return fmt.Errorf("the program did not redraw within %v after a resize. The screen:\n%s", patience, t.framed())
	}
	return nil
}

// Signal sends INT, TERM, TSTP, CONT, KILL or HUP to the processes that have the terminal now. The system lets TSTP stop only
// what a shell can continue: what was started by one with job control.
func (t *Terminal) Signal(name string) error {
	s := unix.SignalNum("SIG" + name)
	if s == 0 {
		return fmt.Errorf("there is no signal %s", name)
	}
	group, err := 0, error(nil)
	if lost := t.control(func(fd int) { group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP) }); lost != nil || err != nil || group <= 1 {
		return fmt.Errorf("nobody has the terminal: %v", errors.Join(lost, err))
	}
	return unix.Kill(-group, s)
}

// setSize tells the system the size of the terminal.
func (t *Terminal) setSize() (err error) {
	lost := t.control(func(fd int) {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(t.rows), Col: uint16(t.cols)})
	})
	return errors.Join(lost, err)
}

// state is how the terminal is set, as the program's side sees it.
func (t *Terminal) state() (set *term.State, err error) {
	if lost := t.control(func(fd int) { set, err = term.GetState(fd) }); lost != nil {
		return nil, lost
	}
	return set, err
}

// control lends the descriptor of our side, which Fd would make blocking.
func (t *Terminal) control(use func(fd int)) error {
	c, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	return c.Control(func(fd uintptr) { use(int(fd)) })
}

// HangUp closes the terminal while the program still runs, as closing its window does.
func (t *Terminal) HangUp() error { return t.master.Close() }

// Close ends what still runs on the terminal. Then it hangs up: a killed program leaves a watchdog that has the terminal for a minute.
func (t *Terminal) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.Signal("KILL")
		t.cmd.Process.Kill()
	}
	t.master.Close()
	t.waited(patience, func() bool { return t.over })
}

// exitCode is that of a shell: 128 and the signal's number if one ended the program.
func exitCode(cmd *exec.Cmd, err error) int {
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return cmd.ProcessState.ExitCode()
}
