package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// Setting is a setting with the origin of its value.
type Setting struct {
	Key     string   `json:"key"`
	Value   string   `json:"value" jsonschema:"as a person writes it; keys are masked"`
	Layer   string   `json:"layer" jsonschema:"built in, user, project, environment, preset or flag"`
	Place   string   `json:"place" jsonschema:"file and line, variable or flag"`
	Note    string   `json:"note,omitempty" jsonschema:"why a project's value was refused"`
	Doc     string   `json:"doc"`
	Choices []string `json:"choices,omitempty"`
	Free    bool     `json:"free" jsonschema:"it grants nothing, so it can be changed here"`
}

// settings are those of a folder, with the tag that protects a change of them.
type settings struct {
	Folder   string    `json:"folder"`
	File     string    `json:"file" jsonschema:"where changes are written"`
	Own      bool      `json:"own" jsonschema:"the folder has its own settings"`
	Tag      string    `json:"tag" jsonschema:"send it with a change; it changes with the file"`
	Warnings []string  `json:"warnings,omitempty"`
	Items    []Setting `json:"items"`
}

// free are the settings that grant nothing: neither money, commands, programs, hosts, files nor seats. With a stolen
// browser session one could only change how things look and how long they take.
var free = []string{"debate.rounds", "debate.strategy", "debate.economy", "debate.seat_timeout", "debate.timeout", "debate.grace",
	"debate.history", "debate.checking", "memory.shown", "output.color", "screen.theme", "screen.mouse", "screen.notify"}

// inFolder names a folder; empty: that of the server.
type inFolder struct {
	Folder string `json:"folder,omitempty" jsonschema:"empty: the default project"`
}

// settingTo is a change of one.
type settingTo struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Tag   string `json:"tag" jsonschema:"as GET /api/v1/settings gave it"`
}

// settingRoutes are the routes of settings with their origin, and of the few that may be changed here.
func settingRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/settings", "", guard.Read, "All settings of a folder, each with its origin",
			func(ctx context.Context, r Request, in inFolder) (settings, error) {
				return r.SettingsOf(ctx, in.Folder)
			}),
		row("POST", "/api/v1/settings/{key}", "", guard.Agent, "Change a setting that grants nothing, unless the file has changed",
			func(ctx context.Context, r Request, in settingTo) (settings, error) {
				err := r.Owned()
				if err == nil {
					err = r.Set(in.Key, in.Value, in.Tag)
				}
				if err != nil {
					return settings{}, err
				}
				return r.SettingsOf(ctx, "")
			}),
	}
}

// SettingsOf reads the current settings of a folder. Nothing is cached. Keys are masked by package config.
func (h *Host) SettingsOf(ctx context.Context, dir string) (out settings, err error) {
	if dir == "" {
		dir = h.Main()
	}
	if err := (Request{Host: h}).folder(ctx, dir); err != nil {
		return out, err
	}
	return h.settingsIn(dir)
}

// settingsIn is SettingsOf for a folder that is known to be a project: checking that reads all debates.
func (h *Host) settingsIn(dir string) (out settings, err error) {
	from, err := h.Home.Settings.Sources()
	if err != nil {
		return out, err
	}
	from.ProjectDir = dir
	if from.Approved, err = h.Home.Approvals.Checks(dir); err != nil {
		return out, err
	}
	cfg, warnings, err := config.Load(from)
	if err != nil {
		return out, err
	}
	out = settings{Folder: dir, File: from.UserFile, Own: isFile(config.ProjectFile(dir)), Items: []Setting{}}
	for _, w := range warnings {
		out.Warnings = append(out.Warnings, w.String())
	}
	if out.Tag, err = tagOf(from.UserFile); err != nil {
		return out, err
	}
	docs := map[string]setting.Row{}
	for _, s := range setting.All() {
		docs[s.Key] = s
	}
	for _, o := range cfg.All() {
		s := docs[o.Key]
		out.Items = append(out.Items, Setting{Key: o.Key, Value: o.Value, Layer: string(o.Layer), Place: o.Place(), Note: o.Note,
			Doc: s.Doc, Choices: s.Choices, Free: slices.Contains(free, o.Key)})
	}
	return out, nil
}

// isFile reports whether something exists at a path, a folder included.
func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tagOf returns the tag of a file's content. A missing file has the tag of an empty one.
func tagOf(file string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// Set changes a setting in the person's file, unless the file has changed since the caller read it. Only settings in
// free can be changed. The change applies to whatever starts from now on, also in this server.
func (h *Host) Set(key, value, tag string) error {
	if !slices.Contains(free, key) {
		return &Problem{Status: http.StatusForbidden, Detail: key + " cannot be changed here", Hint: "in a terminal: socrates config set " +
			key + " " + quoted(value)}
	}
	file, err := h.Home.Settings.File()
	if err != nil {
		return err
	}
	changing.Lock()
	defer changing.Unlock()
	now, err := tagOf(file)
	if err != nil {
		return err
	}
	// A tag from a header is in quotes.
	if now != strings.Trim(tag, `"`) {
		return &Problem{Status: http.StatusPreconditionFailed, Detail: "the settings were changed meanwhile", Hint: "load them again"}
	}
	if err := h.Home.Settings.Write(file, key, value); err != nil {
		return err
	}
	// This server must answer with the new settings from now on.
	h.Home.Settings.Invalidate()
	return nil
}

// quoted quotes a value for a shell.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }
