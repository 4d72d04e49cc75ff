package api

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/git"
)

// Project is a folder the store knows.
type Project struct {
	Folder        string `json:"folder"`
	Default       bool   `json:"default,omitempty" jsonschema:"it is used when none is named"`
	Missing       bool   `json:"missing,omitempty" jsonschema:"the folder does not exist"`
	Debates       int    `json:"debates"`
	Conversations int    `json:"conversations"`
	Runs          int    `json:"runs"`
	Commit        string `json:"commit,omitempty" jsonschema:"the first commit of its repository, which all clones share"`
}

// Projects returns the folders known to the store, with debates, conversations or runs, and those a person added,
// without those they removed. It reads every debate of the store: call it once.
func (h *Host) Projects(ctx context.Context) ([]Project, error) {
	by, main := map[string]*Project{}, h.Main()
	said, _ := h.known() // an unreadable list is reported when it is changed; the store's projects are returned all the same
	of := func(dir string) *Project {
		if by[dir] == nil {
			_, err := os.Stat(dir)
			by[dir] = &Project{Folder: dir, Default: dir == main, Missing: err != nil}
		}
		return by[dir]
	}
	// These are projects although nothing was asked there yet.
	for _, dir := range append(said.Added, h.Dir, main) {
		if !h.hides(dir) {
			of(dir)
		}
	}
	for info, err := range rooms.In(h.Engine).Each(ctx, false) {
		if err != nil {
			return nil, err
		}
		of(info.Dir).Debates++
	}
	plans, err := runs.In(h.Engine).List(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, p := range plans {
		of(p.Dir).Runs++
	}
	trees, err := conversation.In(h.Engine).List(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if !runs.Have(plans, t.Dir) {
			of(t.Dir).Conversations++
		}
	}
	var list []Project
	for _, folder := range slices.Sorted(maps.Keys(by)) {
		if !slices.Contains(said.Removed, folder) {
			list = append(list, *by[folder])
		}
	}
	return list, nil
}

// hides reports whether a folder is one that this view's person cannot see, or is inside or above one: debates and
// conversations there would show its files.
func (h *Host) hides(dir string) bool {
	return dir == "" || slices.ContainsFunc(h.Hidden, func(hidden string) bool { return Below(dir, hidden) || Below(hidden, dir) })
}

// projects is Projects as a route.
func projects(ctx context.Context, r Request, _ none) (items[Project], error) {
	list, err := r.Projects(ctx)
	for i, p := range list {
		list[i].Commit = first(ctx, p)
	}
	return items[Project]{Items: list}, err
}

// firsts caches the first commits of repositories, by folder.
var firsts sync.Map

// first returns the first commit of a project's repository; empty: it has none, or is a subfolder of one. It does not
// change, so git is asked once.
func first(ctx context.Context, p Project) string {
	if known, ok := firsts.Load(p.Folder); ok {
		return known.(string)
	}
	repo, err := git.Open(p.Folder)
	if p.Missing || err != nil || repo.Top() != p.Folder {
		return ""
	}
	commit, err := repo.First(ctx)
	if err != nil { // nothing was committed yet
		return ""
	}
	firsts.Store(p.Folder, commit)
	return commit
}

// folderHeader names the project of a request to a door.
const folderHeader = "X-Socrates-Folder"

// Folder returns the project of a request to a door: the one it names, else where the server was started.
func (h *Host) Folder(r *http.Request) (string, error) {
	dir := cmp.Or(r.Header.Get(folderHeader), h.Main())
	return dir, Request{Host: h}.folder(r.Context(), dir)
}

// folder refuses a folder that is neither a known project nor where the server was started. A caller may read files
// through debates and conversations, so a client must not choose what else of this machine is read. A person adds a
// folder by working there.
func (r Request) folder(ctx context.Context, dir string) error {
	if dir == r.Main() && !r.hides(dir) {
		return nil
	}
	list, err := r.Projects(ctx)
	if err != nil || slices.ContainsFunc(list, func(p Project) bool { return p.Folder == dir && !p.Missing }) {
		return err
	}
	return notAProject(dir)
}

// notAProject refuses a folder that does not exist as a project, or that the caller cannot see.
func notAProject(dir string) error {
	if dir == "" { // they are not shown where the server was started
		return &Problem{Status: http.StatusForbidden, Detail: "no project was named", Hint: "name one of yours: the field folder, or the " +
			"header " + folderHeader}
	}
	return &Problem{Status: http.StatusForbidden, Detail: dir + " is not a project of this store",
		Hint: "GET /api/v1/projects lists them; to add a folder of this machine, start something in it"}
}
