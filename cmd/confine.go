package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// keeper prepares the programs that agents start for the sandbox.
func (a *app) keeper() *confine.Keeper {
	a.confining.Do(func() {
		k := &confine.Keeper{Deep: a.hides()}
		if home, err := os.UserHomeDir(); err == nil {
			k.Home = shell.Real(home)
		}
		if file, err := a.storeFile(); err == nil {
			k.Hidden = append(k.Hidden, filepath.Dir(file))
			k.Aside = filepath.Join(filepath.Dir(file), "set-aside")
		}
		if keys, err := a.ring(); err == nil { // the store may be elsewhere
			k.Hidden = append(k.Hidden, keys.Dir)
		}
		if dir, err := os.UserCacheDir(); err == nil {
			k.Caches = filepath.Join(dir, "socrates", "caches")
		}
		if cfg, err := a.settings(); err == nil {
			for _, path := range cfg.Strings("sandbox.read") {
				if rest, ok := strings.CutPrefix(path, "~/"); ok {
					path = filepath.Join(k.Home, rest)
				}
				k.Read = append(k.Read, path)
			}
			k.Limits = sandbox.Limits{Processes: cfg.Int("sandbox.processes"), Memory: int64(cfg.Int("sandbox.memory")) << 20,
				File: int64(cfg.Int("sandbox.file")) << 20, Seconds: int(cfg.Duration("sandbox.cpu").Seconds())}
		}
		a.prepares = k
	})
	return a.prepares
}

// confine puts a program into the sandbox that a policy asks for. Without network it shares one with all programs of the
// conversation; so does one that reaches for a port of this machine at which one of them serves.
func (a *app) confine(p permission.Policy, s *tool.Session, by permission.Consent, cmd *exec.Cmd) (end func() error, err error) {
	var net *sandbox.Net
	if s != nil {
		net = tool.Of(s, func() *sandbox.Net { return &sandbox.Net{} })
	}
	return a.keeper().Start(context.Background(), p, net, by, cmd)
}

// watch looks at what steers tools in a project.
func (a *app) watch(p permission.Policy) func(accept bool) []string {
	again := a.keeper().Watch(p)
	return func(accept bool) (list []string) {
		for _, c := range again(accept) {
			list = append(list, c.String())
		}
		return list
	}
}
