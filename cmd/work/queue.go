package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// mostAttached limits the total size of files attached to a prompt, in bytes.
const mostAttached = 1 << 20

// prompts are the commands of a project's queue.
type prompts struct{ *commands }

// newQueue is the command queue.
func newQueue(a *commands) *cobra.Command {
	q := &prompts{a}
	c := &cobra.Command{Use: "queue", Short: "Queue prompts and execute them, one run at a time",
		Long: `Queue prompts for this project. work queue run executes them one at a time, each like socrates
do: refine, analyze, plan, execute. After two failures in a row the queue stops; work queue run
continues with the next prompt. Results wait for you: list them with socrates work board, accept one
with socrates work accept.`,
		Example: `  socrates work queue add --check "go test ./..." "make the client retry"
  socrates work queue add --attach trace.txt "find out why the client hangs"
  socrates work queue run`}
	c.AddCommand(q.add(), q.listed().List("List queued prompts and their progress"), q.run(), q.stop(), q.drop())
	return c
}

// act makes a command act on the current project.
func (q *prompts) act(c *cobra.Command, do func(ctx context.Context, e *engine.Engine, dir string, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, end := q.Ended(c.Context())
		defer end()
		e, dir, err := q.here(ctx)
		if err != nil {
			return err
		}
		return do(ctx, e, dir, args)
	}
	return c
}

// here returns the engine and the current project.
func (q *prompts) here(ctx context.Context) (*engine.Engine, string, error) {
	e, err := q.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	dir, err := q.project()
	return e, dir, err
}

// add returns the command queue add. Its flags are those of do and are frozen with the prompt.
func (q *prompts) add() *cobra.Command {
	f, attach := &flags{}, []string{}
	c := &cobra.Command{Use: "add PROMPT", Short: "Put a prompt at the end of the queue", Args: cobra.MinimumNArgs(1),
		Long: `The prompt waits, with the settings given here, until work queue run executes it. Attached files
are saved now and given to the model with the prompt.`}
	f.analysis(c)
	f.proofs(c)
	f.execution(c)
	f.limits(c)
	s := c.Flags()
	s.BoolVar(&f.skip, "skip-refine", false, "use the request as given")
	s.StringVar(&f.way.Effort, "effort", "", "reasoning effort: low, medium, high")
	s.StringArrayVar(&attach, "attach", nil, "attach this text `file` to the prompt (repeatable)")
	return q.act(c, func(ctx context.Context, e *engine.Engine, dir string, args []string) error {
		phases := []way.Phase{way.Refine, way.Analyze, way.Plan, way.Execute}
		if f.skip {
			phases = phases[1:]
		}
		if err := f.sound(phases...); err != nil {
			return err
		}
		if err := usual(q.commands, f); err != nil {
			return err
		}
		op := queues.Add{Dir: dir, Text: q.Out.Clean(strings.Join(args, " ")), Way: f.way}
		var err error
		if op.Data, op.Files, err = q.attached(attach); err != nil {
			return err
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		all, err := queues.In(e).List(ctx, dir)
		if err != nil || len(all) == 0 {
			return err
		}
		// The list of one folder has one queue, and the latest prompt is last.
		n := all[0].Items[len(all[0].Items)-1].Number
		return q.done(fmt.Sprintf("Queued as prompt %d. Execute it: socrates work queue run", n), prompted{n})
	})
}

// attached reads the files of a prompt now, because they may be gone when the prompt's turn comes.
func (q *prompts) attached(files []string) (data string, names []string, err error) {
	for _, file := range files {
		raw, err := os.ReadFile(file)
		switch {
		case err != nil:
			return "", nil, failure.Usage("cannot attach "+file+": "+err.Error(), "")
		case len(data)+len(raw) > mostAttached:
			return "", nil, failure.Usage("the attachments exceed 1 MB",
				"name the files in the prompt: agents read the project themselves")
		case !utf8.Valid(raw) || strings.ContainsRune(string(raw), 0):
			return "", nil, failure.Usage("cannot attach "+file+": it is not text", "")
		}
		name := filepath.Base(file)
		names = append(names, name)
		data += "## " + name + "\n\n" + strings.TrimRight(q.Out.Clean(string(raw)), "\n") + "\n\n"
	}
	return strings.TrimSpace(data), names, nil
}

// listed describes queues for noun: one for each project, with its prompts.
func (q *prompts) listed() noun.Noun[queues.Info] {
	return noun.Noun[queues.Info]{Call: q.Call, Is: "queue", Are: "queued prompts", Path: "socrates work queue",
		First: `Add one: socrates work queue add "…"`, Scope: noun.Scope{Is: "project", Here: q.project},
		Rows: noun.Stored(q.Call, func(ctx context.Context, e *engine.Engine, query noun.Query) ([]queues.Info, error) {
			return queues.In(e).List(ctx, query.Dir)
		}),
		Line: func(one queues.Info) string {
			head := map[bool]string{true: "running", false: "idle"}[one.Running]
			if !one.Running && one.Broken() {
				head = "stopped after " + out.Count(one.Failures, "failure") + " in a row"
			}
			text := clean.Line(one.Dir+": "+head) + "\n"
			for _, i := range one.Items {
				text += clean.Line("  "+prompt(i, one.Running)) + "\n"
			}
			return text
		}}
}

// prompt formats one of a queue, on one line.
func prompt(i queue.Item, running bool) string {
	state := i.State
	if state == queue.Working && !running {
		state = "stopped" // its process has ended; the next run of the queue resumes it
	}
	line := fmt.Sprintf("%-3d %-9s %s", i.Number, state, i.Title())
	if n := len(i.Files); n > 0 {
		line += " (with " + strings.Join(i.Files, ", ") + ")"
	}
	if i.Run != "" {
		line += " · run " + i.Run
	}
	if i.Why != "" {
		line += " · " + i.Why
	}
	return line
}

// run returns the command queue run. It ends when the queue is empty, was stopped, or has failed too often in a row.
func (q *prompts) run() *cobra.Command {
	c := &cobra.Command{Use: "run", Short: "Execute the queued prompts, one after the other", Args: cobra.NoArgs,
		Long: `Each prompt becomes a run that goes through its phases; watch one with socrates work watch. A run
that waits for you does not hold up the next prompt. Interrupted prompts resume first, and nothing is
done twice.`}
	call.Unattended(c)
	return q.act(c, func(ctx context.Context, e *engine.Engine, dir string, _ []string) error {
		root, err := e.Do(ctx, queues.Run{Dir: dir})
		if err != nil {
			return err
		}
		t := work.Teller{}
		before, err := e.Tree(ctx, root)
		if err != nil {
			return err
		}
		seq := e.Recorded(root)
		// Nodes added after the job began come from Watch; counting them twice would report old failures again.
		for _, n := range before {
			if n.Seq <= seq {
				t.Hear(n)
			}
		}
		begun := len(t.Nodes)
		for n, err := range e.Watch(ctx, root, seq) {
			if err != nil {
				break // its context ended, and with it the job's
			}
			if n.Node == nil {
				continue
			}
			q.stream(*n.Node)
			if line := t.Hear(*n.Node); line != "" {
				q.Out.Tell(clean.Line(line) + "\n")
			}
		}
		if err := e.Wait(root); errors.Is(err, context.Canceled) {
			return failure.New(failure.ExitInterrupted, "interrupted", "stopped; everything so far is saved",
				"continue with: socrates work queue run")
		} else if err != nil {
			return err
		}
		return q.came(&t, begun)
	})
}

// came reports the results of a queue; its first before nodes are older than this process. Only prompts that ended in
// this process count: others were reported by theirs.
func (q *prompts) came(t *work.Teller, before int) error {
	failed, person := 0, 0
	for _, end := range queue.EndKind.All(t.Nodes[before:]) {
		// A prompt that waits for a person is no failure of the queue.
		switch work.State(end.State) {
		case work.Done:
		case work.Person:
			person++
		default:
			failed++
		}
	}
	switch {
	// A failure outweighs waiting prompts: it needs attention, they need an answer.
	case failed > 0:
		return failure.New(failure.ExitTasks, "queue", out.Count(failed, "prompt")+" failed or stopped", t.End())
	case person > 0:
		return failure.New(failure.ExitPerson, "person", out.Count(person, "prompt")+" waiting for you",
			"see why: socrates work queue list")
	}
	return q.done(t.End(), emptied{*t.Queue})
}

// stop returns the command queue stop: a message in the record, which the process that works on the queue reads.
func (q *prompts) stop() *cobra.Command {
	now := false
	c := &cobra.Command{Use: "stop", Short: "Stop the queue after the running prompt", Args: cobra.NoArgs,
		Long: "The running prompt finishes, unless --now stops it too. Finished steps are kept."}
	c.Flags().BoolVar(&now, "now", false, "also stop the running prompt")
	return q.act(c, func(ctx context.Context, e *engine.Engine, dir string, _ []string) error {
		if _, err := e.Do(ctx, queues.Stop{Dir: dir, Now: now}); err != nil {
			return err
		}
		when := map[bool]string{true: "now", false: "after the running prompt"}[now]
		return q.done("The queue stops "+when+". Resume with: socrates work queue run", stopped{dir})
	})
}

// drop is the command queue drop. A prompt that has begun is a run and cannot be dropped.
func (q *prompts) drop() *cobra.Command {
	waits := noun.Noun[queue.Item]{Call: q.Call, Is: "prompt", Are: "queued prompts", Path: "socrates work queue", Numbers: true,
		Scope: noun.Scope{Is: "project", Here: q.project},
		Rows: noun.Stored(q.Call, func(ctx context.Context, e *engine.Engine, query noun.Query) (list []queue.Item, _ error) {
			all, err := queues.In(e).List(ctx, query.Dir)
			for _, one := range all {
				list = append(list, one.Items...)
			}
			return slices.DeleteFunc(list, func(i queue.Item) bool { return i.State != queue.Waiting }), err
		}),
		Line: func(i queue.Item) string { return clean.Line(prompt(i, false)) + "\n" },
		Name: func(i queue.Item) (string, string) { return strconv.Itoa(i.Number), out.Clip(i.Title(), 60) }}
	return waits.Drops(&cobra.Command{Use: "drop NUMBER", Aliases: []string{"rm"}, Short: "Remove a waiting prompt from the queue"},
		func(ctx context.Context, number string) error {
			e, dir, err := q.here(ctx)
			if err != nil {
				return err
			}
			if _, err := e.Do(ctx, queues.Drop{Dir: dir, Number: noun.Int(number)}); err != nil {
				return err
			}
			return q.done("Dropped prompt "+number+".", dropped{noun.Int(number)})
		})
}
