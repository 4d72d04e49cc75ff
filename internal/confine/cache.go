package confine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// caches are the variables that tell programs where to keep what they built or fetched, each with a folder of the
// project's own caches. The person's are never written: what one program leaves in a cache, another runs. An empty
// folder means that the variable is not set here, but by seeOthers.
var caches = []struct{ name, folder string }{
	{"XDG_CACHE_HOME", "xdg"}, {"GOCACHE", "go-build"}, {"GOLANGCI_LINT_CACHE", "golangci-lint"}, {"STATICCHECK_CACHE", "staticcheck"},
	{"npm_config_cache", "npm"},
	{"YARN_CACHE_FOLDER", "yarn"}, {"YARN_GLOBAL_FOLDER", "yarn-global"}, {"npm_config_store_dir", "pnpm"},
	{"BUN_INSTALL_CACHE_DIR", "bun"}, {"DENO_DIR", "deno"}, {"COREPACK_HOME", "corepack"},
	{"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"}, {"POETRY_CACHE_DIR", "poetry"}, {"PRE_COMMIT_HOME", "pre-commit"},
	{"MYPY_CACHE_DIR", "mypy"}, {"RUFF_CACHE_DIR", "ruff"},
	{"GRADLE_USER_HOME", "gradle"}, {"NUGET_PACKAGES", "nuget"}, {"DOTNET_CLI_HOME", "dotnet"}, {"COMPOSER_CACHE_DIR", "composer"},
	{"GEM_SPEC_CACHE", "gem"}, {"BUNDLE_USER_CACHE", "bundle"},
	{"CCACHE_DIR", "ccache"}, {"SCCACHE_DIR", "sccache"}, {"ZIG_GLOBAL_CACHE_DIR", "zig"}, {"TF_PLUGIN_CACHE_DIR", "terraform"},
	{"MIX_HOME", "mix"}, {"HEX_HOME", "hex"}, {"PUB_CACHE", "pub"},
	{"PLAYWRIGHT_BROWSERS_PATH", ""}, {"ELECTRON_CACHE", "electron"},
}

// unusedCaches is how long the caches of a project stay after it was last worked on.
const unusedCaches = 30 * 24 * time.Hour

// cache gives a program caches of its own, shared by the programs of one project alone. From the person's it may
// take what is there where its kind of tool can read two. Nothing fails here: without a cache a program is slower,
// not unsafe.
func (k *Keeper) cache(p permission.Policy, cmd *exec.Cmd, r *sandbox.Rules) {
	if k.Caches == "" || len(p.Workspace) == 0 {
		return
	}
	sum := sha256.Sum256([]byte(p.Workspace[0]))
	own := filepath.Join(k.Caches, hex.EncodeToString(sum[:8]))
	if !exists(own) {
		if os.MkdirAll(own, 0o700) != nil {
			return
		}
		k.forget(own)
	}
	now := time.Now()
	os.Chtimes(own, now, now)
	for _, c := range caches {
		if c.folder == "" {
			continue
		}
		setenv(cmd, c.name, filepath.Join(own, c.folder))
	}
	os.Mkdir(filepath.Join(own, "terraform"), 0o700) // it must exist
	r.Write = append(r.Write, own)
	r.Read = append(r.Read, k.seeGo(cmd, own, r.Network))
	k.seeOthers(cmd, own, r.Network)
}

// seeGo lets go take modules from the person's cache as from a proxy: go verifies their checksums as it does those
// of any other proxy. It returns the folder to be made readable. -modcacherw makes our copy removable by forget;
// without it go writes folders that only chmod can delete.
func (k *Keeper) seeGo(cmd *exec.Cmd, own string, network bool) (seenIn string) {
	theirs := getenv(cmd, "GOMODCACHE")
	if theirs == "" {
		if gopath := filepath.SplitList(getenv(cmd, "GOPATH")); len(gopath) > 0 {
			theirs = filepath.Join(gopath[0], "pkg", "mod")
		} else {
			theirs = filepath.Join(k.Home, "go", "pkg", "mod")
		}
	}
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
	case !network: // private modules, too: nobody is asked about them
		setenv(cmd, "GOPROXY", seen+",off")
		setenv(cmd, "GONOPROXY", "none")
		setenv(cmd, "GONOSUMDB", "*")
	default:
		setenv(cmd, "GOPROXY", seen+","+cmp.Or(k.goSays(cmd, "GOPROXY"), "direct"))
	}
	return download
}

// goSays is a setting of go as go finds it (go help environment): in the environment, else in the person's file,
// else in the one that came with go; empty: nowhere. Running go env would cost a process for each command.
func (k *Keeper) goSays(cmd *exec.Cmd, name string) string {
	if value := getenv(cmd, name); value != "" {
		return value
	}
	files := []string{getenv(cmd, "GOENV")}
	switch files[0] {
	case "off":
		files = nil
	case "":
		config := cmp.Or(getenv(cmd, "XDG_CONFIG_HOME"), filepath.Join(k.Home, ".config"))
		files = []string{filepath.Join(config, "go", "env"), filepath.Join(k.Home, "Library", "Application Support", "go", "env")}
	}
	if root := getenv(cmd, "GOROOT"); root != "" {
		files = append(files, filepath.Join(root, "go.env"))
	} else if program, err := exec.LookPath("go"); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(program)), "go.env"))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // go passes over a file that is not there, too
		}
		for line := range strings.Lines(string(text)) {
			if value, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found && value != "" {
				return value
			}
		}
	}
	return ""
}

// seeOthers does likewise for tools that can read a second cache, or that do without writing one.
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
	// Cargo reads a home it cannot write, but fetches only into one it can.
	if mine := filepath.Join(own, "cargo"); network || exists(filepath.Join(mine, "registry")) {
		setenv(cmd, "CARGO_HOME", mine)
	}
}

// forget removes the caches of projects that nobody has worked on for long. It is called when a new project begins.
func (k *Keeper) forget(but string) {
	entries, _ := os.ReadDir(k.Caches)
	for _, e := range entries {
		dir := filepath.Join(k.Caches, e.Name())
		if info, err := e.Info(); err == nil && dir != but && time.Since(info.ModTime()) > unusedCaches {
			os.RemoveAll(dir)
		}
	}
}

// getenv is the value a program will see: of a variable that is set twice, the last counts.
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
