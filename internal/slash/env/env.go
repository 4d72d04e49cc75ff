// Package env makes the slash.Env of a project: what slash commands know of it and of the person's home.
package env

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/export"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/slash"
)

// Of returns the Env of a folder. Costly values are computed once. Errors are ignored on purpose: completion
// and help must not fail, and whoever uses a thing gets its error.
func Of(h *home.Home, e *engine.Engine, dir string) *slash.Env {
	config := func(name string) string {
		file, err := h.Settings.File()
		if err != nil {
			return ""
		}
		return filepath.Join(filepath.Dir(file), name)
	}
	env := &slash.Env{Engine: e, Dir: dir, Begin: map[string]string{}, Login: "socrates login"}
	env.Phases = func() []phase.Phase { all, _ := phase.All(config("phases")); return all }
	env.Project = func() (string, error) { return home.ProjectOf(dir) }
	env.Note = func(n notes.Note) string { return Note(h, n) }
	env.Tiered = h.Pages.Tier
	env.Pages = func() []phase.Command { all, _ := phase.Commands(config("commands"), dir); return all }
	env.Trusted = func(p phase.Command) error { return h.Approvals.CheckCommand(dir, p) }
	env.Templates = func() []phase.Template { all, _ := phase.Templates(config("templates")); return all }
	env.Today = func() string { return time.Now().Format(time.DateOnly) }
	env.Export = func(ctx context.Context, t conversation.Tree, format string) (string, error) {
		return export.Conversation(ctx, e, t, format, "")
	}
	env.Skills = once(func(ctx context.Context) []phase.Skill {
		all, _ := h.Pages.Skills(ctx, dir)
		return all
	})
	env.Models = once(func(ctx context.Context) (list []string) {
		all, _ := h.Seats.Discover(ctx)
		catalogue, err := h.Settings.Models()
		if err != nil {
			return nil
		}
		for _, f := range all {
			if f.Ready && f.IsModel() {
				list = append(list, f.Spec)
				for _, c := range h.Seats.Choices(catalogue, f) {
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

// once caches the result of the first call of f. The screen calls from several goroutines.
func once[T any](f func(context.Context) T) func(context.Context) T {
	var mu sync.Mutex
	var found T
	done := false
	return func(ctx context.Context) T {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			found, done = f(ctx), true
		}
		return found
	}
}
