package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Rules returns the ignore rules besides those of .gitignore files, in the order of gitignore(5): the person's, then
// the repository's info/exclude. What counts as uncommitted work depends on them. Snapshots leave the person's out:
// they hold more rather than less.
func (r Repo) Rules(ctx context.Context) (string, error) {
	personal, err := excludes(ctx, r)
	if err != nil {
		return "", err
	}
	own, err := ownExcludes(ctx, r)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, file := range []string{personal, own} {
		all.Write(rulesOf(file))
		all.WriteByte('\n')
	}
	return all.String(), nil
}

// ownExcludes returns the place of the repository's info/exclude, which need not exist.
func ownExcludes(ctx context.Context, r Repo) (string, error) {
	return r.line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
}

// excludes returns the file with the person's ignore rules: what core.excludesFile names, else git's usual place. It
// need not exist; empty: none. A repository that names one is asked only if the person's settings may, too.
func excludes(ctx context.Context, r Repo) (string, error) {
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	usual := ""
	if xdg != "" {
		usual = filepath.Join(xdg, "git", "ignore")
	}
	// Most people set nothing: git is asked only if one of the files may.
	files := []string{"/etc/gitconfig", filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"),
		os.Getenv("GIT_CONFIG_SYSTEM"), os.Getenv("GIT_CONFIG_GLOBAL")}
	if !slices.ContainsFunc(files, mayExclude) {
		return usual, nil
	}
	out, _, err := r.feed(ctx, nil, 64<<10, personal(r), "config", "-z", "--type=path", "--get", "core.excludesFile")
	if err != nil && !quiet(err) {
		return "", err
	}
	if set := fields(out); len(set) > 0 {
		return set[0], nil
	}
	return usual, nil
}

// mayExclude reports whether a settings file may name a file of ignore rules, itself or in a file that it includes.
func mayExclude(file string) bool {
	text := bytes.ToLower(rulesOf(file))
	return bytes.Contains(text, []byte("excludesfile")) || bytes.Contains(text, []byte("[include"))
}

// rulesOf reads a file. One that cannot be read has no rules, as for git; one that is no file, such as a pipe, could wait
// for ever.
func rulesOf(file string) []byte {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, _ := os.ReadFile(file)
	return text
}

// excluding is the setting that makes git obey the person's ignore rules.
func excluding(ctx context.Context, r Repo) ([][2]string, error) {
	file, err := excludes(ctx, r)
	if file == "" {
		return nil, err
	}
	return [][2]string{{"core.excludesFile", file}}, err
}

// personal is the environment of a git that reads the person's settings too. It must start nothing.
func personal(r Repo) []string {
	env := slices.DeleteFunc(r.environment(nil), func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_") })
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
		"GIT_CONFIG_NOSYSTEM"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
