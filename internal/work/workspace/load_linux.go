package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc, on every system that Go runs on.
const tick = time.Second / 100

// program is a process, as /proc describes it.
type program struct {
	parent int
	cpu    time.Duration
	memory int64
}

// LoadOf measures the programs working in a folder, with everything they started. What ends meanwhile is left out.
func LoadOf(dir string) (l Load) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return l
	}
	all, inside := map[int]program{}, map[int]bool{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		at := filepath.Join("/proc", e.Name())
		text, err := os.ReadFile(filepath.Join(at, "stat"))
		if err != nil {
			continue
		}
		p, ok := programOf(text)
		if !ok {
			continue
		}
		all[id] = p
		in, _ := os.Readlink(filepath.Join(at, "cwd"))
		inside[id] = in == dir || strings.HasPrefix(in, dir+"/")
	}
	for id, p := range all {
		if under(all, inside, id) {
			l.Programs, l.CPU, l.Memory = l.Programs+1, l.CPU+p.cpu, l.Memory+p.memory
		}
	}
	return l
}

// under reports whether a program, or one that started it, works in the folder.
func under(all map[int]program, inside map[int]bool, id int) bool {
	for range len(all) { // a process id reused during the loop could make a cycle
		if inside[id] {
			return true
		}
		p, ok := all[id]
		if !ok {
			return false
		}
		id = p.parent
	}
	return false
}

// programOf parses a line of /proc/ID/stat. The name in it is in brackets and may contain anything.
func programOf(stat []byte) (p program, ok bool) {
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 22 {
		return p, false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(string(f[i]), 10, 64)
		return n
	}
	return program{parent: int(number(1)), cpu: time.Duration(number(11)+number(12)) * tick,
		memory: number(21) * int64(os.Getpagesize())}, true
}
