package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// theirs are caches of the person, by the variable that leads to them and their default folder in the home. Caches that usually contain a
// password, such as gradle's, are not among them.
var theirs = []struct{ name, place string }{
	{"GOCACHE", ".cache/go-build"}, {"GOMODCACHE", "go/pkg/mod"}, {"GOLANGCI_LINT_CACHE", ".cache/golangci-lint"},
	{"STATICCHECK_CACHE", ".cache/staticcheck"}, {"npm_config_cache", ".npm"}, {"YARN_CACHE_FOLDER", ".cache/yarn"},
	{"PNPM_HOME", ".local/share/pnpm"}, {"BUN_INSTALL_CACHE_DIR", ".bun/install/cache"}, {"DENO_DIR", ".cache/deno"},
	{"COREPACK_HOME", ".cache/node/corepack"}, {"PIP_CACHE_DIR", ".cache/pip"}, {"UV_CACHE_DIR", ".cache/uv"},
	{"POETRY_CACHE_DIR", ".cache/pypoetry"}, {"PRE_COMMIT_HOME", ".cache/pre-commit"}, {"NUGET_PACKAGES", ".nuget/packages"},
	{"COMPOSER_CACHE_DIR", ".cache/composer"}, {"CCACHE_DIR", ".cache/ccache"}, {"SCCACHE_DIR", ".cache/sccache"},
	{"PUB_CACHE", ".pub-cache"},
}

// layers shows a program the person's caches in their places, unchanged: its changes are stored in own, or in the first layer of the
// policy, on top of own's content.
func (k *Keeper) layers(p permission.Policy, own string, cmd *exec.Cmd, r *sandbox.Rules) error {
	used := slices.Concat(p.Workspace, p.Temp, k.Hidden, p.Layers, []string{own})
	for _, c := range theirs {
		at := placeOf(k.Home, c.name, c.place)
		overlaps := func(path string) bool { return below(path, at) || below(at, path) }
		if at == "" || below(k.Home, at) || slices.ContainsFunc(used, overlaps) {
			continue
		}
		l, err := stacked(append(slices.Clone(p.Layers), filepath.Join(own, "above")), c.name, at)
		if err != nil {
			return err
		}
		r.Layers = append(r.Layers, l)
		setenv(cmd, c.name, at)
	}
	return nil
}

// stacked is the layer of a cache: the first of some folders stores changes, under a name; below it are the others' changes, and lowest
// the cache itself.
func stacked(layers []string, name, at string) (sandbox.Layer, error) {
	l := sandbox.Layer{At: at, Upper: filepath.Join(layers[0], name)}
	for _, dir := range layers[1:] {
		if took := (sandbox.Layer{Upper: filepath.Join(dir, name)}).Changed(); exists(took) {
			l.Below = append(l.Below, took)
		}
	}
	l.Below = append(l.Below, at)
	return l, os.MkdirAll(l.Upper, 0o700)
}

// placeOf is the place of one of the person's caches, without links; empty: there is none. It uses our environment, not a program's.
func placeOf(home, name, otherwise string) string {
	at := os.Getenv(name)
	switch cached, ok := strings.CutPrefix(otherwise, ".cache/"); {
	case name == "GOMODCACHE":
		at = process.ModCache(os.Getenv, home)
	case name == "GOCACHE" && process.GoSays(os.Getenv, home, name) != "":
		at = process.GoSays(os.Getenv, home, name)
	case at != "":
	case ok && os.Getenv("XDG_CACHE_HOME") != "":
		at = filepath.Join(os.Getenv("XDG_CACHE_HOME"), cached)
	default:
		at = filepath.Join(home, filepath.FromSlash(otherwise))
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil || !filepath.IsAbs(real) {
		return ""
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return ""
	}
	return real
}
