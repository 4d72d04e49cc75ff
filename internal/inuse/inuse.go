// Package inuse knows the files that this process must not open itself while SQLite has them open.
//
// On Unix a process loses all its locks of a file once it closes any descriptor of it, also one that it opened only to read. A search
// or a copy of a folder that the store lies in would so give up the store's locks: the next program that closes the store takes itself
// for the last one and removes the log of what was written, and this one reads a file cut short. See "How To Corrupt An SQLite Database
// File", section 2.2, sqlite.org/howtocorrupt.html.
package inuse

import "sync"

// file is a file, whatever its name.
type file struct{ device, number uint64 }

var (
	mu   sync.RWMutex // over held
	held = map[file]int{}
)

// Number says whether a file is held, by its device and number.
func Number(device, number uint64) bool {
	mu.RLock()
	defer mu.RUnlock()
	return held[file{device, number}] > 0
}

// count adds to how often files are held.
func count(files []file, by int) {
	mu.Lock()
	defer mu.Unlock()
	for _, f := range files {
		if held[f] += by; held[f] <= 0 {
			delete(held, f)
		}
	}
}
