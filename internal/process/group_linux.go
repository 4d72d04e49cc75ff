package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithUs has the kernel kill the program when the thread that started it ends, even by SIGKILL.
func dieWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

const getTermios, setTermios = unix.TCGETS, unix.TCSETSF // which drops what was typed or answered and not read

// narrow has a pipe hold one page: who writes a report of a fault waits until its beginning is read.
func narrow(pipe *os.File) { unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()) }
