package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Group limits the total resources of several programs: in its own control group, where the system lets us create one,
// which is created when the first program needs it. Elsewhere only the limits of each program apply. It is ready to use
// as its zero value and safe for concurrent use. Close it when the last program has ended: what is left in it is
// killed.
type Group struct {
	mu     sync.Mutex
	made   bool // or the attempt was made
	dir    *os.File
	memory int64 // the limit; 0: none
	counts bool  // it limits the number of processes
}

// groups numbers the groups of this process.
var groups atomic.Int64

// join returns the group that a program starts in; nil: none. counted: the group limits the number of its processes.
func (g *Group) join(l Limits) (dir *os.File, counted bool) {
	if g == nil || l.Memory <= 0 && l.Processes <= 0 {
		return nil, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.made {
		g.made = true
		if at := delegated(); at != nil {
			at.removeStale()
			g.make(at, l)
		}
	}
	return g.dir, g.counts
}

// make creates the group with the limits that can be enforced there. Without any it is useless, and a failure is no
// reason not to run a program, which has its own limits.
func (g *Group) make(at *hierarchy, l Limits) {
	name := filepath.Join(at.path, at.prefix+owner(os.Getpid())+"-"+strconv.FormatInt(groups.Add(1), 10))
	if os.Mkdir(name, 0o755) != nil {
		return
	}
	set := func(file, value string) bool { return os.WriteFile(filepath.Join(name, file), []byte(value), 0) == nil }
	if at.memory && l.Memory > 0 && set("memory.max", strconv.FormatInt(l.Memory, 10)) {
		g.memory = l.Memory
		set("memory.swap.max", "0")
		set("memory.oom.group", "1") // half of a command is worth nothing
	}
	g.counts = at.pids && l.Processes > 0 && set("pids.max", strconv.Itoa(l.Processes))
	if g.memory > 0 || g.counts {
		g.dir, _ = os.Open(name)
	}
	if g.dir == nil {
		g.memory, g.counts = 0, false
		os.Remove(name)
	}
}

// Exceeded is the memory limit in bytes of all programs together if the system ended them because of it, otherwise 0.
func (g *Group) Exceeded() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dir == nil || g.memory == 0 {
		return 0
	}
	text, _ := os.ReadFile(filepath.Join(g.dir.Name(), "memory.events"))
	for line := range strings.Lines(string(text)) {
		// "max" counts how often the limit was reached, even if memory could be freed; "oom_kill" counts only kills.
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && n != "0" {
			return g.memory
		}
	}
	return 0
}

// Close ends what is left in the group and removes it. Programs that start later get a new group.
func (g *Group) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	dir := g.dir
	g.made, g.dir, g.memory, g.counts = false, nil, 0, false
	if dir == nil {
		return nil
	}
	return errors.Join(dir.Close(), removeGroup(dir.Name()))
}

// removeGroup kills what is in a group and removes it, which is possible once the last process has ended; after a second it gives up.
func removeGroup(name string) error {
	err := os.Remove(name)
	for end := time.Now().Add(time.Second); errors.Is(err, unix.EBUSY) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		os.WriteFile(filepath.Join(name, "cgroup.kill"), []byte("1"), 0)
		err = os.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the control group of a command: %w", err)
	}
	return nil
}

// enter makes cmd start in a group.
func enter(cmd *exec.Cmd, dir *os.File) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
}
