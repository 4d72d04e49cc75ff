package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// hierarchy is a control group (version 2) in which we can create others, and what it can limit in them. Systemd
// delegates one to each user's session; in containers there is usually none.
type hierarchy struct {
	path         string
	prefix       string // of our groups' names; it is followed by process numbers of our namespace
	memory, pids bool
}

// delegated is where groups can be created; nil: nowhere. It checks once, by trying: a program that fails to start in its group would
// otherwise fail for a reason that is not its own.
var delegated = sync.OnceValue(func() *hierarchy {
	for _, path := range candidates("/proc/self") {
		at := &hierarchy{path: path, prefix: prefix()}
		if at.prefix == "" || !at.read() {
			continue
		}
		at.removeStale()
		if at.try() == nil {
			return at
		}
	}
	return nil
})

// candidates are the folders that may work: a group with processes cannot limit its children, so it is usually the one above ours. Both
// are above us and what we start there, which the system requires.
func candidates(proc string) (out []string) {
	own := ""
	text, _ := os.ReadFile(filepath.Join(proc, "cgroup"))
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			own = path
		}
	}
	if !strings.HasPrefix(own, "/") || strings.HasPrefix(own, "/..") {
		return nil
	}
	mounts, _ := os.ReadFile(filepath.Join(proc, "mountinfo"))
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if i := slices.Index(f, "-"); i < 6 || i+1 >= len(f) || f[i+1] != "cgroup2" || !below(own, f[3]) {
			continue
		}
		rest, _ := filepath.Rel(f[3], own)
		out = append(out, filepath.Join(f[4], rest))
		if rest != "." {
			out = append(out, filepath.Dir(out[0]))
		}
		return out
	}
	return nil
}

// read finds out what the hierarchy can limit, and whether we may write to it.
func (at *hierarchy) read() bool {
	text, err := os.ReadFile(filepath.Join(at.path, "cgroup.subtree_control"))
	controllers := strings.Fields(string(text))
	at.memory, at.pids = slices.Contains(controllers, "memory"), slices.Contains(controllers, "pids")
	return err == nil && (at.memory || at.pids) && unix.Access(at.path, unix.W_OK) == nil &&
		unix.Access(filepath.Join(at.path, "cgroup.procs"), unix.W_OK) == nil
}

// try starts a process of ours in a group.
func (at *hierarchy) try() (err error) {
	g := Group{made: true}
	g.make(at, Limits{Processes: 1 << 10, Memory: 1 << 30})
	if g.dir == nil {
		return errors.New("cannot create a control group")
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	cmd := &exec.Cmd{}
	if err := give(cmd, child.Order{Own: namespaces() == nil, Grouped: true}, nil); err != nil {
		return err
	}
	enter(cmd, g.dir)
	return cmd.Run()
}

// prefix is the prefix of the names of groups whose creators have process numbers in our namespace.
func prefix() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	number := strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
	if err != nil || number == "" {
		return ""
	}
	return "socrates-" + number + "-"
}

// owner identifies a process in the names of groups: its number, and when it started (field 22 of /proc/PID/stat),
// since numbers are reused.
func owner(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	started := "0"
	if f := strings.Fields(rest); len(f) > 19 {
		started = f[19]
	}
	return strconv.Itoa(pid) + "-" + started
}

// removeStale removes the groups whose creators have ended, with the processes left in them: a process that was killed cannot Close its
// group.
func (at *hierarchy) removeStale() {
	entries, _ := os.ReadDir(at.path)
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), at.prefix)
		maker, _, numbered := cutLast(rest, "-")
		pid, err := strconv.Atoi(strings.SplitN(rest, "-", 2)[0])
		if !ours || !e.IsDir() || !numbered || err != nil {
			continue
		}
		if _, gone := os.Stat("/proc/" + strconv.Itoa(pid)); errors.Is(gone, fs.ErrNotExist) || gone == nil && owner(pid) != maker {
			removeGroup(filepath.Join(at.path, e.Name()))
		}
	}
}

// cutLast splits s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
