package mirror

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
)

// Project is a folder of the hub, as its list has it.
type Project struct {
	Folder string `json:"folder"`
	Commit string `json:"commit,omitempty"` // the first of its repository
}

// name is what a person calls it.
func (p Project) name() string { return path.Base(strings.ReplaceAll(p.Folder, `\`, "/")) }

// Project is the hub's project of a name or, without one, the one whose repository begins with a commit. It is asked of the hub; what the
// hub said last holds while it is away.
func (h *Hub) Project(ctx context.Context, name, commit string) (Project, error) {
	var list struct {
		Items []Project `json:"items"`
	}
	err := h.send(ctx, http.MethodGet, "/api/v1/projects", "", nil, &list)
	switch {
	case err == nil:
		list.Items = slices.DeleteFunc(list.Items, func(p Project) bool { return !absolute(p.Folder) })
		h.syncing.Lock()
		at := h.stand()
		at.Projects = list.Items
		err = h.keep(at)
		h.syncing.Unlock()
		if err != nil {
			return Project{}, err
		}
	case Away(err):
		list.Items = h.stand().Projects
	default:
		return Project{}, err
	}
	var names []string
	for _, p := range list.Items {
		names = append(names, p.name())
	}
	fits := func(p Project) bool { return commit != "" && p.Commit == commit }
	if name != "" {
		fits = func(p Project) bool { return p.Folder == name || p.name() == name }
	}
	found := slices.Collect(func(yield func(Project) bool) {
		for _, p := range list.Items {
			if fits(p) && !yield(p) {
				return
			}
		}
	})
	known := "projects of the hub: " + strings.Join(names, ", ")
	if len(names) == 0 {
		known = "you see no project of the hub: ask an admin to share one"
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		var folders []string
		for _, p := range found {
			folders = append(folders, p.Folder)
		}
		return Project{}, failure.Usage("several projects of the hub match: "+strings.Join(folders, ", "),
			"name its folder: --project FOLDER")
	case name != "":
		return Project{}, failure.Usage("the hub has no project "+name, known)
	}
	return Project{}, failure.Usage("the hub has no project for this repository", "name one with --project; "+known)
}

// absolute says whether a folder of another machine is a path from its top, on whichever system.
func absolute(folder string) bool {
	return strings.HasPrefix(folder, "/") || len(folder) > 2 && folder[1] == ':' || strings.HasPrefix(folder, `\\`)
}
