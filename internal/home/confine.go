package home

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Keeper prepares the programs that agents start for the sandbox. It is made once: later changes of the
// sandbox's settings apply from the next start. Errors are skipped, which only makes the sandbox stricter or
// leaves paths that do not exist out of the hidden ones.
func (g *Gate) Keeper() *confine.Keeper {
	g.confining.Do(func() {
		k := &confine.Keeper{Deep: g.Hides()}
		if folder, err := os.UserHomeDir(); err == nil {
			k.Home = shell.Real(folder)
		}
		if file, err := g.home.Settings.StoreFile(); err == nil {
			k.Hidden = append(k.Hidden, filepath.Dir(file))
			k.Aside = filepath.Join(filepath.Dir(file), "set-aside")
		}
		if keys, err := g.home.Keys.Keyring(); err == nil { // the store may be elsewhere
			k.Hidden = append(k.Hidden, keys.Dir)
		}
		if dir, err := os.UserCacheDir(); err == nil {
			k.Caches = filepath.Join(dir, "socrates", "caches")
		}
		if cfg, err := g.home.Settings.Load(); err == nil {
			for _, path := range cfg.Strings("sandbox.read") {
				if rest, ok := strings.CutPrefix(path, "~/"); ok {
					path = filepath.Join(k.Home, rest)
				}
				k.Read = append(k.Read, path)
			}
			k.Limits = sandbox.Limits{Processes: cfg.Int("sandbox.processes"), Memory: int64(cfg.Int("sandbox.memory")) << 20,
				File: int64(cfg.Int("sandbox.file")) << 20, Seconds: int(cfg.Duration("sandbox.cpu").Seconds())}
		}
		g.keeper = k
	})
	return g.keeper
}

// Confine puts a program into the sandbox that a policy asks for. A program without network shares an isolated
// one with all such programs of the conversation, as does one that connects to a port of this machine at which
// one of them serves. It shares its limits with the other programs of its script; nil: no limits. end must be
// called once the program has ended; its error reports what the program did that it should not have.
func (g *Gate) Confine(p permission.Policy, s, script *tool.Session, by consent.Level, cmd *exec.Cmd) (end func() error, err error) {
	var net *sandbox.Net
	if s != nil {
		net = tool.Of(s, func() *sandbox.Net { return &sandbox.Net{} })
	}
	var group *sandbox.Group
	if script != nil {
		group = tool.Of(script, func() *sandbox.Group { return &sandbox.Group{} })
	}
	return g.Keeper().Start(context.Background(), p, net, group, by, cmd)
}

// Watch watches the steering files of a project. The first call of the returned function compares with the
// state now; accept makes the current files the new state.
func (g *Gate) Watch(p permission.Policy) func(accept bool) []string {
	again := g.Keeper().Watch(p)
	return func(accept bool) (list []string) {
		for _, c := range again(accept) {
			list = append(list, c.String())
		}
		return list
	}
}
