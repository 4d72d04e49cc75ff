package turns

import (
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// desk is what a conversation has in this process: what its tools remember, and what was granted for the session.
// The Library's mu guards it, but for session, which guards itself.
type desk struct {
	session tool.Session
	grants  []permission.Grant
	turn    Turn
	now     *trail // of the turn that runs, and that jobs join
	seen    bool   // strangers' text was read, on whichever branch
	owed    bool   // a job read such text between turns, and no branch says so yet
	// extension is what was added to it; nil: it was not looked yet.
	extension *Extension
	warm      warm
	lookout   *SteerWatch // of the last turn
	left      bool        // something was at work when that ended
}

// lookoutOf is what notices what programs of a turn do to what steers tools: that of the turn before, if it left something
// at work, or a new one.
func (l *Library) lookoutOf(root tree.ID) *SteerWatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.desk(root)
	if d.lookout == nil || !d.left {
		d.lookout = &SteerWatch{}
	}
	return d.lookout
}

// rest notes whether a turn that ends leaves something at work.
func (l *Library) rest(root tree.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.desk(root)
	d.left = d.session.Busy()
}

// desk finds it, or makes one. The caller holds mu.
func (l *Library) desk(root tree.ID) *desk {
	d, ok := l.desks[root]
	if !ok {
		d = &desk{}
		l.desks[root] = d
	}
	return d
}

func (l *Library) session(root tree.ID) *tool.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &l.desk(root).session
}

// grant keeps a grant for as long as this process has the conversation open. It is never written down.
func (l *Library) grant(root tree.ID, g permission.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.desk(root)
	d.grants = append(d.grants, g)
}

func (l *Library) granted(root tree.ID) []permission.Grant {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]permission.Grant(nil), l.desk(root).grants...)
}
