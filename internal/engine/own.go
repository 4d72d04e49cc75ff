package engine

import "sync"

// ownLocks are the locks that this process holds or tries for, by name: what is locked here is not at work elsewhere.
type ownLocks struct {
	mu  sync.Mutex
	now map[string]int
	gen map[string]int // changes with now
}

func (o *ownLocks) begin(name string) (end func()) {
	add := func(n int) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.now == nil {
			o.now, o.gen = map[string]int{}, map[string]int{}
		}
		o.now[name] += n
		o.gen[name]++
	}
	add(1)
	return func() { add(-1) }
}

func (o *ownLocks) of(name string) (now, gen int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now[name], o.gen[name]
}

// elsewhere says whether another process runs the thing of this name.
func (e *Engine) elsewhere(name string) bool {
	now, before := e.own.of(name)
	if now > 0 || !e.running(name) {
		return false
	}
	_, after := e.own.of(name)
	return before == after
}

// AtWorkElsewhere says whether another process is moving a conversation on.
func (e *Engine) AtWorkElsewhere(name string) bool { return e.elsewhere("tree-" + name) }

// DebatingElsewhere says whether another process runs a room.
func (e *Engine) DebatingElsewhere(name string) bool { return e.elsewhere(name) }
