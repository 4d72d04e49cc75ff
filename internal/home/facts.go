package home

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
)

// PhaseDir is where the user's phases lie.
// It need not exist.
func (pg *Pages) PhaseDir() (string, error) {
	file, err := pg.home.Settings.File()
	return filepath.Join(filepath.Dir(file), "phases"), err
}

// Memory says which folder's memory a conversation in dir has, and how much of it is shown.
func (pg *Pages) Memory(dir string) (top string, most int, err error) {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return "", 0, err
	}
	top, err = ProjectOf(dir)
	return top, cfg.Int("memory.shown"), err
}

// Text is what Files shows, as one text.
func (pg *Pages) Text(ctx context.Context, dir, name string) (string, error) {
	list, err := pg.Files(ctx, dir, name)
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.Face
	}
	return strings.Join(texts, "\n"), err
}

// Files shows files of a project as a model is to see them.
// name is what --files takes: a path, a folder, a glob, a range of lines.
func (pg *Pages) Files(ctx context.Context, dir, name string) ([]material.Handle, error) {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	found, err := project.Show(ctx, dir, name, project.Limits{FileBytes: cfg.Int("context.max_file_bytes"),
		TotalBytes: cfg.Int("context.max_bytes")})
	if err != nil {
		return nil, err
	}
	var list []material.Handle
	for _, s := range found {
		list = append(list, material.Handle{URI: margin.FileKey + s.Name, Face: s.Text, SHA256: s.SHA256,
			Bytes: int64(len(s.Text)), Held: true})
	}
	return list, nil
}
