package turns

import (
	"context"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/tree"
)

// grant keeps a grant for as long as this process has the conversation open. It is never stored on disk.
func (l *Library) grant(root tree.ID, g permission.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(root)
	if slices.ContainsFunc(d.grants, func(have kept.Granted) bool { return have.Same(g) }) {
		return
	}
	d.given++
	d.grants = append(d.grants, kept.Granted{ID: "s" + strconv.Itoa(d.given), Grant: g})
}

// SessionGrants returns the grants of a conversation for the session, oldest first. It is cheap: a screen calls it in every frame.
func (l *Library) SessionGrants(root tree.ID) []kept.Granted {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d, ok := l.states[root]; ok {
		return slices.Clone(d.grants)
	}
	return nil
}

// Grants returns all grants that apply in a conversation: those for the session of this process, then those for its project.
func (l *Library) Grants(ctx context.Context, name string) ([]kept.Granted, error) {
	t, err := l.talks.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	file, project, err := l.wiring.Guard.grantFile(t.Dir)
	if err != nil {
		return nil, err
	}
	all, err := file.All()
	out := l.SessionGrants(t.Root)
	for _, g := range all {
		if g.Project == project {
			out = append(out, kept.Granted{ID: strconv.Itoa(g.ID), Grant: g.Grant})
		}
	}
	return out, err
}

// Revoke revokes grants, all of those named or none. What already runs continues; the next call needs approval.
type Revoke struct {
	Tree string
	IDs  []string // as in Library.Grants
}

// Do implements engine.Op.
func (op Revoke) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.talks.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	all, err := l.Grants(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	var lasting []int
	for _, id := range op.IDs {
		i := slices.IndexFunc(all, func(g kept.Granted) bool { return g.ID == id })
		if i < 0 {
			return "", &engine.Refusal{Message: "no grant " + id + " here", Hint: "list them: /permission"}
		}
		if all[i].Scope != "session" {
			n, _ := strconv.Atoi(id) // it was made from a number
			lasting = append(lasting, n)
		}
	}
	if len(lasting) > 0 {
		file, _, err := l.wiring.Guard.grantFile(t.Dir)
		if err == nil {
			err = file.Revoke(lasting...)
		}
		if err != nil {
			return "", err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.state(t.Root)
	d.grants = slices.DeleteFunc(d.grants, func(g kept.Granted) bool { return slices.Contains(op.IDs, g.ID) })
	return t.Root, nil
}

// grantFile returns the file with the grants of projects, and the name of a folder's project in it.
func (g Guard) grantFile(dir string) (file kept.File, project string, err error) {
	p, err := g.Policy(dir, permission.Balanced)
	if err != nil {
		return file, "", err
	}
	file, err = g.Grants()
	return file, p.Workspace[0], err
}
