// Package home is everything a person has on this machine (settings, models, keys, approvals, programs, phases
// and servers) and gives conversations and debates what they need of it. It knows no flags and prints nothing.
//
// A Home belongs to one start of the program and is opened by cmd/call. Its parts know each other through it:
// Settings (layers of values and the catalogue of models), Keys (endpoints, keys, sign-ins), Approvals (what a
// project may run), Gate (rules, grants, the sandbox), Programs (installed agents), Seats (specs to models and
// panels), Pages (phases, skills, briefs), Servers (MCP and hooks). Turns, Files and Work bundle what the
// engine needs of all that.
//
// Everything is read when it is first needed, so a command that needs no model never reads keys. All parts are
// safe for concurrent use.
//
// Errors for people are failure.Error with what to do, or config.Error with file and line. Secrets are passed
// to Learn before they are used. Nothing here prints: warnings go to Warn, questions to Asker.
//
// Files: settings are in the folder of config.UserFile; store, keys, grants, approvals and limits in
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

// Outside is what a home needs from its caller. All fields must be set. Warn may be called from any goroutine.
type Outside struct {
	Warn  func(text string)        // tells the person what is left out and why
	Learn func(secret string)      // redacts a secret from now on
	Clean func(text string) string // removes secrets and escapes
	// Redact removes secrets and leaves everything else unchanged.
	Redact func(text string) string
	// Asker returns the function that asks a person about what a project wants to run, or nil if nobody can be
	// asked.
	Asker func() func(Wanted) (bool, error)
}

// Home is what a person has on this machine. Its parts are made on first use, and several conversations may use
// them at once.
type Home struct {
	Outside
	// Person is the person of a hub for whom this process acts, which limits what they see and spend; empty:
	// whoever runs the program.
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

// New returns a home. It reads and writes nothing before it is used.
func New(outside Outside) *Home {
	h := &Home{Outside: outside, Approvals: &Approvals{}}
	h.Settings.home, h.Keys.home, h.Approvals.home, h.Gate.home = h, h, h, h
	h.Programs.home, h.Seats.home, h.Pages.home, h.Servers.home = h, h, h, h
	h.Keys.google.Learn = outside.Learn
	h.Programs.Views.Able = sandbox.Cells
	return h
}

// With returns a home with additional settings from flags; nil: none. A flag wins over every file and the
// environment. The new home reads settings again, but shares approvals, so a person is not asked twice, and
// does not repeat warnings.
func (h *Home) With(flags map[string]string) *Home {
	other := New(h.Outside)
	other.Approvals, other.Settings.Path, other.Person = h.Approvals, h.Settings.Path, h.Person
	other.Settings.warned, other.Settings.flags = h.Settings.Warned(), map[string]string{}
	maps.Copy(other.Settings.flags, h.Settings.flags)
	maps.Copy(other.Settings.flags, flags)
	return other
}

// Settings are the layers of settings (person, project, environment and flags) and the known models.
type Settings struct {
	home  *Home
	Path  string            // the person's file; empty: the default
	flags map[string]string // settings that flags give, by key; never changed once With has made it

	config      atomic.Pointer[config.Config]
	warnedMu    sync.Mutex       // guards warned
	warned      []config.Warning // warnings of the last read
	catalogueMu sync.Mutex       // guards catalogue
	catalogue   *catalogue.Catalogue
}

// Keys are the vendors' endpoints and their credentials.
type Keys struct {
	home    *Home
	signers sync.Map // for requests to Amazon's cloud, by profile
	google  vertex.Login
}

// Approvals are what the person allows projects to run.
type Approvals struct {
	home      *Home
	allowedMu sync.Mutex              // guards allowed
	allowed   map[string][]trust.Item // what a project was allowed to run, by its folder
}

// Gate decides what agents may do, and confines what they start.
type Gate struct {
	home        *Home
	probe       sync.Once       // of the sandbox's abilities; sets the next three
	holdsAll    bool            // the sandbox confines everything
	holdsFiles  bool            // at least file access
	hidesInside bool            // it can also hide paths inside writable folders
	confining   sync.Once       // sets keeper
	keeper      *confine.Keeper // of what agents' programs may access
	committed   committedCache  // for the last project
}

// Programs are the installed ones that take seats, and their sandbox.
type Programs struct {
	home  *Home
	Views git.Views // of the project, for programs in a panel
}

// Seats are the models that can be in a panel or answer alone.
type Seats struct{ home *Home }

// Pages are the phases, skills, notes and files for a model.
type Pages struct{ home *Home }

// Servers are MCP servers and hooks: the person's own, and what was approved of a project.
type Servers struct {
	home *Home

	mu       sync.Mutex
	attached map[string][]mcp.Server // by an editor, by conversation
}
