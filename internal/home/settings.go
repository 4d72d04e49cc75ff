package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/pace"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/process/marked"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// Dir returns the current folder, which is the project's.
func (s *Settings) Dir() (string, error) { return os.Getwd() }

// Load loads the configuration once. Warnings go to stderr. Two goroutines may both read it at first; they read
// the same.
func (s *Settings) Load() (*config.Config, error) {
	if c := s.config.Load(); c != nil {
		return c, nil
	}
	from, err := s.Sources()
	if err != nil {
		return nil, err
	}
	c, warnings, err := config.Load(from)
	if err != nil {
		return nil, err
	}
	for _, w := range s.newWarnings(warnings) {
		s.home.Warn(w.String())
	}
	s.config.Store(c)
	return c, nil
}

// newWarnings stores the warnings of a read, and returns those that the previous one did not have.
func (s *Settings) newWarnings(warnings []config.Warning) []config.Warning {
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	was := s.warned
	s.warned = warnings
	return slices.DeleteFunc(slices.Clone(warnings), func(w config.Warning) bool { return slices.Contains(was, w) })
}

// Warned returns the warnings of the last read.
func (s *Settings) Warned() []config.Warning {
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	return slices.Clone(s.warned)
}

// Invalidate makes the next use read the settings again.
func (s *Settings) Invalidate() { s.config.Store(nil) }

// Given returns the value that a flag gave a setting; empty: none.
func (s *Settings) Given(key string) string { return s.flags[key] }

// Set writes a setting to the person's file and applies it. While others read the settings only the screen may
// call it, on its own goroutine.
func (s *Settings) Set(key, value string) error {
	file, err := s.File()
	if err != nil {
		return err
	}
	return s.reload(s.Write(file, key, value))
}

// Unset removes a setting from the person's file, under the same conditions as Set.
func (s *Settings) Unset(key string) error {
	file, err := s.File()
	if err != nil {
		return err
	}
	return s.reload(config.Unset(file, key))
}

// reload applies what was written.
func (s *Settings) reload(err error) error {
	if err != nil {
		return err
	}
	from, err := s.Sources()
	if err != nil {
		return err
	}
	c, _, err := config.Load(from)
	if err == nil {
		s.config.Store(c)
	}
	return err
}

// Write writes a setting to a file. It refuses a rule that could not be read again, which would stop every run.
func (s *Settings) Write(file, key, value string) error {
	if entries, err := setting.Items(value); key == "permission.rules" && err == nil {
		for _, text := range entries {
			if _, hint, err := parseRule(text); err != nil && text != "" {
				return failure.Usage("permission.rules: "+err.Error(), hint)
			}
		}
	}
	return config.Set(file, key, value)
}

// Sources returns the sources of settings: the person's file, the project, the environment, flags, and the
// approved checks of the project.
func (s *Settings) Sources() (config.Sources, error) {
	file, err := s.File()
	if err != nil {
		return config.Sources{}, err
	}
	if _, err := os.Stat(file); s.Path != "" && err != nil {
		return config.Sources{}, failure.Usage("--config "+s.Path+": no such file", "")
	}
	dir, err := s.Dir()
	if err != nil {
		return config.Sources{}, err
	}
	approved, err := s.home.Approvals.Checks(dir)
	return config.Sources{UserFile: file, ProjectDir: dir, Env: os.Environ(), Flags: s.flags, Approved: approved}, err
}

// File returns the person's settings file, which need not exist unless --config named it.
func (s *Settings) File() (string, error) {
	if s.Path != "" {
		return filepath.Abs(s.Path)
	}
	return config.UserFile()
}

// Models loads the catalogue once, with the user's own rows added.
func (s *Settings) Models() (*catalogue.Catalogue, error) {
	s.catalogueMu.Lock()
	defer s.catalogueMu.Unlock()
	if s.catalogue != nil {
		return s.catalogue, nil
	}
	file, err := s.File()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(file), "models.yaml")
	override, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if s.catalogue, err = catalogue.Load(override); err != nil {
		return nil, &config.Error{File: path, Message: err.Error()}
	}
	return s.catalogue, nil
}

// StoreFile returns the path of the store.
func (s *Settings) StoreFile() (string, error) {
	c, err := s.Load()
	if err != nil {
		return "", err
	}
	if path := c.String("store.path"); path != "" {
		return path, nil
	}
	return dataFile()
}

// StoreHidden returns an error if this process runs in a sandbox that hides the store: a store that is missing
// there is not an empty one. A path from a flag or a variable is accepted.
func (s *Settings) StoreHidden(file string) error {
	if !marked.Sandbox() || s.Given("store.path") != "" || os.Getenv("SOCRATES_STORE_PATH") != "" {
		return nil
	}
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return &store.Error{Path: file, Message: "hidden by the sandbox, in which agents and ! run their commands",
		Hint: "run this in another terminal, or use a command that begins with / on the screen", Err: marked.ErrHidden}
}

// dataFile returns the default path of the store.
func dataFile() (string, error) {
	dir, err := DataFolder()
	return filepath.Join(dir, "socrates.db"), err
}

// DataFolder returns the folder for what this program writes for a person: the store and crash reports. It
// follows each system's custom; XDG_DATA_HOME wins on all of them. It is not created here.
func DataFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "socrates"), nil
	}
	folder, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(folder) {
		return "", failure.Usage("no home folder for the store", "set HOME, XDG_DATA_HOME or store.path")
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "socrates"), nil
		}
	case "darwin":
		return filepath.Join(folder, "Library", "Application Support", "socrates"), nil
	}
	return filepath.Join(folder, ".local", "share", "socrates"), nil
}

// paced makes a provider's model keep its limits per minute, if any are set. The state is in a file, so all
// processes of the person share one limit.
func (s *Settings) paced(m llm.Model, provider string) (llm.Model, error) {
	c, err := s.Load()
	if err != nil {
		return nil, err
	}
	at := "providers." + provider + "."
	limits := pace.Limits{Requests: c.Int(at + "requests_per_minute"), Tokens: c.Int(at + "tokens_per_minute")}
	if limits == (pace.Limits{}) {
		return m, nil
	}
	file, err := dataFile() // wherever the store is: the limits are the person's
	if err != nil {
		return nil, err
	}
	return pace.Model(m, provider, pace.Book{File: filepath.Join(filepath.Dir(file), "limits", provider+".json"), Limits: limits}), nil
}

// Environ returns a variable of the environment without surrounding blanks: people paste keys with line ends.
func Environ(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// Of returns the settings of a project, which need not be the current one. For another folder they are read
// from disk each time.
func (s *Settings) Of(dir string) (*config.Config, error) {
	here, err := s.Dir()
	if err != nil || filepath.Clean(dir) == here {
		return s.Load()
	}
	from, err := s.Sources()
	if err != nil {
		return nil, err
	}
	from.ProjectDir = dir
	if from.Approved, err = s.home.Approvals.Checks(dir); err != nil {
		return nil, err
	}
	cfg, _, err := config.Load(from)
	return cfg, err
}

// ReadRule parses a rule of the settings. The error names its place.
func ReadRule(line config.Line) (permission.Rule, error) {
	r, hint, err := parseRule(line.Text)
	if err != nil {
		return r, &config.Error{File: line.File, Line: line.Line, Message: "permission.rules: " + err.Error(), Hint: hint, Err: err}
	}
	r.Project = line.Layer == config.Project
	return r, nil
}

// parseRule parses a rule and checks that it names a tool. hint suggests what may have been meant.
func parseRule(text string) (r permission.Rule, hint string, err error) {
	if r, err = permission.ParseRule(text); err != nil {
		return r, "", err
	}
	names := append(builtin.Names(), "postgres", "registry")
	if !slices.ContainsFunc(names, r.IsOf) && !strings.HasPrefix(r.Tool, "mcp__") {
		return r, failure.Nearest(r.Tool, names), fmt.Errorf("%q: unknown tool %s", text, r.Tool)
	}
	return r, "", nil
}

// Project returns the folder whose decisions belong together: the root of the current work tree, else the
// current folder. Its path is written like the working folder's, links and all, because that is how debates
// record theirs.
func (s *Settings) Project() (string, error) {
	dir, err := s.Dir()
	if err != nil {
		return "", err
	}
	return ProjectOf(dir)
}

// ProjectOf is Project for another folder; empty: the process's own.
func ProjectOf(dir string) (string, error) {
	top, err := git.Top(dir)
	if err != nil {
		return dir, nil
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return dir, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir, nil
	}
	for at := dir; real != top; real, at = filepath.Dir(real), filepath.Dir(at) {
		if filepath.Base(at) != filepath.Base(real) || len(real) <= len(top) {
			return top, nil
		}
		dir = filepath.Dir(at)
	}
	return dir, nil
}

// Self returns the command line that starts this program again, with the flags that choose settings, store and
// person. Output flags are left out: the caller decides what its child prints. So is the folder; the child gets
// it as its working folder.
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
