package turns

import (
	"context"
	"os/exec"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Wiring is what turns are given from outside: they know no vendor and no tool by name. A nil field says what is missing then.
type Wiring struct {
	// Seat makes the model behind a seat's spec.
	Seat func(ctx context.Context, spec string) (llm.Model, error)
	// Attended says that a person is there who can be asked and waited for.
	Attended bool
	Tools    []tool.Tool
	// Acts is what a program that works in dir is about to do by a call of its own.
	Acts func(dir string, c llm.Call) []tool.Act
	// Phase finds a phase by name, as it is for a project.
	Phase func(dir, name string) (phase.Phase, error)
	// Tiered is a seat's spec with the tier of a phase, which may have none, if it names no model; nil: tiers are not heeded.
	Tiered func(spec, tier string) string
	// Brief writes the system prompt; notes are what a person should know about how it was made. Bare leaves out what the
	// project and the person's skills ask for.
	Brief func(ctx context.Context, dir string, p phase.Phase, mode permission.Mode, tools []tool.Tool, bare bool) (
		text phase.Prompt, notes []string, err error)
	// Memory says which folder's memory a conversation in dir has, and how many notes and decisions it is shown at once;
	// nil: there is none.
	Memory func(dir string) (top string, most int, err error)
	// Files shows the files of a project that a name or a pattern means as a model is to see them.
	Files func(ctx context.Context, dir, name string) ([]material.Handle, error)
	// Extend opens what is added to a conversation besides; taken are the names of tools that are taken. Nil: nothing is.
	Extend func(ctx context.Context, dir, session string, taken []string) (Extension, error)
	// Servers are the names of the MCP servers that Extend would connect in a folder; nil: there are none.
	Servers func(dir string) []string
	// Inner are the hosts that a project's conversations may reach although they are not on the public internet, as "host"
	// or "host:port"; nil: none.
	Inner func(dir string) []string
	// SkillFolder is the folder of a skill outside a project folder that a file lies in and that may be read; nil: there is none.
	SkillFolder func(ctx context.Context, dir, file string) (string, bool)
	// Examine says what the project's own formatter and language server find wrong with files that were just changed; start puts their
	// programs into a sandbox, or refuses. Nil: nothing is looked at.
	Examine func(ctx context.Context, dir string, s *tool.Session, files []string, start func(*exec.Cmd) (func() error, error)) string
	Guard   Guard
	// Compact is when conversations are summed up; Fallback the seat that answers where the chosen model cannot, empty: none.
	Compact  CompactAt
	Fallback string
	// Titles is the seat that writes the titles of new conversations; empty: they are their first words.
	Titles string
}

// Guard is what stands between a turn and the system.
type Guard struct {
	// Policy is what holds in a project: its rules, and the grants that last. It is asked again for every call.
	Policy func(dir string, mode permission.Mode) (permission.Policy, error)
	// Grants is where grants for projects are kept.
	Grants func() (kept.File, error)
	// Fetched keeps which files and, with a slash at their end, folders of a project came from outside, and which such files an agent
	// committed since the tips of their work trees' repositories were taken. strange says that a command ran which may leave what
	// strangers wrote; otherwise only what had come before counts. Nil: nobody keeps it.
	Fetched func(dir string, paths []string, before map[string]git.Tips, strange bool) error
	// Confine puts a program of a conversation into the sandbox that a policy asks for; nil: there is none.
	Confine func(p permission.Policy, s, script *tool.Session, by consent.Level, cmd *exec.Cmd) (end func() error, err error)
	// Watch looks at what steers tools in a project; again tells what was done to it since, unless that is accepted. Nil:
	// nothing is looked at.
	Watch func(p permission.Policy) (again func(accept bool) []string)
}

// inner is Inner, which may be nil.
func (w Wiring) inner(dir string) []string {
	if w.Inner == nil {
		return nil
	}
	return w.Inner(dir)
}

// answeringSpec is the spec of the model that answers in a phase where spec is set.
func (w Wiring) answeringSpec(spec string, p phase.Phase) string {
	if w.Tiered == nil {
		return spec
	}
	return w.Tiered(spec, p.Tier)
}
