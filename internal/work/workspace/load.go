package workspace

import (
	"fmt"
	"time"
)

// Load is the current use by a folder: of the programs that work there (agents, checks, and what they started), and
// of the disk.
type Load struct {
	Programs int
	CPU      time.Duration // since they were started
	Memory   int64         // bytes in use; shared memory counts for each
	Disk     int64         // bytes; 0: nothing, or not measured
	More     bool          // Disk is only a part: the folder has too many files to measure each time
}

// Working formats the use of its programs for people; empty: none runs.
func (l Load) Working() string {
	if l.Programs == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %.1f s of CPU, %s of memory", count(l.Programs, "program"), l.CPU.Seconds(), sized(l.Memory))
}

// OnDisk formats the disk use of the folder for people; empty: nothing.
func (l Load) OnDisk() string {
	if l.Disk == 0 {
		return ""
	}
	return map[bool]string{true: "over "}[l.More] + sized(l.Disk) + " on disk"
}

// sized formats a number of bytes in a suitable unit.
func sized(n int64) string {
	const k = 1 << 10
	switch {
	case n < k*k:
		return fmt.Sprintf("%d KB", (n+k-1)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/(k*k))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/gigabyte)
}
