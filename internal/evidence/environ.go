package evidence

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// passed are the variables a command sees as we do. Whatever may hold a secret, also the proxies, is not among them.
var passed = []string{
	"LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GOROOT", "GOFLAGS", "GOTOOLCHAIN", "CGO_ENABLED", "RUSTUP_TOOLCHAIN", "PYENV_VERSION", "JAVA_HOME", "DOTNET_ROOT",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS",
}

// caches are where tools keep what they have built or fetched: without them, below a home that is new, each check
// would begin by fetching. A folder is relative to the person's home.
var caches = []struct{ name, folder string }{
	{"GOPATH", "go"}, {"GOMODCACHE", "go/pkg/mod"}, {"CARGO_HOME", ".cargo"}, {"RUSTUP_HOME", ".rustup"},
	{"npm_config_cache", ".npm"}, {"PYENV_ROOT", ".pyenv"},
}

// environment is all a command sees. home and temp are folders of its own.
func environment(path []string, home, temp string) []string {
	env := []string{
		"PATH=" + strings.Join(path, string(filepath.ListSeparator)), "HOME=" + home, "USERPROFILE=" + home,
		"APPDATA=" + home, "LOCALAPPDATA=" + home, "TMPDIR=" + temp, "TEMP=" + temp, "TMP=" + temp,
		"TERM=dumb", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0",
	}
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, tools()...)
}

// tools are the variables that lead to the caches there are.
func tools() []string {
	places := map[string]string{}
	if dir, err := os.UserCacheDir(); err == nil {
		places["GOCACHE"] = filepath.Join(dir, "go-build")
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, c := range caches {
			places[c.name] = filepath.Join(home, filepath.FromSlash(c.folder))
		}
	}
	if gopath := os.Getenv("GOPATH"); gopath != "" {
		places["GOMODCACHE"] = filepath.Join(filepath.SplitList(gopath)[0], "pkg", "mod")
	}
	var env []string
	for name, place := range places {
		if set := os.Getenv(name); set != "" {
			place = set
		} else if _, err := os.Stat(place); err != nil {
			continue
		}
		env = append(env, name+"="+place)
	}
	slices.Sort(env)
	return env
}

// searchPath is PATH without what the project could put a program into.
func searchPath(project string) []string {
	var path []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		if rel, err := filepath.Rel(project, real); err != nil || !filepath.IsLocal(rel) {
			path = append(path, dir)
		}
	}
	return path
}

// locate finds the program of argv in path.
func locate(path, argv []string) (string, error) {
	for _, dir := range path {
		program, err := exec.LookPath(filepath.Join(dir, argv[0]))
		if err != nil {
			continue
		}
		// Windows hands the arguments of a batch file to a shell, which obeys these signs.
		if ext := strings.ToLower(filepath.Ext(program)); ext == ".bat" || ext == ".cmd" {
			if strings.ContainsAny(strings.Join(argv[1:], ""), "\"&|<>^%!()\r\n") {
				return "", fmt.Errorf("%s is a batch file, and an argument has a sign it would obey", argv[0])
			}
		}
		return program, nil
	}
	return "", fmt.Errorf("%s is not installed", argv[0])
}
