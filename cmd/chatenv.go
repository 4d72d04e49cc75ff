package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/trust"
)

// slashEnv is what slash commands know of the world. What is costly is looked at once.
func (a *app) slashEnv(e *engine.Engine, dir string) *slash.Env {
	config := func(name string) string {
		file, err := a.userFile()
		if err != nil {
			return ""
		}
		return filepath.Join(filepath.Dir(file), name)
	}
	env := &slash.Env{Engine: e, Dir: dir, Begin: map[string]string{}, Login: "socrates login"}
	env.Phases = func() []phase.Phase { all, _ := phase.All(config("phases")); return all }
	env.Memory = func() (string, error) { return projectOf(dir) }
	env.Note = a.noteLines
	env.Tiered = a.phaseTier
	env.Pages = func() []phase.Command { all, _ := phase.Commands(config("commands"), dir); return all }
	env.Trusted = func(p phase.Command) error { return a.approvedPage(dir, p) }
	env.Templates = func() []phase.Template { all, _ := phase.Templates(config("templates")); return all }
	env.Today = func() string { return time.Now().Format(time.DateOnly) }
	env.Export = func(ctx context.Context, t engine.Tree, format string) (string, error) {
		return exportTree(ctx, e, t, format, "")
	}
	env.Skills = once(func(ctx context.Context) []phase.Skill {
		all, _ := a.skills(ctx, dir)
		return all
	})
	env.Models = once(func(ctx context.Context) (list []string) {
		all, _ := a.discover(ctx)
		catalogue, err := a.models()
		if err != nil {
			return nil
		}
		for _, f := range all {
			if f.Ready && f.Source != rehearsalSpec {
				list = append(list, f.Spec)
				for _, c := range a.choices(catalogue, f) {
					if c.Spec != f.Spec {
						list = append(list, c.Spec)
					}
				}
			}
		}
		return list
	})
	env.Files = once(func(ctx context.Context) []string {
		f, err := folder.Open(dir)
		if err != nil {
			return nil
		}
		defer f.Close()
		names, _ := f.Files(ctx, ".")
		return names
	})
	return env
}

// approvedPage says whether the person approved a command of the project as it is now.
func (a *app) approvedPage(dir string, p phase.Command) error {
	store, err := a.approvals()
	if err != nil {
		return err
	}
	project, err := trust.Project(dir)
	if err != nil {
		return err
	}
	items, err := trust.Collect(dir, trust.Command)
	if err != nil {
		return err
	}
	for _, i := range items {
		if state, _ := store.State(project, i); i.Name == p.Name && state == trust.Approved && len(i.Files) == 1 && i.Files[0].SHA256 == p.SHA256 {
			return nil
		}
	}
	return failure.Usage("/"+p.Name+" comes with the project, and you have not approved it as it is now",
		"look at it with socrates trust show command:"+p.Name+", then: socrates trust approve command:"+p.Name)
}

// once remembers what f found.
func once[T any](f func(context.Context) T) func(context.Context) T {
	var found T
	done := false
	return func(ctx context.Context) T {
		if !done {
			found, done = f(ctx), true
		}
		return found
	}
}

// files shows files of a project as a model is to see them.
func (a *app) files(ctx context.Context, dir, name string) ([]talk.Handle, error) {
	cfg, err := a.settings()
	if err != nil {
		return nil, err
	}
	found, err := project.Show(ctx, dir, name, project.Limits{FileBytes: cfg.Int("context.max_file_bytes"), TotalBytes: cfg.Int("context.max_bytes")})
	if err != nil {
		return nil, err
	}
	var list []talk.Handle
	for _, s := range found {
		list = append(list, talk.Handle{URI: talk.FileKey + s.Name, Face: s.Text, SHA256: s.SHA256, Bytes: int64(len(s.Text)), Held: true})
	}
	return list, nil
}

// create writes a file that must not be there yet: below the project as tools write, elsewhere as the person said.
func create(dir string, file slash.File) error {
	if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
		f, err := os.OpenFile(file.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(file.Text)
		return errors.Join(err, f.Close())
	}
	f, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	was, err := f.Look(filepath.ToSlash(file.Path))
	if err != nil {
		return err
	}
	if was.There {
		return failure.Usage(file.Path+" is there already", "take another name")
	}
	return f.Apply(folder.Change{Was: was, Now: []byte(file.Text)})
}
