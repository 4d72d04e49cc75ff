package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// session is a branch of a conversation that an editor has open. It is stored from the first message on.
type session struct {
	*agent
	id string

	mu      sync.Mutex // guards the fields below: a session is changed by one thing at a time
	env     *slash.Env
	branch  string            // the session's; empty: the conversation has not begun
	picks   map[string]string // of debates: seats, strategy, preset
	choices *Choices          // nil: they are unknown because of an error
	told    string            // the title that the editor knows
	set     string            // the settings that it knows
	brought []mcpServer       // by the editor; the person is asked about them before the first turn
	asked   bool              // the person was asked about them

	turn sync.Mutex
	now  *answering // nil: nothing is being answered
}

// at splits the id of a session: the first node of its conversation, and for a fork its branch.
func at(id string) (root, branch string) {
	root, branch, _ = strings.Cut(id, "@")
	return root, branch
}

// open registers a session.
func (a *agent) open(id, dir string) *session {
	s := &session{agent: a, id: id, env: a.Env(dir), picks: map[string]string{}}
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.sessions[id]; old != nil { // it is reopened: a running prompt continues
		return old
	}
	a.sessions[id] = s
	return s
}

// newSession opens a session that is not stored yet: an editor opens many in which nobody ever sends a message.
func (a *agent) newSession(ctx context.Context, in where) (any, func(), error) {
	dir, err := folderOf(in.CWD)
	if err != nil {
		return nil, nil, err
	}
	root := tree.NewID()
	s := a.open(string(root), dir)
	s.env.Root = root
	return s.opened(ctx, in)
}

// held answers an editor. Nothing changes the session until the answer and the updates after it are sent, so an
// update of settings is never older than what the editor knows.
func (s *session) held(do func() (answer any, then func(), err error)) (any, func(), error) {
	s.mu.Lock()
	answer, then, err := do()
	if err != nil {
		s.mu.Unlock()
		return nil, nil, err
	}
	return answer, func() {
		defer s.mu.Unlock()
		then()
	}, nil
}

// opened returns the answer to an editor that opened a session, and the updates after that. The answer has all
// options, as some editors choose from it alone; servers on this machine are asked for their models first.
func (s *session) opened(ctx context.Context, in where) (any, func(), error) {
	found, lost := s.Choices(ctx, s.env.Dir)
	s.env.Models(ctx) // slow, so not while the session is locked
	return s.held(func() (any, func(), error) {
		if lost == nil {
			s.choices = &found
		}
		options, now, err := s.options(ctx)
		if err != nil {
			return nil, nil, err
		}
		s.set = fmt.Sprint(options)
		if !s.asked {
			s.brought, s.asked = in.Servers, len(in.Servers) > 0
		}
		out := opened{Modes: now, Options: options}
		if s.id != in.SessionID {
			out.SessionID = s.id
		}
		return out, func() {
			s.update(commandsUpdate{"available_commands_update", s.commands()})
			set, _ := s.env.Settings(s.ctx) // the first prompt reports errors of the store
			switch {
			case lost != nil:
				s.notice("warning", problemOf(lost).Message)
			case found.Why != "" && set["model"] == "":
				s.notice("warning", found.Why)
			}
		}, nil
	})
}

// left are commands that an editor replaces by its own.
var left = map[string]bool{"quit": true, "clear": true, "login": true}

// commands returns the slash commands that an editor offers.
func (s *session) commands() (list []command) {
	for _, c := range slash.All(s.ctx, s.env) {
		if left[c.Name] {
			continue
		}
		one := command{Name: c.Name, Description: c.Doc}
		if c.Args != "" {
			one.Input = &hint{c.Args}
		}
		list = append(list, one)
	}
	return list
}

// loadSession reopens a session and replays all of it.
func (a *agent) loadSession(ctx context.Context, in where) (any, func(), error) {
	s, err := a.reopen(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	if err := s.replay(ctx); err != nil {
		return nil, nil, err
	}
	return s.opened(ctx, in)
}

// resumeSession reopens a session for an editor that still shows it.
func (a *agent) resumeSession(ctx context.Context, in where) (any, func(), error) {
	s, err := a.reopen(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	return s.opened(ctx, in)
}

// reopen opens a stored session, on the branch it had.
func (a *agent) reopen(ctx context.Context, in where) (*session, error) {
	dir, err := folderOf(in.CWD)
	if err != nil {
		return nil, err
	}
	root, branch := at(in.SessionID)
	l := conversation.In(a.Engine)
	t, err := l.Open(ctx, root)
	if err != nil {
		return nil, err
	}
	if t.Dir != dir {
		return nil, &problem{Code: badParams, Message: "session " + in.SessionID + " belongs to " + t.Dir}
	}
	s := a.open(in.SessionID, t.Dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if branch = cmp.Or(branch, s.branch); branch == "" {
		if branch, err = trunk(ctx, l, t); err != nil {
			return nil, err
		}
	}
	if _, err := a.headOf(ctx, t, branch); err != nil {
		return nil, err
	}
	s.env.Tree, s.env.Root, s.branch = t.Name, "", branch
	clear(s.env.Begin)
	return s, nil
}

// forked is the prefix of a forked session's branch.
const forked = "fork-"

// trunk returns the branch of a conversation's own session: its current one, or if that belongs to a fork, the last
// moved one that does not.
func trunk(ctx context.Context, l *conversation.Library, t conversation.Tree) (string, error) {
	if !strings.HasPrefix(t.Branch, forked) {
		return t.Branch, nil
	}
	all, err := l.Branches(ctx, t)
	best := conversation.BranchInfo{Name: t.Branch}
	for _, b := range all {
		if !strings.HasPrefix(b.Name, forked) && b.Moved.After(best.Moved) {
			best = b
		}
	}
	return best.Name, err
}

// headOf returns the last node of a branch.
func (a *agent) headOf(ctx context.Context, t conversation.Tree, branch string) (tree.ID, error) {
	all, err := conversation.In(a.Engine).Branches(ctx, t)
	if err != nil {
		return "", err
	}
	for _, b := range all {
		if b.Name == branch {
			return b.Head, nil
		}
	}
	return "", &problem{Code: noSuchThing, Message: "conversation " + t.Name + " has no branch " + branch}
}

// replay sends an editor all earlier messages and calls.
func (s *session) replay(ctx context.Context) error {
	s.mu.Lock()
	name, branch, dir := s.env.Tree, s.branch, s.env.Dir
	s.mu.Unlock()
	t, err := conversation.In(s.Engine).Open(ctx, name)
	if err != nil {
		return err
	}
	head, err := s.headOf(ctx, t, branch)
	if err != nil {
		return err
	}
	path, err := conversation.In(s.Engine).Path(ctx, head)
	if err != nil {
		return err
	}
	v := newTeller(s, dir)
	for _, n := range path {
		v.again(n, scene.ChatBody(n))
	}
	return s.tellTitle(ctx, t)
}

// onPage is how many sessions one answer lists.
const onPage = 100

// forks returns the branches of a conversation's forked sessions.
func forks(ctx context.Context, l *conversation.Library, name string) ([]conversation.BranchInfo, error) {
	t, err := l.Open(ctx, name)
	if errors.Is(err, store.ErrNotFound) { // it was deleted a moment ago
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	all, err := l.Branches(ctx, t)
	return slices.DeleteFunc(all, func(b conversation.BranchInfo) bool { return !strings.HasPrefix(b.Name, forked) }), err
}

// forkTitle returns the title of a fork.
func forkTitle(title, branch string) string { return title + " (" + branch + ")" }

// listSessions lists conversations of a folder, or of all, each with its forks; the cursor is the index in the list
// of conversations.
func (a *agent) listSessions(ctx context.Context, in struct {
	CWD    string `json:"cwd"`
	Cursor string `json:"cursor"`
}) (any, func(), error) {
	from := 0
	if in.Cursor != "" {
		n, err := strconv.Atoi(in.Cursor)
		if err != nil || n < 0 {
			return nil, nil, &problem{Code: badParams, Message: "unknown cursor " + in.Cursor}
		}
		from = n
	}
	all, err := conversation.In(a.Engine).List(ctx, in.CWD)
	if err != nil {
		return nil, nil, err
	}
	out := struct {
		Sessions []sessionInfo `json:"sessions"`
		Next     string        `json:"nextCursor,omitempty"`
	}{Sessions: []sessionInfo{}}
	from = min(from, len(all)) // the editor's number may be out of range
	for _, i := range all[from:min(from+onPage, len(all))] {
		title := a.Out.Clean(i.Heading())
		out.Sessions = append(out.Sessions, sessionInfo{string(i.Root), i.Dir, title, i.Last.UTC().Format(time.RFC3339)})
		if i.Branches > 1 {
			forks, err := forks(ctx, conversation.In(a.Engine), i.Name)
			if err != nil {
				return nil, nil, err
			}
			for _, b := range forks {
				out.Sessions = append(out.Sessions, sessionInfo{string(i.Root) + "@" + b.Name, i.Dir, forkTitle(title, b.Name),
					b.Moved.UTC().Format(time.RFC3339)})
			}
		}
	}
	if from+onPage < len(all) {
		out.Next = strconv.Itoa(from + onPage)
	}
	return out, nil, nil
}

// forkSession begins a branch at a session's head, and opens it as another session.
func (a *agent) forkSession(ctx context.Context, in where) (any, func(), error) {
	dir, err := folderOf(in.CWD)
	if err != nil {
		return nil, nil, err
	}
	root, _ := at(in.SessionID)
	l := conversation.In(a.Engine)
	t, err := l.Open(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	if t.Dir != dir {
		return nil, nil, &problem{Code: badParams, Message: "session " + in.SessionID + " belongs to " + t.Dir}
	}
	from := t.Branch
	if _, branch := at(in.SessionID); branch != "" {
		from = branch
	}
	if s, err := a.session(in.SessionID); err == nil {
		s.mu.Lock()
		from = s.branch
		s.mu.Unlock()
	}
	id := tree.NewID()
	name := forked + string(id[len(id)-4:])
	if _, err := a.Engine.Do(a.ctx, conversation.Branch{Tree: t.Name, Name: name, At: from, Stay: true}); err != nil {
		return nil, nil, err
	}
	s, err := a.reopen(ctx, where{SessionID: string(t.Root) + "@" + name, CWD: dir})
	if err != nil {
		return nil, nil, err
	}
	return s.opened(ctx, in)
}

// closeSession forgets a session. Its conversation is left unchanged.
func (a *agent) closeSession(_ context.Context, in where) (any, func(), error) {
	s, err := a.session(in.SessionID)
	if err != nil {
		return nil, nil, err
	}
	s.cancel()
	s.cancel() // nobody is waiting for it
	a.mu.Lock()
	delete(a.sessions, in.SessionID)
	a.mu.Unlock()
	return nil, nil, nil
}

// deleteSession moves a conversation to the trash, with its forks; for a fork it deletes the branch. A missing one
// counts as deleted.
func (a *agent) deleteSession(ctx context.Context, in where) (any, func(), error) {
	if s, err := a.session(in.SessionID); err == nil { // it may not be open
		a.closeSession(ctx, in)
		idle(ctx, s)
	}
	root, branch := at(in.SessionID)
	l := conversation.In(a.Engine)
	t, err := l.Open(ctx, root)
	switch {
	case err == nil && branch == "":
		_, err = a.Engine.Do(a.ctx, conversation.Delete{Trees: []string{t.Name}})
	case err == nil:
		err = deleteFork(ctx, a, t, branch)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return nil, nil, err
}

// deleteFork deletes a branch; a conversation that is on it goes back to its own.
func deleteFork(ctx context.Context, a *agent, t conversation.Tree, branch string) error {
	if t.Branch == branch {
		own, err := trunk(ctx, conversation.In(a.Engine), t)
		if err == nil {
			_, err = a.Engine.Do(a.ctx, conversation.SwitchTo{Tree: t.Name, Branch: own})
		}
		if err != nil {
			return err
		}
	}
	_, err := a.Engine.Do(a.ctx, conversation.Delete{Trees: []string{t.Name}, Branch: branch})
	return err
}
