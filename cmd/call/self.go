package call

import (
	"os"
	"path/filepath"
)

// Self starts this program again, with the flags that choose settings and store.
// Flags that say how to speak are not among them: the caller decides what its child prints. The folder is not either;
// the child gets it as its working folder.
func (a *Call) Self() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	self := []string{program}
	if a.Home.Settings.Path != "" {
		path, err := filepath.Abs(a.Home.Settings.Path)
		if err != nil {
			return nil, err
		}
		self = append(self, "--config", path)
	}
	if path := a.Home.Settings.Given("store.path"); path != "" {
		self = append(self, "--store", path)
	}
	return self, nil
}
