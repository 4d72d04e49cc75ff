package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// frontOf is the process group in front of the terminal of a process; ok is false if that process is gone.
func frontOf(pid int) (front int, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // state ppid pgrp session tty_nr tpgid
	if len(f) < 6 || f[0] == "Z" {
		return 0, false
	}
	front, err = strconv.Atoi(f[5])
	return front, err == nil
}

// runsUs says whether a process runs this program.
func runsUs(pid int) bool {
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	own, err := os.Readlink("/proc/self/exe")
	return err == nil && its == own
}
