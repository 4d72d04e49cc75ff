package cmd

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/trust"
	"github.com/socrates-cli/socrates/internal/tui"
)

// app is what the commands share. What is expensive is made when it is first asked for.
type app struct {
	out *out.Out
	in  *os.File

	// Global flags.
	cwd, color, configFile, storePath string
	force                             bool       // files that are there may be replaced
	openTabs                          []tui.Kept // of the screen, as it found or kept them last
	// set are settings given by other flags, by key.
	set map[string]string

	config    atomic.Pointer[config.Config]
	warned    []config.Warning
	read      sync.Mutex // over the next
	catalogue *llm.Catalogue
	store     *store.Store
	engine    *engine.Engine
	checks    checkFlags
	probe     sync.Once
	holds     bool // a sandbox does
	writes    bool // at least of files
	covers    bool // it also hides what is inside of what may be written
	confining sync.Once
	prepares  *confine.Keeper         // of what the programs of agents may touch
	asked     sync.Mutex              // over the next
	may       map[string][]trust.Item // what of a project was allowed to run, by its folder
	alone     bool                    // nobody is asked, whoever may be there
	here      bool                    // somebody is, even if no keys can be read one by one
	// lend lets listen the keys of whoever has the keyboard, until what it returns is called; nil: nobody has it.
	lend    func(listen func(next func() (key, error)), view *progress) func()
	hears   *turnTeller   // of turns; nil: nobody is told
	tells   *jobTeller    // of whatever the screen begins; nil: nobody is told
	views   git.Views     // of the project, for programs at the table
	lines   *bufio.Reader // of what a person types, once something was asked
	endedBy atomic.Int32  // exit code of the signal that ended a command which waits for nothing else
}

func newApp() *app {
	a := &app{in: os.Stdin, set: map[string]string{}}
	a.views.Able = sandbox.Cells
	a.out = out.New(os.Stdout, os.Stderr)
	a.out.Color = a.colorSetting
	return a
}

// close ends what is open; a second call does nothing. Its error is what ended programs left behind.
func (a *app) close() (err error) {
	if a.engine != nil {
		err = a.engine.Close()
		a.engine = nil
	}
	if a.store != nil {
		a.store.Close()
		a.store = nil
	}
	return err
}

// check looks at the global flags.
func (a *app) check() error {
	switch a.out.Format {
	case "text", "json", "stream-json":
	default:
		asked := a.out.Format
		a.out.Format = "text" // nobody knows what would be understood
		return failure.Usage("--output "+asked+" is not known; it is text, json or stream-json", failure.Nearest(asked, out.Formats))
	}
	if a.cwd != "" {
		if err := os.Chdir(a.cwd); errors.Is(err, syscall.ENOTDIR) {
			return failure.Usage("cannot work in "+a.cwd+": it is no folder", "")
		} else if err != nil {
			return failure.Usage("cannot work in "+a.cwd+": "+plain.Text(errors.Unwrap(err).Error()), "")
		}
	}
	if err := oneOf("color", a.color, "output.color"); err != nil {
		return err
	}
	if a.color != "" {
		a.set["output.color"] = a.color
	}
	if a.storePath != "" {
		path, err := filepath.Abs(a.storePath)
		if err != nil {
			return failure.Usage("--store "+a.storePath+": "+err.Error(), "")
		}
		a.set["store.path"] = path
	}
	return nil
}

// dir is the project folder: the one we work in.
func (a *app) dir() (string, error) { return os.Getwd() }

// settings loads the configuration once. Warnings go to stderr.
func (a *app) settings() (*config.Config, error) {
	if c := a.config.Load(); c != nil {
		return c, nil
	}
	from, err := a.sources()
	if err != nil {
		return nil, err
	}
	c, warnings, err := config.Load(from)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		if !slices.Contains(a.warned, w) {
			a.out.Warn(w.String())
		}
	}
	a.config.Store(c)
	a.warned = warnings
	return c, nil
}

// keep writes a setting into the person's file, and has it hold from now on. While others read the settings only the screen
// may call it, on its own turn.
func (a *app) keep(key, value string) error {
	file, err := a.userFile()
	if err != nil {
		return err
	}
	if err := a.write(file, key, value); err != nil {
		return err
	}
	from, err := a.sources()
	if err != nil {
		return err
	}
	c, _, err := config.Load(from)
	if err == nil {
		a.config.Store(c)
	}
	return err
}

// write puts a setting into a file. A rule that could not be read again is refused: it would stop every run.
func (a *app) write(file, key, value string) error {
	if entries, err := config.Entries(value); key == "permission.rules" && err == nil {
		for _, text := range entries {
			if _, hint, err := parseRule(text); err != nil && text != "" {
				return failure.Usage("permission.rules: "+err.Error(), hint)
			}
		}
	}
	return config.Set(file, key, value)
}

func (a *app) sources() (config.Sources, error) {
	file, err := a.userFile()
	if err != nil {
		return config.Sources{}, err
	}
	if a.configFile != "" && !exists(file) {
		return config.Sources{}, failure.Usage("--config "+a.configFile+": there is no such file", "")
	}
	dir, err := a.dir()
	if err != nil {
		return config.Sources{}, err
	}
	approved, err := a.approvedChecks(dir)
	return config.Sources{UserFile: file, ProjectDir: dir, Env: os.Environ(), Flags: a.set, Approved: approved}, err
}

func (a *app) userFile() (string, error) {
	if a.configFile != "" {
		return filepath.Abs(a.configFile)
	}
	return config.UserFile()
}

// models loads the catalogue once, with the user's own rows over it.
func (a *app) models() (*llm.Catalogue, error) {
	a.read.Lock()
	defer a.read.Unlock()
	if a.catalogue != nil {
		return a.catalogue, nil
	}
	file, err := a.userFile()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(file), "models.yaml")
	override, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if a.catalogue, err = llm.LoadCatalogue(override); err != nil {
		return nil, &config.Error{File: path, Message: err.Error()}
	}
	return a.catalogue, nil
}

// open opens store and engine once.
func (a *app) open(ctx context.Context) (*engine.Engine, error) {
	if a.engine != nil {
		return a.engine, nil
	}
	path, err := a.storeFile()
	if err != nil {
		return nil, err
	}
	told := time.AfterFunc(time.Second, func() {
		a.out.Tell("Opening the store takes a moment: it is brought up to date, or another process keeps it locked…\n")
	})
	defer told.Stop()
	if a.store, err = store.Open(ctx, path, a.out.Clean); err != nil {
		return nil, err
	}
	a.engine = engine.New(a.store, engine.Wiring{Seat: a.seatModel, Join: a.joins, Began: a.began, Attended: (a.here || a.attended()) && !a.alone, Tools: a.seatTools(), Views: &a.views, Look: a.look, Program: program,
		Work: a.work()})
	return a.engine, nil
}

// storeFile is where the record is kept.
func (a *app) storeFile() (string, error) {
	c, err := a.settings()
	if err != nil {
		return "", err
	}
	if path := c.String("store.path"); path != "" {
		return path, nil
	}
	return dataFile()
}

// dataFile is where the store lies unless store.path says otherwise.
func dataFile() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "socrates", "socrates.db"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", failure.Usage("there is no home folder to keep the record in", "set HOME, XDG_DATA_HOME or store.path")
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "socrates", "socrates.db"), nil
		}
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "socrates", "socrates.db"), nil
	}
	return filepath.Join(home, ".local", "share", "socrates", "socrates.db"), nil
}

func environ(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// colorSetting is what the settings say about colours.
func (a *app) colorSetting() string {
	c, err := a.settings()
	if err != nil {
		return "never"
	}
	return c.String("output.color")
}
