package process

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// GoSays is a setting of go as go finds it (go help environment): in an environment, else in the file of the person whose home it is,
// else in the one that came with go; empty: nowhere.
func GoSays(getenv func(name string) string, home, name string) string {
	if value := getenv(name); value != "" {
		return value
	}
	files := []string{getenv("GOENV")}
	switch files[0] {
	case "off":
		files = nil
	case "":
		config := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
		files = []string{filepath.Join(config, "go", "env"), filepath.Join(home, "Library", "Application Support", "go", "env")}
	}
	if root := getenv("GOROOT"); root != "" {
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

// ModCache is where go keeps modules.
func ModCache(getenv func(name string) string, home string) string {
	if at := GoSays(getenv, home, "GOMODCACHE"); at != "" {
		return at
	}
	path := cmp.Or(GoSays(getenv, home, "GOPATH"), filepath.Join(home, "go"))
	return filepath.Join(filepath.SplitList(path)[0], "pkg", "mod")
}
