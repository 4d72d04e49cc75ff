package turns

import (
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// state is what a conversation has in this process: what its tools remember, and what was granted for the session. The
// Library's mu guards it, except the content of session, which guards itself.
type state struct {
	session         *tool.Session
	grants          []kept.Granted
	given           int // number of grants for the session so far
	turn            Conditions
	running         *recorder // of the running turn, which jobs join
	tainted         bool      // untrusted text was read, on whichever branch
	unrecordedTaint bool      // a job read such text between turns, and no branch says so yet
	// extension is what was added to the conversation; nil: not opened yet.
	extension  *Extension
	warm       warmModel
	steerWatch *SteerWatch     // of the last turn
	leftBusy   bool            // something was still running when that turn ended
	titled     <-chan struct{} // closed once the title of its first turn is written, or given up
	lastEnd    int             // number of turns that had ended when its last one did; 0: none of its own, or cleared since
}

// mostWarm is how many conversations keep what runs for them between turns: programs, servers, folders of tools.
const mostWarm = 16

// closeIdle ends what runs for idle conversations, except those of the latest turns. The next turn in one of them begins as after a
// restart, except that grants for the session stay.
func (l *Library) closeIdle(ctx context.Context) {
	for root, name := range l.idle() {
		t, unlock, err := l.talks.Lock(ctx, name) // so that no turn begins in the meantime
		if err != nil {
			continue // somebody is using it: it is tried again after the next turn
		}
		if old := l.detach(root); t.Root == root && old != nil {
			unlock()
			old.close()
			continue
		}
		unlock()
	}
}

// idle returns the conversations that have been idle the longest, beyond the number that may stay.
func (l *Library) idle() map[tree.ID]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ends []int
	for _, d := range l.states {
		if d.lastEnd > 0 {
			ends = append(ends, d.lastEnd)
		}
	}
	slices.Sort(ends)
	out := map[tree.ID]string{}
	for root, d := range l.states {
		if d.lastEnd > 0 && len(ends) > mostWarm && d.lastEnd < ends[len(ends)-mostWarm] && !l.engine.Running(root) {
			out[root] = d.turn.Tree
		}
	}
	return out
}

// detach removes from a state what runs for it and returns it; nil if it is in use. The caller holds the conversation's lock.
func (l *Library) detach(root tree.ID) *state {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	if d.running != nil || d.leftBusy || d.session.Busy() {
		return nil
	}
	old := &state{session: d.session, warm: d.warm, extension: d.extension}
	d.session, d.warm, d.extension, d.lastEnd = &tool.Session{}, warmModel{}, nil, 0
	return old
}

// close ends what runs for a conversation. Its state must not be used any more.
func (d *state) close() {
	d.warm.close()
	if d.extension != nil && d.extension.Close != nil {
		d.extension.Close()
	}
	d.session.Close() // nothing more can be done about what could not be ended
}

// steerWatchOf returns the watch for what programs of a turn do to files that steer tools: that of the previous turn, if that left
// something running, or a new one.
func (l *Library) steerWatchOf(root tree.ID) *SteerWatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	if d.steerWatch == nil || !d.leftBusy {
		d.steerWatch = &SteerWatch{}
	}
	return d.steerWatch
}

// noteEnd records whether a turn that ends leaves something running.
func (l *Library) noteEnd(root tree.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	l.ended++
	d.leftBusy, d.lastEnd = d.session.Busy(), l.ended
}

// state returns the state of a conversation, which it creates if needed. The caller holds mu.
func (l *Library) state(root tree.ID) *state {
	d, ok := l.states[root]
	if !ok {
		d = &state{session: &tool.Session{}}
		l.states[root] = d
	}
	return d
}

func (l *Library) session(root tree.ID) *tool.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state(root).session
}
