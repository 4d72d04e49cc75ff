// Package home is everything a person has on this machine (settings, models, keys, approvals, programs, phases and servers) and
// hands conversations and debates their share. It knows no flags and writes nothing to anybody.
//
// A Home belongs to one start of the program and is opened by cmd/call. Its parts know each other through it: Settings
// (layers of values and the catalogue of models), Keys (endpoints, keys, sign-ins), Approvals (what a project may run),
// Gate (rules, grants, the sandbox), Programs (installed agents), Seats (specs to models and panels), Pages (phases,
// skills, briefs), Servers (MCP and hooks). Turns, Files and Work bundle what the engine needs of all that.
//
// What is read, is read when it is first needed, so a command that needs no model never looks at keys. Everything can
// be used by several goroutines.
//
// Errors for people are failure.Error with what to do, or config.Error with file and line. Secrets that are found are
// handed to Learn before they are used. Nothing here prints: warnings go to Warn, questions to Asker.
//
// Where a file lies: settings in the folder of config.UserFile; store, keys, grants, approvals and limits in
// DataFolder; workspaces of runs beside that.
package home

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/vertex"
	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/trust"
)

// Outside is what a home needs of whoever opens it.
// All of them must be set. Warn may be called from any goroutine.
type Outside struct {
	Warn  func(text string)        // the person, of what is left out and why
	Learn func(secret string)      // so that it is redacted from now on
	Clean func(text string) string // takes secrets and escapes out
	// Redact takes secrets out and leaves everything else as it is.
	Redact func(text string) string
	// Asker is how a person is asked about what a project wants to run; it returns nil where nobody can be asked.
	Asker func() func(Wanted) (bool, error)
}

// Home is what a person has on this machine. Its parts are made when they are first used, and may be used by several
// conversations at once.
type Home struct {
	Outside
	// Person is who of a hub's people this process acts for, which bounds what is seen and spent; empty: whoever runs the program.
	Person    string
	Settings  Settings
	Keys      Keys
	Approvals *Approvals
	Gate      Gate
	Programs  Programs
	Seats     Seats
	Pages     Pages
	Servers   Servers
}

// New opens a home. Nothing is read or written before it is asked for.
func New(outside Outside) *Home {
	h := &Home{Outside: outside, Approvals: &Approvals{}}
	h.Settings.home, h.Keys.home, h.Approvals.home, h.Gate.home = h, h, h, h
	h.Programs.home, h.Seats.home, h.Pages.home, h.Servers.home = h, h, h, h
	h.Keys.google.Learn = outside.Learn
	h.Programs.Views.Able = sandbox.Cells
	return h
}

// With is this home where flags give these settings besides those that flags gave here; nil: none more. A flag holds before
// every file and the environment. Settings are read again there. Approvals are shared, so a person is not asked twice, and
// what was warned of here is not told again.
func (h *Home) With(flags map[string]string) *Home {
	other := New(h.Outside)
	other.Approvals, other.Settings.Path, other.Person = h.Approvals, h.Settings.Path, h.Person
	other.Settings.warned, other.Settings.flags = h.Settings.Warned(), map[string]string{}
	maps.Copy(other.Settings.flags, h.Settings.flags)
	maps.Copy(other.Settings.flags, flags)
	return other
}

// Settings are the person's, the project's, the environment's and those of flags, and the models that are known.
type Settings struct {
	home  *Home
	Path  string            // of the person's file; empty: where it usually is
	flags map[string]string // settings that flags give, by key; never changed once With has made it

	config      atomic.Pointer[config.Config]
	warnedMu    sync.Mutex       // guards warned
	warned      []config.Warning // when they were last read
	catalogueMu sync.Mutex       // guards catalogue
	catalogue   *catalogue.Catalogue
}

// Keys are the vendors' endpoints and what opens them.
type Keys struct {
	home    *Home
	signers sync.Map // of requests to Amazon's cloud, by profile
	google  vertex.Login
}

// Approvals are what the person let run of projects.
type Approvals struct {
	home      *Home
	allowedMu sync.Mutex              // guards may
	allowed   map[string][]trust.Item // what of a project was allowed to run, by its folder
}

// Gate is what agents may do, and the sandbox for what they start.
type Gate struct {
	home        *Home
	probe       sync.Once       // of what the sandbox can; makes the next three
	holdsAll    bool            // a sandbox does
	holdsFiles  bool            // at least of files
	hidesInside bool            // it also hides what is inside of what may be written
	confining   sync.Once       // makes prepares
	keeper      *confine.Keeper // of what the programs of agents may touch
	committed   committedCache  // what agents committed, of the project last asked about
}

// Programs are the installed ones that take seats, and how the system holds them.
type Programs struct {
	home  *Home
	Views git.Views // of the project, for programs at the table
}

// Seats are the models that can sit at a table or answer alone.
type Seats struct{ home *Home }

// Pages are the phases, skills, notes and files that a model is told of.
type Pages struct{ home *Home }

// Servers are MCP servers and hooks: the person's own, and what was approved of a project.
type Servers struct {
	home *Home

	mu       sync.Mutex
	attached map[string][]mcp.Server // by an editor, to a conversation
}
