// Package cli seats other vendors' coding programs at the table: it starts them, talks to them over their pipes in
// their own JSON lines, and presents each as an llm.Model that reads a folder and, without leave, writes nothing.
//
// A [Program] is one file: its arguments, what it may see of the environment and of the person's files, and its
// dialect. [Options] say how it is run, [Hold] how the system confines it, and Program.New makes the model. [Look]
// and [Probe] tell whether a program is installed and signed in; [Agent] is any program that speaks the Agent Client
// Protocol.
//
// How the parts fit:
//
//   - A session of requests is a seat, and a seat has at most one process (model.go). The process remembers the
//     conversation, so that a request only says what is new. If it was started for another system prompt, folder or
//     effort, or remembers something else than the request says, it is ended and a new one gets the whole
//     history.
//   - A process is a program in a group of its own, spoken to in lines (process.go). Whatever happens to it, its
//     group, its home and its network are gone once somebody has waited for its end.
//   - A dialect turns lines into deltas: stream-json (claude.go), codex's app-server (codex.go), ACP (acp*.go, spoken
//     by most), pi's rpc (pi.go), and plain text (crush.go).
//   - A home holds what is written for one process: settings of ours, links to the person's login, temporary files
//     (private.go).
//   - What the system lets a process do is gathered in hold.go from the program's reach and from the endpoints its
//     settings name (hosts.go).
//
// What a caller may assume. A model is safe for concurrent use; calls of one session run one after another, others in
// parallel. The model must be closed: it keeps a process warm for a while after each turn. A failure is a
// *trouble.Error or the error of the context, and holds no key that the program was given. If a reader leaves a
// stream early, the turn is interrupted at the vendor, too. Without Request.Leave a program gets only tools that
// read, and any other request is refused; with it, it asks before it changes files or runs commands, and its calls
// and their results are reported as ours.
//
// What it does not do. It installs nothing and signs nobody in. It guarantees nothing for a program that is not held:
// only flags and settings then keep it from writing. Request.Tools and Request.MaxTokens have no effect on any
// program.
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
	Bin    string   // the program's path or name; empty means its usual name
	Model  string   // as the program names models; empty means the program's own choice
	Effort string   // as in llm.Request, whose Effort wins
	Home   string   // the program's private state folder, made 0700; empty means the user's own, so that their login works
	Env    []string // NAME=value, added to what the program may see of our environment
	Info   llm.Info // what is known of the model; ID and Lineage are filled in, Acts is always true

	Grace time.Duration // how long a program may take to stop or exit before it is killed; 0 means 2 s
	Keep  time.Duration // how long an unused process stays alive; 0 means 5 min
	// Longest limits the time of one answer; 0 means as long as the caller waits.
	Longest time.Duration
	// Handshake limits each step of opening a conversation that involves no model; 0 means 60 s.
	Handshake time.Duration
	// Mute is how long a held program may go on after one of its own hosts could not be reached and no other was; 0
	// means 20 s.
	Mute time.Duration
	// Hold is how the system confines the program; nil means not at all.
	Hold *Hold
}

// Program is one vendor's program. [Programs] lists the known ones; [Agent] makes others. A Program is a value
// without state, safe for concurrent use.
//
// Its functions read only the environment and files, start nothing and use no network. They are called for each
// process, so a changed login or setting takes effect with the next one.
type Program struct {
	Name    string
	Lineage string // empty means that of the model it is set to

	// launch returns the arguments of one process and the variables it needs in any environment.
	launch func(o Options, req llm.Request) (args, env []string)
	// prepare writes the files that the program needs into the home of one process, and returns the variables that
	// point there. An error says why the program must not be seated. nil: nothing needs to be written.
	prepare func(h *home, o Options, req llm.Request) (vars []string, err error)
	// sees selects the variables of our environment the program may see, besides those every program sees.
	sees func(o Options, env environ) func(name string) bool
	// notices matches lines of stderr that the dialect must hear: some programs report only there that they try
	// again. nil: none.
	notices func() *regexp.Regexp
	// speak makes the dialect of one process.
	speak func(o Options) dialect
	// reach returns what the program needs of the person's files and of the network.
	reach func(env environ, o Options) reach
	// lodge returns what a held agent built on the program needs, if reach and the program's folder at home are not
	// enough: some create files directly in the home, and nobody else's home is written to. nil: they are enough.
	lodge func(env environ, o Options) (reach, func(h *home) (vars []string, err error))
	// signedIn looks only at files and variables.
	signedIn func(env environ) (SignedIn, string)

	// The rest is zero for most programs.

	// asks: with leave it works, and asks before each tool use.
	asks bool
	// bin is the program's path or name; empty means its Name.
	bin string

	// chosen returns the model that the program's own settings name; empty if unknown. Programs that have it have no
	// Lineage.
	chosen func(env environ) string
	// extra are arguments that name what prepare wrote.
	extra func(folder string) []string
	// skim returns a short line in place of a long one, judged by its beginning; false means that the whole line is
	// needed.
	skim func(head []byte) ([]byte, bool)
	// text: it answers one prompt in plain text and exits. Its dialect hears pieces instead of lines, cut anywhere,
	// and an empty one when the program has ended.
	text bool
}

// Command returns what starts the program: a name to look up on PATH, or a path.
func (p Program) Command() string { return cmp.Or(p.bin, p.Name) }

// Chosen returns the model that the user's own settings of the program name, for programs that serve many vendors'
// models. Empty if unknown, or if the program has one Lineage.
func (p Program) Chosen() string {
	if p.chosen == nil {
		return ""
	}
	return p.chosen(environment())
}

// Programs are all programs that can be seated, by name.
var Programs = []Program{claude, codex, copilot, crush, gemini, grok, kimi, opencode, pi, qwen}

// dialect is what a program speaks. A value serves one process; its methods are never called concurrently.
//
// The order is open, then for each turn ask and hear for every line until that returns an end or an error. Lines that
// come before ask, or belong to an interrupted turn, are heard as well and must close nothing.
type dialect interface {
	// open sends what is needed before the first turn, and waits for the answers. No model is asked. After an error
	// the process is ended.
	open(ctx context.Context, p *process, req llm.Request) error
	// ask starts a turn.
	ask(ctx context.Context, p *process, in prompt, req llm.Request) error
	// hear processes one line of the program. An end or an error closes the turn; with neither, more will follow.
	// What say gets is forwarded at once, or discarded if nobody listens any more. The end's message is the whole
	// last answer, although parts of it were said before.
	hear(ctx context.Context, p *process, line []byte, say func(llm.Delta)) (*llm.End, error)
	// interrupt asks the program to stop the turn, which then closes through hear. From then on nothing more has
	// leave. An error means that the process must be ended instead.
	interrupt(ctx context.Context, p *process) error
}

// tries is how often a program may repeat a request by itself before it is told to stop.
const tries = 2

// New makes a model that p answers for. It implements io.Closer. Nothing is started before the first call. Close must
// be called; it ends every remaining process.
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
		o.Info.Bound = "nothing confines it to the project"
	}
	return &model{program: p, o: o, seats: map[string]*liveSession{}, live: map[*talk]bool{}}
}
