// Package heap makes garbage collection rarer while the heap is small: a short command then collects nothing. It works by being
// imported; GOGC, if it is set, counts instead. It imports next to nothing, so that it is ready before other packages take
// memory.
//
// With few megabytes in use a collection finds little and comes often: the heap may then grow to five times what was
// left before the next one. Beyond 40 MiB the usual rule holds, so the memory of a long session is what it would be
// without this package.
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
	// Nothing refers to it, so the next collection finds it dead and runs its finalizer, which makes the next one.
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
