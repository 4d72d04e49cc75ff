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

// Wiring is what turns need from outside: they know no vendor and no tool by name. The comment of a field that may be nil says what is
// missing then.
type Wiring struct {
	// Seat makes the model behind a seat's spec.
	Seat func(ctx context.Context, spec string) (llm.Model, error)
	// Attended means that a person is present who can be asked and waited for.
	Attended bool
	Tools    []tool.Tool
	// Acts returns what a program that works in dir is about to do with one of its own calls.
	Acts func(dir string, c llm.Call) []tool.Act
	// Phase finds a phase by name, as it is for a project.
	Phase func(dir, name string) (phase.Phase, error)
	// Tiered returns a seat's spec with the tier of a phase, if the phase has one and the spec names no model; nil: tiers are ignored.
	Tiered func(spec, tier string) string
	// Brief writes the system prompt; notes are what a person should know about how it was made. Bare omits what the
	// project and the person's skills ask for.
	Brief func(ctx context.Context, dir string, p phase.Phase, mode permission.Mode, tools []tool.Tool, bare bool) (
		text phase.Prompt, notes []string, err error)
	// Memory returns the folder whose memory a conversation in dir uses, and how many notes and decisions it is shown
	// at once; nil: there is none.
	Memory func(dir string) (top string, most int, err error)
	// Files returns the files of a project that a name or a pattern means, as a model sees them.
	Files func(ctx context.Context, dir, name string) ([]material.Handle, error)
	// Extend opens what is added to a conversation; taken are tool names that are in use. Nil: nothing is added.
	Extend func(ctx context.Context, dir, session string, taken []string) (Extension, error)
	// Servers returns the names of the MCP servers that Extend would connect in a folder; nil: there are none.
	Servers func(dir string) []string
	// Inner returns the hosts that a project's conversations may reach although they are not on the public internet, as
	// "host" or "host:port"; nil: none.
	Inner func(dir string) []string
	// SkillFolder returns the folder of the skill outside project folders that contains a file, if it may be read; nil: there is none.
	SkillFolder func(ctx context.Context, dir, file string) (string, bool)
	// Examine returns what the project's own formatter and language server find wrong with files that were just changed; start puts their
	// programs into a sandbox, or refuses. Nil: nothing is examined.
	Examine func(ctx context.Context, dir string, s *tool.Session, files []string, start func(*exec.Cmd) (func() error, error)) string
	Guard   Guard
	// Compact says when conversations are summarized; Fallback is the seat that answers if the chosen model cannot, empty: none.
	Compact  CompactAt
	Fallback string
	// Titles is the seat that writes the titles of new conversations; empty: the first words of a conversation are its title.
	Titles string
}

// Guard controls what a turn may do to the system.
type Guard struct {
	// Policy returns what applies in a project: its rules, and the lasting grants. It is called for every call.
	Policy func(dir string, mode permission.Mode) (permission.Policy, error)
	// Grants returns the file that stores the grants for projects.
	Grants func() (kept.File, error)
	// Fetched stores which files and, with a slash at their end, folders of a project came from outside, and which such files an agent
	// committed since the tips of their work trees' repositories were taken. strange means that a command ran which may leave what
	// strangers wrote; otherwise only what had come before counts. Nil: nothing is stored.
	Fetched func(dir string, paths []string, before map[string]git.Tips, strange bool) error
	// Confine puts a program of a conversation into the sandbox that a policy requires; nil: there is none.
	Confine func(p permission.Policy, s, script *tool.Session, by consent.Level, cmd *exec.Cmd) (end func() error, err error)
	// Watch remembers the files that steer tools in a project; again returns what was done to them since, unless that
	// is accepted. Nil: nothing is checked.
	Watch func(p permission.Policy) (again func(accept bool) []string)
}

// inner is Inner, which may be nil.
func (w Wiring) inner(dir string) []string {
	if w.Inner == nil {
		return nil
	}
	return w.Inner(dir)
}

// answeringSpec is the spec of the model that answers in a phase if spec is set.
func (w Wiring) answeringSpec(spec string, p phase.Phase) string {
	if w.Tiered == nil {
		return spec
	}
	return w.Tiered(spec, p.Tier)
}
