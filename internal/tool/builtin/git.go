package builtin

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// repository opens the project's repository and checks name, a path in the project that may be missing on the disk.
func repository(env tool.Env, name string) (git.Repo, string, error) {
	f, err := open(env)
	if err != nil {
		return git.Repo{}, "", err
	}
	defer f.Close()
	if name, err = f.Inside(name); err != nil {
		return git.Repo{}, "", err
	}
	if name == "." {
		name = ""
	}
	repo, err := f.Repo()
	return repo, name, err
}

// hides returns a function that reports whether a file, named from the repository's top, is left out of what git
// shows.
func hides(repo git.Repo, env tool.Env) func(name string) bool {
	return func(name string) bool {
		return Secret(name) || env.Hides != nil && env.Hides(filepath.Join(repo.Top(), filepath.FromSlash(name)))
	}
}

// look returns what git printed about the files it names, unless that contains what came from outside and may not be
// read. see asks git, with the files to leave out. Git is asked first, since only its answer says which files are in
// it; nothing is shown before the question is answered.
func look(ctx context.Context, repo git.Repo, env tool.Env, see func(hide func(name string) bool) (git.Text, error)) (git.Text, error) {
	hidden, names := hides(repo, env), []string(nil)
	t, err := see(func(name string) bool {
		names = append(names, name)
		return hidden(name)
	})
	if err != nil {
		return t, err
	}
	return t, brought(ctx, env, repo.Top(), slices.DeleteFunc(names, hidden)...)
}

// patch returns the text of a diff, with a note of what was left out.
func patch(t git.Text) string {
	text := strings.Join(folder.Lines([]byte(t.Body)), "\n")
	if text == "" {
		text = "No difference."
	}
	if t.Cut {
		text += "\n[cut off here; ask with stat=true for the list of files, then with path for one of them]"
	}
	for _, name := range t.Hidden {
		text += "\n[" + clean.Line(name) + " changed too; it may contain secrets, or a rule forbids reading it]"
	}
	return text + "\n"
}
