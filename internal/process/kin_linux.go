package process

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Mark gives cmd, whose environment is complete, a variable by which its Group also finds what leaves it: a child of a
// program may begin a session of its own and outlive its parent, but it keeps the environment it was started with. One
// that was started with another environment is not found.
func Mark(cmd *exec.Cmd) { cmd.Env = append(cmd.Environ(), Kin+"="+rand.Text()) }

// markOf is the last mark, which is the one that counts.
func markOf(cmd *exec.Cmd) string {
	for i := len(cmd.Env) - 1; i >= 0; i-- {
		if strings.HasPrefix(cmd.Env[i], Kin+"=") {
			return cmd.Env[i]
		}
	}
	return ""
}

// signalLeavers signals what left the group. SIGKILL it sends until nothing is found, since what was not seen may have
// forked; what cannot even be killed it gives up after a second.
func (g Group) signalLeavers(s syscall.Signal) {
	if g.mark == "" {
		return
	}
	for end := time.Now().Add(time.Second); g.signalSeen(s) && s == syscall.SIGKILL && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// signalSeen signals each process outside the group that bears its mark, and says whether there was one.
func (g Group) signalSeen(s syscall.Signal) (seen bool) {
	all, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer all.Close()
	names, _ := all.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		p, err := os.FindProcess(pid) // held before it is looked at, so that no other one gets the signal
		if err != nil {
			continue
		}
		environ, _ := os.ReadFile("/proc/" + name + "/environ") // of other users' processes and of dead ones: nothing
		if group, err := syscall.Getpgid(pid); err == nil && group != g.id && bytes.Contains(environ, []byte(g.mark)) {
			seen = p.Signal(s) == nil || seen
		}
		p.Release()
	}
	return seen
}
