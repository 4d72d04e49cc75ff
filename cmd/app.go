package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/redact"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/trust"
	"github.com/socrates-cli/socrates/internal/tui"
)

// app is what the commands share. What is expensive is made when it is first asked for.
type app struct {
	out, err *sink
	in       *os.File

	// Global flags.
	cwd, format, color, configFile, storePath string
	force                                     bool       // files that are there may be replaced
	openTabs                                  []tui.Kept // of the screen, as it found or kept them last
	// set are settings given by other flags, by key.
	set map[string]string

	secret  sync.Mutex       // over the next two: seats are made while others write
	secrets *redact.Redactor // nil: to be made anew
	keys    []string         // exact secrets that were read from references

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
	told    bool        // the terminal line is out
	seq     int64       // lines of the stream so far
	held    []string    // warnings that wait for its first line
	hears   *turnTeller // of turns; nil: nobody is told
	tells   *jobTeller  // of whatever the screen begins; nil: nobody is told
	room    string
	views   git.Views                    // of the project, for programs at the table
	lines   *bufio.Reader                // of what a person types, once something was asked
	endedBy atomic.Int32                 // exit code of the signal that ended a command which waits for nothing else
	above   atomic.Pointer[func(string)] // writes lines above the live ones; nil while there are none
}

func newApp() *app {
	a := &app{in: os.Stdin, set: map[string]string{}}
	a.views.Able = sandbox.Cells
	a.out, a.err = &sink{w: os.Stdout, a: a}, &sink{w: os.Stderr, a: a}
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

// sink is a way out of the program. Nothing leaves but through one: it takes out secrets and terminal escapes.
type sink struct {
	w    io.Writer
	a    *app
	mu   sync.Mutex
	lost error // the first write that failed
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, s.a.clean(string(p)))
	if err != nil && s.lost == nil {
		s.lost = err
	}
	return len(p), err
}

// raw writes our own escapes around text that was cleaned already.
func (s *sink) raw(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, text)
	return err
}

// clean takes secrets and escapes out of a text.
func (a *app) clean(text string) string {
	return a.redactor().String(clean.Text(text))
}

func (a *app) redactor() *redact.Redactor {
	a.secret.Lock()
	defer a.secret.Unlock()
	if a.secrets == nil {
		a.secrets = redact.New(append(redact.FromEnviron(os.Environ()), a.keys...)...)
	}
	return a.secrets
}

// learn makes the redactor know a secret that was read from a file or the settings.
func (a *app) learn(secret string) {
	if secret == "" {
		return
	}
	a.secret.Lock()
	defer a.secret.Unlock()
	a.keys, a.secrets = append(a.keys, secret), nil
}

// formats are what stdout can carry.
var formats = []string{"text", "json", "stream-json"}

// check looks at the global flags.
func (a *app) check() error {
	switch a.format {
	case "text", "json", "stream-json":
	default:
		asked := a.format
		a.format = "text" // nobody knows what would be understood
		return usage("--output "+asked+" is not known; it is text, json or stream-json", nearest(asked, formats))
	}
	if a.cwd != "" {
		if err := os.Chdir(a.cwd); errors.Is(err, syscall.ENOTDIR) {
			return usage("cannot work in "+a.cwd+": it is no folder", "")
		} else if err != nil {
			return usage("cannot work in "+a.cwd+": "+plain.Text(errors.Unwrap(err).Error()), "")
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
			return usage("--store "+a.storePath+": "+err.Error(), "")
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
			a.warn(w.String())
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
				return usage("permission.rules: "+err.Error(), hint)
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
		return config.Sources{}, usage("--config "+a.configFile+": there is no such file", "")
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
		a.tellPerson("Opening the store takes a moment: it is brought up to date, or another process keeps it locked…\n")
	})
	defer told.Stop()
	if a.store, err = store.Open(ctx, path, a.clean); err != nil {
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
		return "", usage("there is no home folder to keep the record in", "set HOME, XDG_DATA_HOME or store.path")
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

// warn tells a person something on stderr, and in stream-json a program too.
func (a *app) warn(text string) {
	if a.format == "stream-json" && a.room == "" {
		a.held = append(a.held, text) // the stream begins with the line that says what runs
		return
	}
	if a.format == "stream-json" {
		a.line(streamLine{head: a.head(), Type: "warning", Message: text})
		return
	}
	a.tellPerson("warning: " + plain.Text(text) + "\n")
}

// isTerminal says whether a person sees what is written to f, on a screen that understands escapes.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && understandsEscapes(file)
}

// colored says whether to use colours on a stream.
func (a *app) colored(f any) bool {
	c, err := a.settings()
	if err != nil {
		return false
	}
	switch c.String("output.color") {
	case "always":
		return true
	case "never":
		return false
	}
	return isTerminal(f) && os.Getenv("NO_COLOR") == ""
}

func environ(name string) string { return strings.TrimSpace(os.Getenv(name)) }
