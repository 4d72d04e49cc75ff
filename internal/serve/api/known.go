package api

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// known is what a person configured about projects, besides what the store knows of them.
type known struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"` // from the list; none of their data is deleted
	Default string   `json:"default,omitempty"`
}

// knownFile is its file.
func (h *Host) knownFile() string { return filepath.Join(h.State, "projects.json") }

// known reads it. Without the file nothing was configured. A file that cannot be read is an error, so that nobody
// overwrites it.
func (h *Host) known() (k known, err error) {
	raw, err := os.ReadFile(h.knownFile())
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	if err != nil {
		return known{}, &Problem{Status: http.StatusConflict,
			Detail: "cannot read the list of projects in " + h.knownFile() + ": " + err.Error(),
			Hint:   "repair the file, or move it away to start a new list"}
	}
	return k, nil
}

// Main returns the default project: the one a person chose, else where the server was started. It is read each time,
// so a choice applies at once. A folder that is gone is skipped, as is one that a person of a hub cannot see: empty
// means that they see none.
func (h *Host) Main() string {
	k, _ := h.known() // without the list, it is where the server was started
	for _, dir := range append([]string{k.Default, h.Dir}, k.Added...) {
		if dir != "" && !h.hides(dir) && (dir == h.Dir || isFile(dir)) {
			return dir
		}
	}
	return ""
}

// aboutProject is a request to change the list of projects.
type aboutProject struct {
	Folder string `json:"folder"`
	Verb   string `json:"verb" jsonschema:"add, remove from the list, or default"`
}

// SetProject adds a project, removes one from the list, or makes one the default. It changes only the list, nothing
// in a project. Adding one makes its files readable here, so only a person may.
func SetProject(ctx context.Context, r Request, folder, verb string) (items[Project], error) {
	dir := filepath.Clean(folder)
	if err := r.Owned(); err != nil {
		return items[Project]{}, err
	}
	// Reading, changing and writing must be one step, or two requests would lose a change.
	changing.Lock()
	k, err := r.known()
	if err == nil {
		err = k.take(dir, verb, r)
	}
	if err == nil {
		raw, _ := json.MarshalIndent(k, "", "  ") // of strings
		err = private.Replace(r.knownFile(), raw)
	}
	changing.Unlock()
	if err != nil {
		return items[Project]{}, err
	}
	list, err := r.Projects(ctx)
	return items[Project]{Items: list}, err
}

// take executes the verb, or refuses; k must not be used after an error.
func (k *known) take(dir, verb string, r Request) error {
	without := func(list []string) []string {
		return slices.DeleteFunc(list, func(one string) bool { return one == dir })
	}
	switch verb {
	case "add", "default":
		if !r.Caller.Owns() {
			return &Problem{Status: http.StatusForbidden, Detail: "only a person can add other folders of this machine",
				Hint: "add the project in the browser, or start something there: socrates --cwd " + dir}
		}
		if at, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !at.IsDir() {
			return &Problem{Status: http.StatusBadRequest, Detail: dir + " is not a folder on this machine", Hint: "give its full path"}
		}
		k.Removed, k.Added = without(k.Removed), append(without(k.Added), dir)
		if verb == "default" {
			k.Default = dir
		}
	case "remove":
		// Without a default, requests without a folder would fail.
		if dir == r.Main() {
			return &Problem{Status: http.StatusConflict, Detail: "this is the default project", Hint: "make another one the default first"}
		}
		k.Added, k.Removed = without(k.Added), append(without(k.Removed), dir)
	default:
		return &Problem{Status: http.StatusBadRequest, Detail: "verb is missing", Hint: "use add, remove or default"}
	}
	return nil
}

// validation is what to know of a project before asking something there.
type validation struct {
	Folder   string   `json:"folder"`
	Problem  string   `json:"problem,omitempty" jsonschema:"why it cannot be used"`
	Git      bool     `json:"git" jsonschema:"agents work in clones of it, and steps are merged"`
	Own      bool     `json:"own_settings"`
	Warnings []string `json:"warnings,omitempty"`
}

// Validate examines a project. It never fails: what is wrong is in Problem. The caller checks first that the folder
// may be read.
func (h *Host) Validate(dir string) validation {
	v := validation{Folder: dir}
	at, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.Problem = "the folder does not exist"
	case err != nil:
		v.Problem = err.Error()
	case !at.IsDir():
		v.Problem = "it is not a folder"
	default:
		if _, err := os.ReadDir(dir); err != nil {
			v.Problem = "it cannot be read: " + err.Error()
			return v
		}
		v.Git, v.Own = isFile(filepath.Join(dir, ".git")), isFile(config.ProjectFile(dir))
		if s, err := h.settingsIn(dir); err != nil {
			v.Problem = "its settings are invalid: " + err.Error()
		} else {
			v.Warnings = s.Warnings
		}
	}
	return v
}

// projectRoutes are the routes of project folders.
func projectRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/projects", "", guard.Read, "List the projects and what each contains", projects),
		row("POST", "/api/v1/projects", "", guard.Agent, "Add a project, remove one from the list, or make one the default",
			func(ctx context.Context, r Request, in aboutProject) (items[Project], error) {
				return SetProject(ctx, r, in.Folder, in.Verb)
			}),
		row("GET", "/api/v1/projects/validation", "", guard.Read, "Check whether a project is usable, and which settings apply",
			func(ctx context.Context, r Request, in inFolder) (validation, error) {
				dir := in.Folder
				if dir == "" {
					dir = r.Main()
				}
				if err := r.folder(ctx, dir); err != nil {
					return validation{}, err
				}
				return r.Validate(dir), nil
			}),
	}
}
