package workspace

import "time"

// Load is what programs take that are at work in a folder now: agents', checks', and what those started.
type Load struct {
	Programs int
	CPU      time.Duration // since they were started
	Memory   int64         // bytes in use; what several share counts for each
}
