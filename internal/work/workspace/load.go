package workspace

import (
	"fmt"
	"time"
)

// Load is what is taken now in a folder: by programs that are at work there (agents, checks, and what those started), and on the disk.
type Load struct {
	Programs int
	CPU      time.Duration // since they were started
	Memory   int64         // bytes in use; what several share counts for each
	Disk     int64         // bytes; 0: nothing, or nobody looked
	More     bool          // that is only a part: the folder has too many files to look at each time
}

// Working is what its programs take, as people read it; empty: none is at work.
func (l Load) Working() string {
	if l.Programs == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %.1f s of CPU, %s of memory", count(l.Programs, "program"), l.CPU.Seconds(), sized(l.Memory))
}

// OnDisk is what the folder takes, as people read it; empty: nothing.
func (l Load) OnDisk() string {
	if l.Disk == 0 {
		return ""
	}
	return map[bool]string{true: "over "}[l.More] + sized(l.Disk) + " on disk"
}

// sized is a number of bytes in the unit that suits it.
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
