// Package heap has the program's memory collected less often while there is little of it: a short command then collects
// none. It works by being imported; GOGC, if it is set, counts instead. It imports next to nothing, so that it is ready
// before other packages take memory.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
)

// little is how much is in use, in bytes, for memory to count as little. What 400 % lets grow beyond it stays below 200 MiB.
const little, rarely, usual = 40 << 20, 400, 100

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(rarely)
		watch()
	}
}

// watch looks, after each collection, how much was left.
func watch() {
	type sentinel struct{ _ [16]byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > little {
			debug.SetGCPercent(usual)
		} else {
			debug.SetGCPercent(rarely)
		}
		watch()
	})
}
