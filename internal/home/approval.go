package home

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/trust"
)

// Wants is what the current project wants to run, and the tool definitions of the person's own servers.
type Wants struct {
	Store   *trust.Store
	Project string
	Items   []Wanted
}

// Wanted is an item that would run. State says whether its current content is approved, Diff how it differs
// from what was approved.
type Wanted struct {
	trust.Item
	State trust.State `json:"state"`
	Diff  string      `json:"diff,omitempty"`
	Scope string      `json:"-"` // the project, or empty: the person's own settings
}

// Store opens the store of the person's approvals, beside the record of this machine. It is in the data folder,
// which projects cannot write to, whatever store.path says.
func (ap *Approvals) Store() (*trust.Store, error) {
	file, err := dataFile()
	if err != nil {
		return nil, err
	}
	s, err := trust.Open(filepath.Join(filepath.Dir(file), "trust.json"))
	if err != nil {
		return nil, failure.New(failure.ExitConfig, "trust", err.Error(), "")
	}
	return s, nil
}

// Checks returns the commands of the project's checks that the person approved.
func (ap *Approvals) Checks(dir string) (list []string, err error) {
	items, err := trust.Collect(dir, trust.Check)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	store, err := ap.Store()
	if err != nil {
		return nil, err
	}
	project, err := trust.Project(dir)
	for _, i := range items {
		if state, _ := store.State(project, i); state == trust.Approved {
			list = append(list, i.Name)
		}
	}
	return list, err
}

// Here returns what the current project wants to run.
func (ap *Approvals) Here() (*Wants, error) {
	dir, err := ap.home.Settings.Dir()
	if err != nil {
		return nil, err
	}
	return ap.Wanted(dir)
}

// Wanted returns what a project wants to run, what skills in the folders above it would, and which tools of the
// person's own servers changed. Checks that the person's own settings allow are left out, because they may run
// anyway.
func (ap *Approvals) Wanted(dir string) (*Wants, error) {
	store, err := ap.Store()
	if err != nil {
		return nil, err
	}
	w := &Wants{Store: store}
	if w.Project, err = trust.Project(dir); err != nil {
		return nil, err
	}
	items, err := trust.Collect(dir)
	if err != nil {
		return nil, err
	}
	from, err := ap.home.Settings.Sources()
	if err != nil {
		return nil, err
	}
	from.ProjectDir = ""
	own, _, err := config.Load(from)
	if err != nil {
		return nil, err
	}
	for _, i := range append(items, store.Noted(w.Project)...) {
		if i.Kind != trust.Check || !slices.Contains(own.Strings("checks.commands"), i.Name) { // otherwise it may run anyway
			w.add(i, w.Project)
		}
	}
	for _, at := range foldersAbove(w.Project) {
		theirs, err := trust.Collect(at, trust.Skill)
		if err != nil {
			return nil, err
		}
		for _, i := range theirs {
			w.add(i, at)
		}
	}
	for _, i := range store.Noted("") {
		w.add(i, "")
	}
	return w, nil
}

// add adds an item with its state. An invalid definition gets a problem here, before anybody is asked about it.
func (w *Wants) add(i trust.Item, scope string) {
	if i.Problem == "" && i.Definition != nil {
		var err error
		switch i.Kind {
		case trust.Hook:
			_, err = hook.Parse(i.Name, i.Definition)
		case trust.MCP:
			_, err = mcp.Parse(i.Name, i.Definition)
		}
		if err != nil {
			i.Problem = err.Error()
		}
	}
	state, diff := w.Store.State(scope, i)
	w.Items = append(w.Items, Wanted{i, state, diff, scope})
}

// Named finds items by their names for people. A server's name includes its tools. A name without a kind means
// every item of that name if all are of one kind.
func (w *Wants) Named(names []string) ([]Wanted, error) {
	var list []Wanted
	for _, name := range names {
		var found []Wanted
		for _, i := range w.Items {
			if i.ID() == name || i.Name == name || trust.Of(i.Item, strings.TrimPrefix(name, "mcp:")) {
				found = append(found, i)
			}
		}
		kinds := map[trust.ItemKind]bool{}
		var ids []string
		for _, i := range found {
			ids = append(ids, i.ID())
			if i.Kind != trust.Tool {
				kinds[i.Kind] = true
			}
		}
		switch {
		case len(found) == 0:
			for _, i := range w.Items {
				ids = append(ids, i.Name)
			}
			if len(ids) == 0 {
				return nil, failure.Usage("this project has nothing to approve", "")
			}
			return nil, failure.Usage(fmt.Sprintf("this project has nothing named %q", name), failure.Nearest(name, ids))
		case len(kinds) > 1:
			return nil, failure.Usage(name+" is ambiguous", "write one of: "+strings.Join(ids, ", "))
		}
		list = append(list, found...)
	}
	return list, nil
}

// Trusted returns what of the project may run, of the given kinds. What is not approved is shown and asked
// about. If nobody can be asked, it returns an error with code 3 before anything of the project runs. If
// somebody is asked, what they decline is left out and everything else continues.
func (ap *Approvals) Trusted(dir string, kinds ...trust.ItemKind) ([]trust.Item, error) {
	w, err := ap.Wanted(dir)
	if err != nil {
		return nil, err
	}
	var list []trust.Item
	var open []string
	ask := ap.home.Asker()
	for _, i := range w.Items {
		if !slices.Contains(kinds, i.Kind) {
			continue
		}
		ok := i.State == trust.Approved
		if !ok && i.Problem == "" && ask != nil {
			if ok, err = ask(i); err != nil {
				return nil, err
			}
			if ok {
				if err := w.Store.Approve(i.Scope, i.Item); err != nil {
					return nil, err
				}
			}
		} else if !ok && ask != nil {
			ap.home.Warn(fmt.Sprintf("%s %s skipped: %s", i.Kind, clean.Reveal(i.Name), clean.Reveal(i.Problem)))
		} else if !ok {
			open = append(open, fmt.Sprintf("%s %s (%s)", i.Kind, clean.Reveal(i.Name), i.State))
		}
		if ok {
			list = append(list, i.Item)
		}
	}
	if len(open) > 0 {
		return nil, failure.New(failure.ExitConfig, "trust",
			"this project wants to run something you have not approved: "+strings.Join(open, ", "),
			"in "+w.Project+": socrates trust show NAME, then socrates trust approve NAME")
	}
	return list, nil
}

// Allowed returns the hooks and servers of a project that may run. A person is asked once, before a
// conversation takes the keyboard. The answer holds for the rest of this process.
func (ap *Approvals) Allowed(dir string) ([]trust.Item, error) {
	ap.allowedMu.Lock()
	defer ap.allowedMu.Unlock()
	if items, known := ap.allowed[dir]; known {
		return items, nil
	}
	items, err := ap.Trusted(dir, trust.Hook, trust.MCP)
	if err != nil {
		return nil, err
	}
	if ap.allowed == nil {
		ap.allowed = map[string][]trust.Item{}
	}
	ap.allowed[dir] = items
	return items, nil
}

// unapprovedSkills returns the folders of skills, in dir and in the folders above it in the project, that may
// not be used.
func (ap *Approvals) unapprovedSkills(dir string) (list []string, err error) {
	store, err := ap.Store()
	if err != nil {
		return nil, err
	}
	here, err := trust.Project(dir)
	if err != nil {
		return nil, err
	}
	for _, at := range append([]string{here}, foldersAbove(here)...) {
		items, err := trust.Collect(at, trust.Skill)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if state, _ := store.State(at, i); state == trust.Approved {
				continue
			}
			if at == here {
				list = append(list, i.Path)
			} else {
				list = append(list, filepath.Join(at, filepath.FromSlash(i.Path)))
			}
		}
	}
	return list, nil
}

// foldersAbove returns the folders above dir in its project, the nearest first. dir has no links.
func foldersAbove(dir string) (list []string) {
	top, err := ProjectOf(dir)
	for err == nil && dir != top && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		list = append(list, dir)
	}
	return list
}

// CheckCommand returns an error unless the person approved the current content of a project's command. A
// command's page is an instruction to a model, so a changed one needs a new approval like a changed program.
func (ap *Approvals) CheckCommand(dir string, p phase.Command) error {
	store, err := ap.Store()
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
		if state, _ := store.State(project, i); i.Name == p.Name && state == trust.Approved && len(i.Files) == 1 &&
			i.Files[0].SHA256 == p.SHA256 {
			return nil
		}
	}
	return failure.Usage("/"+p.Name+" is a project command whose current content you have not approved",
		"inspect it with socrates trust show command:"+p.Name+", then run: socrates trust approve command:"+p.Name)
}
