package turns

import (
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// state is what a conversation has in this process: what its tools remember, and what was granted for the session.
// The Library's mu guards it, but for what session holds, which guards itself.
type state struct {
	session         *tool.Session
	grants          []kept.Granted
	given           int // how many grants for the session there ever were
	turn            Conditions
	running         *recorder // of the turn that runs, and that jobs join
	tainted         bool      // untrusted text was read, on whichever branch
	unrecordedTaint bool      // a job read such text between turns, and no branch says so yet
	// extension is what was added to it; nil: it was not looked yet.
	extension  *Extension
	warm       warmModel
	steerWatch *SteerWatch     // of the last turn
	leftBusy   bool            // something was at work when that ended
	titled     <-chan struct{} // closed once the title of its first turn is written, or given up
	lastEnd    int             // how many turns had ended here when its last one did; 0: none of its own, or it was cleared since
}

// mostWarm is how many conversations keep, between turns, what runs for them: programs, servers, folders of tools.
const mostWarm = 16

// closeIdle ends what runs for conversations that rest, but for those of the latest turns. The next turn in one of them begins as after
// a restart, only that what was granted for the session holds on.
func (l *Library) closeIdle(ctx context.Context) {
	for root, name := range l.idle() {
		t, unlock, err := l.talks.Lock(ctx, name) // so that no turn begins meanwhile
		if err != nil {
			continue // somebody is at it: it is looked at again after the next turn
		}
		if old := l.detach(root); t.Root == root && old != nil {
			unlock()
			old.close()
			continue
		}
		unlock()
	}
}

// idle are the names of the conversations that rest the longest, beyond the number that may stay as they are.
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

// detach takes from a state what runs for it; nil if it is in use. The caller holds the conversation's lock.
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

// close ends what runs for a conversation. Nobody uses its state any more.
func (d *state) close() {
	d.warm.close()
	if d.extension != nil && d.extension.Close != nil {
		d.extension.Close()
	}
	d.session.Close() // what could not be ended is not ours any more
}

// steerWatchOf is what notices what programs of a turn do to what steers tools: that of the turn before, if it left something
// at work, or a new one.
func (l *Library) steerWatchOf(root tree.ID) *SteerWatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	if d.steerWatch == nil || !d.leftBusy {
		d.steerWatch = &SteerWatch{}
	}
	return d.steerWatch
}

// noteEnd notes whether a turn that ends leaves something at work.
func (l *Library) noteEnd(root tree.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	l.ended++
	d.leftBusy, d.lastEnd = d.session.Busy(), l.ended
}

// state finds it, or makes one. The caller holds mu.
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
