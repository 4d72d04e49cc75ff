package call

import (
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// Book returns the decision files of this project. dir is relative to the working folder; empty: decisions.dir, which
// is relative to the project's. The lock is kept beside the store, not beside the files, so that only decisions are
// written into the project.
func (a *Call) Book(dir string) (adr.Book, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return adr.Book{}, err
	}
	file, err := a.Home.Settings.StoreFile()
	if err != nil {
		return adr.Book{}, err
	}
	root, err := a.Home.Settings.Project()
	if err != nil {
		return adr.Book{}, err
	}
	if dir == "" {
		dir = c.String("decisions.dir")
	} else if !filepath.IsAbs(dir) {
		here, err := a.Home.Settings.Dir()
		if err != nil {
			return adr.Book{}, err
		}
		dir = filepath.Join(here, dir)
	}
	return adr.Book{Root: root, Dir: dir, Lock: filepath.Join(filepath.Dir(file), "locks", "decisions.lock"), RoomOf: document.Room}, nil
}
