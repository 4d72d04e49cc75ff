package process

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// passed are the variables a program sees as we do. Whatever may contain a secret, also the proxies, is not among them.
var passed = []string{
	"LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GOROOT", "GOFLAGS", "GOTOOLCHAIN", "CGO_ENABLED", "RUSTUP_TOOLCHAIN", "PYENV_VERSION", "JAVA_HOME", "DOTNET_ROOT",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS",
}

// caches are where tools keep what they have built or fetched: without them, below a home that is new, each check
// would begin by fetching. A folder is relative to the person's home.
var caches = []struct{ name, folder string }{
	{"GOPATH", "go"}, {"CARGO_HOME", ".cargo"}, {"RUSTUP_HOME", ".rustup"}, {"npm_config_cache", ".npm"}, {"PYENV_ROOT", ".pyenv"},
}

// Environ is what a program may see of our environment: what steers language and tools, and where tools keep what they
// have built or fetched. It has neither PATH, HOME nor temporary folders, which the caller decides on.
func Environ() []string {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, tools()...)
}

// tools are the variables that lead to the caches there are.
// One that is set counts as it is set; a place that is not there is left out, so that no tool makes it.
func tools() []string {
	folders := map[string]string{}
	home, err := os.UserHomeDir()
	if err == nil {
		for _, c := range caches {
			folders[c.name] = filepath.Join(home, filepath.FromSlash(c.folder))
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		folders["GOCACHE"] = filepath.Join(dir, "go-build")
	}
	for _, name := range []string{"GOCACHE", "GOPATH"} {
		folders[name] = cmp.Or(GoSays(os.Getenv, home, name), folders[name])
	}
	folders["GOMODCACHE"] = ModCache(os.Getenv, home)
	var env []string
	for name, folder := range folders {
		if set := os.Getenv(name); set != "" {
			folder = set
		} else if _, err := os.Stat(folder); err != nil {
			continue
		}
		env = append(env, name+"="+folder)
	}
	slices.Sort(env)
	return env
}
