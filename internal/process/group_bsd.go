//go:build unix && !linux

package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithUs can do nothing here: a program whose parent was killed ends when it reads the end of its input.
func dieWithUs(*syscall.SysProcAttr) {}

// mark is nothing here: the environment of others is not shown.
type mark struct{}

func markOf(*exec.Cmd) (m mark) { return m }

func (mark) signal(syscall.Signal, int) {}

func endMarked(string) {}

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETAF // which drops what was typed or answered and not read

// narrow can do nothing here.
func narrow(*os.File) {}
