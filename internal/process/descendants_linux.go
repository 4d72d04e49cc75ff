package process

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ours begins every mark of this process, so that what it started can be told from what others did.
var ours = rand.Text() + "."

// Mark gives cmd, whose environment is complete, a variable by which its Group also finds what leaves it: a child of a
// program may begin a session of its own and outlive its parent, but it keeps the environment it was started with. One
// that was started with another environment is not found. If we are killed, all that bears a mark of ours is, too.
func Mark(cmd *exec.Cmd) { newMark(MarkVar).put(cmd) }

// mark is a variable and its value.
type mark string

// newMark is one that no other command has, and sees to it that a watchdog is there before anything bears it.
func newMark(name string) mark {
	endMarkedWithUs()
	return mark(name + "=" + ours + rand.Text())
}

func (m mark) put(cmd *exec.Cmd) { cmd.Env = append(cmd.Environ(), string(m)) }

// markOf is the last mark, which is the one that counts.
func markOf(cmd *exec.Cmd) mark {
	for i := len(cmd.Env) - 1; i >= 0; i-- {
		if strings.HasPrefix(cmd.Env[i], MarkVar+"=") {
			return mark(cmd.Env[i])
		}
	}
	return ""
}

// Descendants are what several programs started that outlives each of them, on Linux.
type Descendants struct{ mark mark }

// NewDescendants are none yet.
func NewDescendants() Descendants { return Descendants{newMark(descendantsVar)} }

// Join makes cmd, whose environment is complete, a member. It can be Marked besides.
func (k Descendants) Join(cmd *exec.Cmd) { k.mark.put(cmd) }

// End kills what is left of it.
func (k Descendants) End() { k.mark.signal(syscall.SIGKILL, 0) }

// signal signals what bears the mark outside a group. SIGKILL it sends until nothing is found, since what was not seen
// may have forked; what cannot even be killed it gives up after a second.
//
// The mark alone is not enough to find the group itself, which has gone by its own signal already.
func (m mark) signal(s syscall.Signal, group int) {
	if m == "" {
		return
	}
	for end := time.Now().Add(time.Second); m.signalSeen(s, group) && s == syscall.SIGKILL && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// signalSeen signals each process outside the group that bears the mark, and says whether there was one.
func (m mark) signalSeen(s syscall.Signal, outside int) (seen bool) {
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
		if group, err := syscall.Getpgid(pid); err == nil && group != outside && bytes.Contains(environ, []byte(m)) {
			seen = p.Signal(s) == nil || seen
		}
		p.Release()
	}
	return seen
}

// endMarkedWithUs has what bears a mark of ours ended once we are gone.
var endMarkedWithUs = sync.OnceFunc(func() { order(func(w *orders) { w.Marked = ours }) })

// endMarked kills what bears a mark of the process whose marks begin so.
func endMarked(ours string) { mark("="+ours).signal(syscall.SIGKILL, 0) }
