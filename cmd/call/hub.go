package call

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/mirror"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// hub identifies the hub that a command works with; the zero value: the person's own store.
type hub struct {
	URL     string // --hub
	Project string // --project
	there   *mirror.Hub
	folder  string // the hub's folder for this project, once it was asked for
}

const withHub = "hub" // the annotation of a command

// WithHub marks commands that can work with a hub.
func WithHub(commands ...*cobra.Command) {
	for _, c := range commands {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[withHub] = "yes"
	}
}

// AtHub returns the hub that this command works with; nil: it works with the person's own store.
func (a *Call) AtHub() *mirror.Hub { return a.Hub.there }

// checkHub finds out which hub is meant. Without one, it checks nothing.
func (a *Call) checkHub(c *cobra.Command) error {
	able := c.Annotations[withHub] != ""
	if a.Hub.URL != "" && !able {
		hint := "leave out --hub"
		ours := c.Name() == "connect" || c.Name() == "leave"
		if p := c.Parent(); p != nil && !ours && strings.HasPrefix(p.CommandPath()+" ", c.Root().Name()+" hub ") {
			hint = "run it on the hub's machine, or open " + strings.TrimSuffix(a.Hub.URL, "/") + "/hub as an admin"
		}
		return failure.Usage(c.CommandPath()+" works only on this machine, not with a hub", hint)
	}
	address := a.Hub.URL
	if address == "" && able {
		cfg, err := a.Home.Settings.Load()
		if err != nil {
			return nil // whoever needs the settings reports what is wrong with them
		}
		address = cfg.String("hub.url")
	}
	if address == "" {
		if a.Hub.Project != "" {
			return failure.Usage("--project names a project of a hub", "add --hub URL")
		}
		return nil
	}
	if a.StorePath != "" {
		return failure.Usage("--store and --hub cannot be combined", "leave one out")
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	address, err := invitation.Address(address)
	if err != nil {
		return failure.Usage(err.Error(), "for example: --hub https://desk:4937")
	}
	data, err := home.DataFolder()
	if err != nil {
		return err
	}
	token, err := a.Home.Keys.HubToken(address)
	if err != nil {
		return err
	}
	if a.Hub.there, err = mirror.Open(data, address, token); err != nil {
		return err
	}
	if token == "" {
		return failure.New(failure.ExitAuth, "auth", "no token for the hub "+address,
			"connect it with the invitation you got: socrates hub connect INVITATION")
	}
	a.Hub.there.Warn = a.Out.Warn
	return nil
}

// openMirror opens the copy of the hub's store and updates it. If the hub is unreachable, it warns and reads what was
// copied.
func (a *Call) openMirror(ctx context.Context, w all.Wiring) (err error) {
	h := a.Hub.there
	if a.Store, err = store.Open(ctx, h.StoreFile(), a.Out.Clean); err != nil {
		return err
	}
	slow := time.AfterFunc(2*time.Second, func() { a.Out.Tell("Copying new data from the hub…\n") })
	err = h.Sync(ctx, a.Store)
	slow.Stop()
	switch {
	case mirror.Away(err) && !h.Synced().IsZero():
		a.Out.Warn(failure.Explain(err).Message + "; showing data copied " + out.Ago(h.Synced()))
	case err != nil:
		return err
	}
	s := a.Store
	a.Engine = all.New(s, w)
	a.Engine.MirrorOf(engine.Mirror{
		Do:     func(ctx context.Context, op engine.Op) (tree.ID, error) { return h.Do(ctx, s, op) },
		Follow: func(ctx context.Context) error { return h.Follow(ctx, s) },
		Busy:   h.Busy,
	})
	return nil
}

// Project returns the current project, or the hub's project that stands for it.
func (a *Call) Project() (string, error) {
	if a.AtHub() == nil {
		return a.Home.Settings.Project()
	}
	if a.Hub.folder != "" {
		return a.Hub.folder, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	commit := ""
	if dir, err := a.Home.Settings.Project(); err == nil && a.Hub.Project == "" {
		if r, err := git.Open(dir); err == nil {
			commit, _ = r.First(ctx) // a repository without a commit counts as none
		}
	}
	p, err := a.AtHub().Project(ctx, a.Hub.Project, commit)
	a.Hub.folder = p.Folder
	return p.Folder, err
}

// Dir returns the current folder, or the hub's folder that stands for it.
func (a *Call) Dir() (string, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil || a.AtHub() == nil {
		return dir, err
	}
	top, err := a.Project()
	if err != nil || a.Hub.Project != "" {
		return top, err
	}
	here, err := a.Home.Settings.Project()
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(here, dir)
	if err != nil || below == "." || strings.HasPrefix(below, "..") {
		return top, nil
	}
	return cmp.Or(strings.TrimRight(top, "/"), top) + "/" + filepath.ToSlash(below), nil
}

// HasStore reports whether a store exists, without creating one. A store that a sandbox of ours hides is an error.
func (a *Call) HasStore() (bool, error) {
	if a.AtHub() != nil {
		return true, nil
	}
	path, err := a.Home.Settings.StoreFile()
	if err == nil {
		err = a.Home.Settings.StoreHidden(path)
	}
	return err == nil && Exists(path), err
}
