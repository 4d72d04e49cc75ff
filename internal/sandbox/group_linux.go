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

// Group bounds what several programs take together: in a control group of its own, where the system lets us make
// one, which is made when the first program needs it. Elsewhere nothing holds but what bounds each program. Ready
// to use as its zero value; safe for concurrent use. Close it when the last program has ended: what is left in it
// is killed.
type Group struct {
	mu     sync.Mutex
	made   bool // or tried
	dir    *os.File
	memory int64 // the bound; 0: none
	counts bool  // processes
}

// groups numbers those of this process.
var groups atomic.Int64

// join says which group a program starts in; nil: none. counted: the group bounds the number of its processes.
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

// make makes the group with the bounds that can be held there. Without any there is no use for it, and what fails is no
// reason not to run a program: it has bounds of its own.
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

// Exceeded is the bound, in bytes, on the memory of all programs together if the system ended them because of it, else 0.
func (g *Group) Exceeded() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dir == nil || g.memory == 0 {
		return 0
	}
	text, _ := os.ReadFile(filepath.Join(g.dir.Name(), "memory.events"))
	for line := range strings.Lines(string(text)) {
		// "max" counts how often the bound was met, also when memory could be freed; "oom_kill" only what was
		// killed.
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && n != "0" {
			return g.memory
		}
	}
	return 0
}

// Close ends what is left in the group and removes it. Programs that start later have another.
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

// removeGroup kills what is in a group and removes it, which may be once the last has gone; after a second it gives up.
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

// enter has cmd start in a group.
func enter(cmd *exec.Cmd, dir *os.File) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
}
