package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Remote is the push address of a remote's name in r; an address does not count as a name.
func (Store) Remote(ctx context.Context, r Repo, name string) (string, error) {
	return r.line(ctx, "remote", "get-url", "--push", "--", name)
}

// CanBranch returns an error if a branch of r may not have a name: git must accept it unchanged, and it must look like what it is.
func (Store) CanBranch(ctx context.Context, r Repo, name string) error {
	unseen := func(c rune) bool {
		return unicode.In(c, unicode.C, unicode.Zl, unicode.Zp) || c == unicode.ReplacementChar
	}
	_, err := r.line(ctx, "check-ref-format", "refs/heads/"+name)
	if err != nil || name == "HEAD" || strings.HasPrefix(name, "-") || strings.ContainsFunc(name, unseen) {
		return fmt.Errorf("%q cannot be the name of a branch", name)
	}
	return nil
}

// Neutral creates a repository at dir that has the store's objects and one remote, origin. Nothing in it comes from the
// repository that the store borrowed from: no hook, no setting, no remote. The person's own settings apply there, so
// their logins work. A push from the project's own repository would run its hooks and helpers.
func (s Store) Neutral(ctx context.Context, dir, address string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	r := Repo{program: s.repo.program, dir: dir, top: dir}
	if _, err := r.line(ctx, "init", "--quiet", "--template=", "--object-format=sha1"); err != nil {
		return err
	}
	own := filepath.Join(dir, ".git")
	files := map[string]string{
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\thooksPath = " + noFile + "\n\tfsmonitor = false\n" +
			"[push]\n\trecurseSubmodules = no\n\tfollowTags = false\n\tgpgSign = false\n" +
			"[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\turl = \"" + quoted.Replace(address) + "\"\n",
		"objects/info/alternates": filepath.Join(s.repo.own, "objects") + "\n",
	}
	if body, err := os.ReadFile(filepath.Join(s.repo.own, "shallow")); err == nil {
		files["shallow"] = string(body)
	}
	for name, text := range files {
		path := filepath.Join(own, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// quoted escapes a value for a quoted string in a settings file.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
