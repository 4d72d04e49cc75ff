//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// alive says whether a process runs; a zombie that waits for init does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err) || !exists("/proc/self/stat")
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// marked finds running processes whose environment holds mark. Only Linux shows that.
func marked(mark string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		raw, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && strings.Contains(string(raw), mark) && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}
