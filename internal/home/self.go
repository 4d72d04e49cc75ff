package home

import (
	"os"
	"path/filepath"
)

// Self starts this program again, with the flags that choose settings and store, and say for whom.
// Flags that say how to speak are not among them: the caller decides what its child prints. The folder is not either;
// the child gets it as its working folder.
func (s *Settings) Self() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	self := []string{program}
	if s.Path != "" {
		path, err := filepath.Abs(s.Path)
		if err != nil {
			return nil, err
		}
		self = append(self, "--config", path)
	}
	if path := s.Given("store.path"); path != "" {
		self = append(self, "--store", path)
	}
	if s.home.Person != "" {
		self = append(self, "--person", s.home.Person)
	}
	return self, nil
}
