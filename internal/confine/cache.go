package confine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// caches are the variables that tell programs where to keep what they built or fetched, each with a folder in the
// project's own caches. The person's caches are never written: what one program leaves in a cache, another runs. If the
// folder is empty, seeOthers sets the variable instead.
var caches = []struct{ name, folder string }{
	{"XDG_CACHE_HOME", "xdg"}, {"GOCACHE", "go-build"}, {"GOLANGCI_LINT_CACHE", "golangci-lint"}, {"STATICCHECK_CACHE", "staticcheck"},
	{"npm_config_cache", "npm"},
	{"YARN_CACHE_FOLDER", "yarn"}, {"YARN_GLOBAL_FOLDER", "yarn-global"}, {"PNPM_HOME", "pnpm"},
	{"BUN_INSTALL_CACHE_DIR", "bun"}, {"DENO_DIR", "deno"}, {"COREPACK_HOME", "corepack"},
	{"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"}, {"POETRY_CACHE_DIR", "poetry"}, {"PRE_COMMIT_HOME", "pre-commit"},
	{"MYPY_CACHE_DIR", "mypy"}, {"RUFF_CACHE_DIR", "ruff"},
	{"GRADLE_USER_HOME", "gradle"}, {"NUGET_PACKAGES", "nuget"}, {"DOTNET_CLI_HOME", "dotnet"}, {"COMPOSER_CACHE_DIR", "composer"},
	{"GEM_SPEC_CACHE", "gem"}, {"BUNDLE_USER_CACHE", "bundle"},
	{"CCACHE_DIR", "ccache"}, {"SCCACHE_DIR", "sccache"}, {"ZIG_GLOBAL_CACHE_DIR", "zig"}, {"TF_PLUGIN_CACHE_DIR", "terraform"},
	{"MIX_HOME", "mix"}, {"HEX_HOME", "hex"}, {"PUB_CACHE", "pub"},
	{"PLAYWRIGHT_BROWSERS_PATH", ""}, {"ELECTRON_CACHE", "electron"},
}

// unusedCaches is how long the caches of an unused project are kept.
const unusedCaches = 30 * 24 * time.Hour

// cache gives a program its own caches, shared only by the programs of one project, or those that the policy names. It may read existing
// files from the person's cache if its kind of tool can use two. It only fails for caches that the policy names: without a cache a program
// is slower, not unsafe.
func (k *Keeper) cache(p permission.Policy, cmd *exec.Cmd, r *sandbox.Rules) error {
	own, err := k.own(p)
	if own == "" || err != nil {
		return err
	}
	layered := p.Caches != "" && sandbox.Layers(own) == nil
	switch {
	case len(p.Layers) > 0 && layered:
		l, err := stacked(p.Layers, "own", own)
		if err != nil {
			return err
		}
		defer func() { r.Layers = append(r.Layers, l) }() // deferred: it comes after the layers over folders of own, but is not one of them
	case len(p.Layers) > 0:
		copied := filepath.Join(p.Layers[0], "copy")
		if err := os.CopyFS(copied, os.DirFS(own)); err != nil {
			return fmt.Errorf("copying the caches of the check: %w", err)
		}
		own = copied
		fallthrough
	default:
		r.Write = append(r.Write, own)
	}
	for _, c := range caches {
		if c.folder != "" {
			setenv(cmd, c.name, filepath.Join(own, c.folder))
		}
	}
	os.Mkdir(filepath.Join(own, "terraform"), 0o700) // the folder must exist
	r.Read = append(r.Read, k.seeGo(cmd, own, r.Network))
	k.seeOthers(cmd, own, r.Network)
	if layered {
		return k.layers(p, own, cmd, r)
	}
	return nil
}

// own is the folder for the caches of a project; empty: there is none.
func (k *Keeper) own(p permission.Policy) (string, error) {
	if p.Caches != "" {
		return p.Caches, os.MkdirAll(p.Caches, 0o700)
	}
	if k.Caches == "" || len(p.Workspace) == 0 {
		return "", nil
	}
	sum := sha256.Sum256([]byte(p.Workspace[0]))
	own := filepath.Join(k.Caches, hex.EncodeToString(sum[:8]))
	if !exists(own) {
		if os.MkdirAll(own, 0o700) != nil {
			return "", nil
		}
		k.forget(own)
	}
	now := time.Now()
	os.Chtimes(own, now, now)
	return own, nil
}

// seeGo lets go read modules from the person's cache as from a proxy: go verifies their checksums as for any other
// proxy. It returns the folder that must be readable. -modcacherw makes our copy removable by forget; without it go
// writes folders that only chmod can delete.
func (k *Keeper) seeGo(cmd *exec.Cmd, own string, network bool) (seenIn string) {
	its := func(name string) string { return getenv(cmd, name) }
	theirs := process.ModCache(its, k.Home)
	mine := filepath.Join(own, "go-mod")
	download := filepath.Join(theirs, "cache", "download")
	if theirs == mine {
		return download
	}
	setenv(cmd, "GOMODCACHE", mine)
	setenv(cmd, "GOFLAGS", strings.TrimSpace(getenv(cmd, "GOFLAGS")+" -modcacherw"))
	if !exists(download) {
		return download
	}
	seen := "file://" + filepath.ToSlash(download)
	switch {
	case !network: // private modules, too: nobody needs to be contacted for them
		setenv(cmd, "GOPROXY", seen+",off")
		setenv(cmd, "GONOPROXY", "none")
		setenv(cmd, "GONOSUMDB", "*")
	default:
		setenv(cmd, "GOPROXY", seen+","+cmp.Or(process.GoSays(its, k.Home, "GOPROXY"), "direct"))
	}
	return download
}

// seeOthers does the same for tools that can read a second cache, or that need not write one.
func (k *Keeper) seeOthers(cmd *exec.Cmd, own string, network bool) {
	if theirs := filepath.Join(k.Home, ".gradle", "caches"); exists(theirs) {
		setenv(cmd, "GRADLE_RO_DEP_CACHE", theirs)
	}
	maven := filepath.Join(k.Home, ".m2", "repository")
	setenv(cmd, "MAVEN_ARGS", strings.TrimSpace(getenv(cmd, "MAVEN_ARGS")+" -Dmaven.repo.local="+filepath.Join(own, "maven")+
		" -Dmaven.repo.local.tail="+maven))
	if theirs := filepath.Join(k.Home, ".nuget", "packages"); exists(theirs) {
		setenv(cmd, "NUGET_FALLBACK_PACKAGES", theirs)
	}
	if theirs := filepath.Join(k.Home, ".cache", "ms-playwright"); exists(theirs) {
		setenv(cmd, "PLAYWRIGHT_BROWSERS_PATH", theirs)
	}
	// Cargo can read a home it cannot write, but fetches only into one it can.
	if mine := filepath.Join(own, "cargo"); network || exists(filepath.Join(mine, "registry")) {
		setenv(cmd, "CARGO_HOME", mine)
	}
}

// forget removes the caches of projects that have not been used for long. It is called when a new project begins.
func (k *Keeper) forget(but string) {
	entries, _ := os.ReadDir(k.Caches)
	for _, e := range entries {
		dir := filepath.Join(k.Caches, e.Name())
		if info, err := e.Info(); err == nil && dir != but && time.Since(info.ModTime()) > unusedCaches {
			os.RemoveAll(dir)
		}
	}
}

// getenv is the value a program will see: if a variable is set twice, the last value counts.
func getenv(cmd *exec.Cmd, name string) string {
	for _, v := range slices.Backward(cmd.Env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func setenv(cmd *exec.Cmd, name, value string) {
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	cmd.Env = append(cmd.Env, name+"="+value)
}
