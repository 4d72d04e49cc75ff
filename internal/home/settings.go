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

// Dir is the project folder: the one we work in.
func (s *Settings) Dir() (string, error) { return os.Getwd() }

// Load loads the configuration once. Warnings go to stderr.
// Two goroutines that come first both read; they read the same.
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

// newWarnings keeps the warnings of a reading, and returns those that the one before did not have.
func (s *Settings) newWarnings(warnings []config.Warning) []config.Warning {
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	was := s.warned
	s.warned = warnings
	return slices.DeleteFunc(slices.Clone(warnings), func(w config.Warning) bool { return slices.Contains(was, w) })
}

// Warned are the warnings when the settings were last read.
func (s *Settings) Warned() []config.Warning {
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	return slices.Clone(s.warned)
}

// Invalidate has the settings be read again when they are next asked for.
func (s *Settings) Invalidate() { s.config.Store(nil) }

// Given is what a flag gave a setting; empty: none did.
func (s *Settings) Given(key string) string { return s.flags[key] }

// Set writes a setting into the person's file, and has it hold from now on. While others read the settings only the screen
// may call it, on its own turn.
func (s *Settings) Set(key, value string) error {
	file, err := s.File()
	if err != nil {
		return err
	}
	return s.reload(s.Write(file, key, value))
}

// Unset takes a setting out of the person's file, under the conditions of Keep.
func (s *Settings) Unset(key string) error {
	file, err := s.File()
	if err != nil {
		return err
	}
	return s.reload(config.Unset(file, key))
}

// reload has what was written hold from now on.
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

// Write puts a setting into a file. A rule that could not be read again is refused: it would stop every run.
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

// Sources are where settings come from: the person's file, the project, the environment, flags, and which checks of the
// project were approved.
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

// File is the person's file of settings, which need not exist unless --config named it.
func (s *Settings) File() (string, error) {
	if s.Path != "" {
		return filepath.Abs(s.Path)
	}
	return config.UserFile()
}

// Models loads the catalogue once, with the user's own rows over it.
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

// StoreFile is where the record is kept.
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

// StoreHidden is an error if this process runs in a sandbox that hides the store: a store that is missing there is not an
// empty one. A path that a flag or a variable gives is taken as it is.
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

// dataFile is where the store lies unless store.path says otherwise.
func dataFile() (string, error) {
	dir, err := DataFolder()
	return filepath.Join(dir, "socrates.db"), err
}

// DataFolder is where this program keeps what it writes for a person: the store and reports of crashes.
// It follows each system's custom; XDG_DATA_HOME wins on all of them. It is not made here.
func DataFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "socrates"), nil
	}
	folder, err := os.UserHomeDir()
	if err != nil {
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

// paced has a provider's model keep to the limits per minute that are set for it, if any are.
// The book is a file, so all processes of the person share one limit.
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
	file, err := dataFile() // wherever a store is: the limits are the person's
	if err != nil {
		return nil, err
	}
	return pace.Model(m, provider, pace.Book{File: filepath.Join(filepath.Dir(file), "limits", provider+".json"), Limits: limits}), nil
}

// Environ is a variable of the environment without blanks around it: people paste keys with line ends.
func Environ(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// Of are the settings as they are for a project, which need not be the one we work in.
// It is read from disk each time where dir is another folder than ours.
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

// ReadRule reads a rule of the settings. What is wrong with it is said with its place.
func ReadRule(line config.Line) (permission.Rule, error) {
	r, hint, err := parseRule(line.Text)
	if err != nil {
		return r, &config.Error{File: line.File, Line: line.Line, Message: "permission.rules: " + err.Error(), Hint: hint, Err: err}
	}
	r.Project = line.Layer == config.Project
	return r, nil
}

// parseRule reads a rule and checks that it names a tool. hint says what may have been meant.
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

// Project is the folder whose decisions belong together: the top of the work tree we are in, else where we are. Its
// path is written as the working folder's is, links and all, because that is how debates remember theirs.
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
