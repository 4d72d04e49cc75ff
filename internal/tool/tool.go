// Package tool defines what an agent may do: a named action whose parameters are described by a Go type.
//
// A [Tool] is a value. [New] makes one from a function over a struct: the struct's tags become the schema that the
// model sees, and arguments are decoded into it. Tools from elsewhere (MCP servers, vendors' programs) fill the
// fields themselves.
//
// A tool never decides whether it may act. It says what it is about to do, as [Act] values that name what is really
// affected (absolute paths, expanded words), asks [Env.May], and does nothing unless that returns nil. Reading below
// Env.Dir needs no question, since the conversation is about that folder; Env.Hides and Env.Outside still apply
// there.
//
// Contracts between a tool and whoever calls it:
//
//   - Run returns an error for everything the model should hear of: bad arguments, a refusal, a failing command. It ends
//     nothing, and reads as a sentence with what to do instead. There is no other kind of failure.
//   - Run may be called by several goroutines at once if RunsBeside says so, else one call after the other. State that lasts
//     from call to call belongs into [Session], one value for each type ([Of]).
//   - Output.Text goes to the model and is bounded by the tool; Output.Show is one line for a person. Both are free of what a
//     terminal would obey.
//   - A call ends when ctx does, including what it started, unless it says that something goes on in the background.
//   - Judges see the same arguments as the tool: [Tool.Fitted] brings aliases and types into one form first. Whoever decides
//     by the raw arguments decides about something else.
//
// The package imports no tool; package builtin has them. It holds no policy; package permission judges acts.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/shell"
)

// Effect is the strongest thing a tool can do to the world. It classifies a tool before any call is known: which
// tools a seat gets, which calls run beside others. A call's acts say what it really does.
type Effect string

// The effects, weakest first. A seat at the table gets tools of effect Reads only.
const (
	Talks  Effect = "talks" // nothing outside the conversation: a todo list, a question to the person
	Reads  Effect = "reads"
	Keeps  Effect = "keeps" // a note, which later conversations begin with
	Writes Effect = "writes"
	Runs   Effect = "runs"
	Sends  Effect = "sends" // reaches other machines
)

// Act is one thing a call is about to do, named by what it really affects. A gate decides about it and a person sees
// it.
//
// Which fields count depends on Effect: Path for Reads and Writes, URL for Sends, Dir and Text for Keeps, and for
// Runs one of Script, Command and Argv.
type Act struct {
	Effect Effect `json:"effect"`
	// Path of Reads and Writes: absolute, links followed, even for a file that does not exist yet.
	Path string `json:"path,omitempty"`
	// Argv of Runs: the expanded words, and where they run. Assign are the variables of this one command. Dir of
	// Keeps is the project whose conversations begin with the note; empty means all projects.
	Argv   []string `json:"argv,omitempty"`
	Dir    string   `json:"dir,omitempty"`
	Assign []string `json:"assign,omitempty"`
	// URL of Sends.
	URL string `json:"url,omitempty"`
	// Local means that, according to the person, a tool from elsewhere sends nothing anywhere.
	Local bool `json:"local,omitempty"`
	// Lost says what cannot be restored afterwards, in a few words; empty: it can be undone.
	Lost string `json:"lost,omitempty"`
	// Unknown says what is known only when it runs; empty: everything is known.
	Unknown string `json:"unknown,omitempty"`
	// Script is a shell's whole script, before it runs; Command one command of it, as it runs, and Program the file
	// it is executed from. Runs has one of them where a shell is used.
	Script  *shell.Script  `json:"-"`
	Command *shell.Command `json:"-"`
	Program string         `json:"program,omitempty"`
	// Text is what a person sees: a command as written, a diff. It is no longer than necessary, and never cut.
	Text string `json:"text,omitempty"`
}

// Env is where and on whose account a tool runs. It is made for one call. A nil function switches off its feature as
// its comment says: without Allow nothing may happen.
type Env struct {
	Dir  string // the project folder
	Call string // the id of the call; may be empty
	// Allow is asked before a call does anything but read below Dir, with all acts it is about to do. An error means
	// that none may happen; the model gets it. Nil allows nothing.
	Allow func(ctx context.Context, acts ...Act) error
	// Inner are the hosts that may be reached although they are not on the public internet, as "host" or "host:port".
	Inner []string
	// SkillFolder returns the readable folder of a skill outside Dir that contains a file; nil: there is none.
	SkillFolder func(ctx context.Context, file string) (dir string, ok bool)
	// Hides reports whether a rule forbids reading a file, by its absolute path; nil: none does.
	Hides func(path string) bool
	// Outside reports whether a file, by its absolute path, came from outside, so that showing it needs a question;
	// nil: none did.
	Outside func(path string) bool
	// Vars are additional variables for programs: NAME=value. They are the same in all calls of a Session.
	Vars []string
	// Session is what the tools of one conversation remember from call to call; nil: every call is the first.
	Session *Session
	// Script is what the programs of the call's script share; whoever runs the script closes it then. Nil: nothing.
	Script *Session
	// Held means that a sandbox confines programs, so that bash itself may run a script of which only the words were
	// judged.
	Held bool
	// ByHand means that a person calls the tool, who need not have read a file before changing it.
	ByHand bool
	// Start puts a program that is about to start into its sandbox; end is called once it has ended. Nil: there is none.
	Start func(cmd *exec.Cmd) (end func() error, err error)
	// Out gets the end of the output so far, each time that more has come, for those who watch; nil: nobody does.
	Out func(end string)
	// Ask puts a question to the person; nil, or an error: nobody is there.
	Ask func(ctx context.Context, q Question) (string, error)
	// Waited returns how long the call has waited for the person; nil: not at all.
	Waited func() time.Duration
	// Task gives a task to a subagent and returns its report; nil: there are none.
	Task func(ctx context.Context, t Task) (Output, error)
	// Keep stores a note for later conversations and returns its number; nil: there is no memory.
	Keep func(ctx context.Context, text string, everywhere bool) (number int, err error)
}

// Stopwatch begins to measure how long something takes, without the time spent waiting for the person. The returned
// function may be called repeatedly.
func (e Env) Stopwatch() func() time.Duration {
	waited := func() time.Duration {
		if e.Waited == nil {
			return 0
		}
		return e.Waited()
	}
	began, before := time.Now(), waited()
	return func() time.Duration { return max(0, time.Since(began)-(waited()-before)) }
}

// Task is work for an agent that sees nothing of the conversation that gives it. Empty fields mean the same as there:
// the same model, the same role.
type Task struct {
	Prompt, Role, Model, Tier string
	Reads                     bool // it may only read
}

// Question is what a tool asks the person. If Options is empty, any text is an answer.
type Question struct {
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
}

// May asks Allow, and refuses where there is none.
func (e Env) May(ctx context.Context, acts ...Act) error {
	if e.Allow == nil {
		return errors.New("only reading is allowed here")
	}
	return e.Allow(ctx, acts...)
}

// Output is what a tool returns: Text and Images for the model, Show, one line, for a person. If Run returns an
// error, its text replaces Text.
type Output struct {
	Text, Show string
	Images     []llm.Attachment
	Diff       string   // what changed, as a unified diff, for a person; empty: nothing
	Wrote      []string // files it changed, relative to the project folder
	Whole      string   // the full text, if Text is only its beginning and end; empty: Text is all
}

// Tool is one action.
type Tool struct {
	llm.Spec
	Effect Effect
	// Run executes the call. The model gets an error as a failed result; it ends nothing.
	Run func(ctx context.Context, args json.RawMessage, env Env) (Output, error)
	// Beside reports whether a call may run while others do; nil: if the tool only reads.
	Beside func(args json.RawMessage) bool
	// Changes returns what a call does to files, if its arguments say it in a form of their own; nil: they name one
	// file, or none.
	Changes func(args json.RawMessage) ([]Change, error)

	about func() parameters // nil: Spec is complete
}

// Change is what a call does to one file: which text it removes and adds, as far as the call says. Path is as the
// model wrote it, not resolved.
type Change struct{ Path, Old, New string }

// RunsBeside reports whether a call may run while others do.
func (t Tool) RunsBeside(args json.RawMessage) bool {
	if t.Beside != nil {
		return t.Beside(args)
	}
	return t.Effect == Reads
}

// parameters are a tool's parameters: the schema as it is sent, and as it is traversed.
type parameters struct {
	schema json.RawMessage
	shape  *jsonschema.Schema
}

// Described returns the tool's description for a model.
func (t Tool) Described() llm.Spec {
	if t.about != nil {
		t.Schema = t.about().schema
	}
	return t.Spec
}

// New makes a tool from a function over typed parameters. P must be a struct; its fields' json and
// jsonschema tags become the schema. It panics when P has no schema, once it is needed: a programmer's mistake.
func New[P any](name, doc string, e Effect, run func(context.Context, P, Env) (Output, error)) Tool {
	about := sync.OnceValue(func() parameters { // most runs of the program call no tool
		schema, err := jsonschema.For[P](nil)
		if err != nil {
			panic(fmt.Sprintf("tool %s: %v", name, err))
		}
		raw, err := json.Marshal(schema)
		if err != nil {
			panic(fmt.Sprintf("tool %s: %v", name, err))
		}
		return parameters{raw, schema}
	})
	return Tool{
		Spec:   llm.Spec{Name: name, Doc: doc},
		Effect: e,
		about:  about,
		Run: func(ctx context.Context, args json.RawMessage, env Env) (Output, error) {
			var p P
			if err := decode(args, &p, about().shape); err != nil {
				return Output{}, fmt.Errorf("arguments of %s: %w", name, err)
			}
			return run(ctx, p, env)
		},
	}
}
