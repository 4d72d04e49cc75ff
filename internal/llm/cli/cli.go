// Package cli seats other vendors' coding programs at the table: it starts them, talks to them over their pipes in
// their own JSON lines, and shows each as an llm.Model that reads a folder and writes nothing.
//
// A program is one file: what it is started with, what it is allowed to see of the environment, and its dialect.
package cli

import (
	"cmp"
	"context"
	"regexp"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Options says how a program is run. The zero value runs the one on PATH with the user's own login and model.
type Options struct {
	Bin    string   // the program's path or name; empty: its usual name
	Model  string   // as the program names models; empty: the program's own choice
	Effort string   // as in llm.Request, whose Effort wins
	Home   string   // the program's private state folder, made 0700; empty: the user's own, so that their login works
	Env    []string // NAME=value, added to what the program may see of our environment
	Info   llm.Info // what is known of the model; ID and Lineage are filled in, Acts is always true

	Grace time.Duration // how long a program may take to break off or to end before it is killed; 0: 2 s
	Keep  time.Duration // how long an unused process stays warm; 0: 5 min
	// Longest is how long one answer may take; 0: as long as the caller waits.
	Longest time.Duration
	// Handshake bounds each step of opening a conversation that no model takes part in; 0: 60 s.
	Handshake time.Duration
	// Mute is how long a program that is held may go on once a host of its own could not be reached, and none other was;
	// 0: 20 s.
	Mute time.Duration
	// Hold is how the system keeps the program in bounds; nil: not at all.
	Hold *Hold
}

// Program is one vendor's program.
type Program struct {
	Name    string
	Lineage string // empty: that of the model it is set to

	// launch returns the arguments of one process and the variables it needs whatever the environment is.
	launch func(o Options, req llm.Request) (args, env []string)
	// prepare writes what the program must be told in files into a home that goes with the process, and returns the
	// variables that point there. An error says why the program must not be seated. nil: nothing needs to be written.
	prepare func(h *home, o Options, req llm.Request) (vars []string, err error)
	// sees picks the variables of our environment the program may see, besides those every program sees.
	sees func(o Options, env environ) func(name string) bool
	// heeds matches lines of stderr that the dialect is to hear: some programs tell only there that they try again.
	// nil: none.
	heeds func() *regexp.Regexp
	// speak makes the dialect of one process.
	speak func(o Options) dialect
	// reach is what the program needs of the person's files and of the network.
	reach func(env environ, o Options) reach
	// lodge says what an agent that is built on the program needs where it is held, if it cannot live with reach and the
	// program's folder at home: some make files right in the home, and nobody else's home is written to. nil: it can.
	lodge func(env environ, o Options) (reach, func(h *home) (vars []string, err error))
	// signedIn judges from files and variables alone.
	signedIn func(env environ) (SignedIn, string)

	// The rest is zero for most programs.

	// asks: with leave it works, and asks before each use of a tool.
	asks bool
	// bin is the program's path or name; empty: its Name.
	bin string

	// chosen is the model the program's own settings name; empty: unknown. Those that have it have no Lineage.
	chosen func(env environ) string
	// extra are arguments that name what prepare wrote.
	extra func(folder string) []string
	// skim returns a short line that stands for a long one, judged by its beginning; false: all of it is wanted.
	skim func(head []byte) ([]byte, bool)
	// text: it answers one prompt in plain text and ends. Its dialect hears pieces instead of lines, whatever they break
	// off at, and an empty one when the program has ended.
	text bool
}

// Command is what starts the program: a name to be looked for on PATH, or a path.
func (p Program) Command() string { return cmp.Or(p.bin, p.Name) }

// Chosen is the model the user's own settings of the program name, for programs that serve many vendors' models.
// Empty: unknown, or the program is of one Lineage.
func (p Program) Chosen() string {
	if p.chosen == nil {
		return ""
	}
	return p.chosen(environment())
}

// Programs are all programs that can be seated, by name.
var Programs = []Program{claude, codex, copilot, crush, gemini, grok, kimi, opencode, pi, qwen}

// dialect is what a program speaks. A value serves one process; its methods are never called concurrently.
type dialect interface {
	// open says what must be said before the first turn, and waits for the answers.
	open(ctx context.Context, p *process, req llm.Request) error
	// ask starts a turn.
	ask(ctx context.Context, p *process, in prompt, req llm.Request) error
	// hear takes in one line of the program. An end or an error closes the turn.
	hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error)
	// interrupt asks the program to break off the turn, which then closes through hear.
	interrupt(ctx context.Context, p *process) error
}

// tries is how often a program may try a request of its own accord before it is told to stop.
const tries = 2

// New makes a model that p answers for. It implements io.Closer. Nothing is started before the first call.
func (p Program) New(o Options) llm.Model {
	if o.Bin == "" {
		o.Bin = p.Command()
	}
	if o.Grace == 0 {
		o.Grace = 2 * time.Second
	}
	if o.Keep == 0 {
		o.Keep = 5 * time.Minute
	}
	if o.Handshake == 0 {
		o.Handshake = time.Minute
	}
	if o.Mute == 0 {
		o.Mute = 20 * time.Second
	}
	if o.Info.ID == "" {
		o.Info.ID = o.Model
	}
	if o.Info.ID == "" {
		o.Info.ID = p.Name
	}
	if o.Info.Lineage == "" {
		o.Info.Lineage = cmp.Or(p.Lineage, p.Name)
	}
	o.Info.Acts, o.Info.Held, o.Info.Asks = true, o.Hold != nil, p.asks
	if o.Info.Bound == "" && (o.Hold == nil || !o.Hold.Cell || o.Hold.Work == nil) {
		o.Info.Bound = "nothing keeps it to the project"
	}
	return &model{program: p, o: o, seats: map[string]*seat{}, live: map[*talk]bool{}}
}
