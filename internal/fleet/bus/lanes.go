package bus

import "sync"

const (
	maxCalls = 1024     // of one worker, waiting for an answer
	maxBytes = 64 << 20 // and their size
)

// lanes run calls: those of one worker and task in order, all others concurrently.
type lanes struct {
	mu     sync.Mutex
	wait   map[lane][]func() // an existing entry means that a goroutine runs it
	calls  map[string]int
	bytes  map[string]int
	closed bool
	all    sync.WaitGroup
}

type lane struct{ worker, task string }

func newLanes() *lanes {
	return &lanes{wait: map[lane][]func(){}, calls: map[string]int{}, bytes: map[string]int{}}
}

// add runs a call after those of its lane. It returns false if the worker has too many waiting, or lanes are closed.
func (l *lanes) add(at lane, size int, call func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.calls[at.worker] >= maxCalls || l.bytes[at.worker]+size > maxBytes && l.calls[at.worker] > 0 {
		return false
	}
	l.calls[at.worker]++
	l.bytes[at.worker] += size
	before, busy := l.wait[at]
	l.wait[at] = append(before, func() { defer l.gone(at.worker, size); call() })
	if !busy {
		l.all.Add(1)
		go l.run(at)
	}
	return true
}

func (l *lanes) gone(worker string, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[worker]--; l.calls[worker] == 0 {
		delete(l.calls, worker)
		delete(l.bytes, worker)
		return
	}
	l.bytes[worker] -= size
}

func (l *lanes) run(at lane) {
	defer l.all.Done()
	for {
		l.mu.Lock()
		if len(l.wait[at]) == 0 {
			delete(l.wait, at)
			l.mu.Unlock()
			return
		}
		next := l.wait[at][0]
		l.wait[at] = l.wait[at][1:]
		l.mu.Unlock()
		next()
	}
}

// close accepts no more calls and waits for the accepted ones.
func (l *lanes) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.all.Wait()
}
