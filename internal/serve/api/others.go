package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/engine/evals"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// numbered names a note.
type numbered struct {
	Number int `json:"number"`
}

// keeping is a note to keep.
type keeping struct {
	Text   string `json:"text"`
	Folder string `json:"folder,omitempty" jsonschema:"it applies there and below; empty: everywhere"`
}

// noteRoutes are the routes of notes for later conversations.
func noteRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/notes", "notes.Library.List notes.Library.Holding notes.Library.About", guard.Read,
			"List notes of a folder or of all, or search them", listNotes),
		row("POST", "/api/v1/notes", "notes.Keep", guard.Agent, "Save a note for later conversations",
			func(ctx context.Context, r Request, in keeping) (rooted, error) {
				if in.Folder != "" && r.hides(in.Folder) {
					return rooted{}, notAProject(in.Folder)
				}
				return r.do(ctx, notes.Keep{Text: in.Text, Dir: in.Folder, By: "person"})
			}).status(http.StatusCreated),
		row("GET", "/api/v1/notes/{number}", "notes.Library.Note", guard.Read, "One note",
			func(ctx context.Context, r Request, in numbered) (notes.Note, error) {
				return notes.In(r.Engine).Note(ctx, in.Number)
			}),
		row("DELETE", "/api/v1/notes/{number}", "notes.Forget", guard.Agent, "Move a note to the trash",
			func(ctx context.Context, r Request, in numbered) (rooted, error) {
				return r.do(ctx, notes.Forget{Numbers: []int{in.Number}})
			}),
		row("POST", "/api/v1/notes/{number}/restore", "notes.TakeBack", guard.Agent, "Restore a deleted note",
			func(ctx context.Context, r Request, in numbered) (rooted, error) {
				return r.do(ctx, notes.TakeBack{Number: in.Number})
			}),
		row("GET", "/api/v1/trash/notes", "notes.Library.Forgotten", guard.Read, "List deleted notes",
			func(ctx context.Context, r Request, _ none) (items[notes.Note], error) {
				list, err := notes.In(r.Engine).Forgotten(ctx, "")
				return items[notes.Note]{Items: list}, err
			}),
	}
}

// listNotes lists notes by folder and words.
func listNotes(ctx context.Context, r Request, in Listing) (items[notes.Note], error) {
	list, err := notes.In(r.Engine).List(ctx, in.Folder, in.Words)
	return items[notes.Note]{Items: list}, err
}

// Step is a person's decision about a step of a run.
type Step struct {
	Name string `json:"name"`
	Step string `json:"step"`
	Verb string `json:"verb" jsonschema:"approve, retry, skip or reassign"`
	// Executor is the new executor of a reassigned step.
	Executor string `json:"executor,omitempty" jsonschema:"the seat that gets a reassigned step"`
}

// deleting is a run that is moved to the trash.
type deleting struct {
	Name  string `json:"name"`
	Force bool   `json:"force,omitempty" jsonschema:"even if its result was not accepted"`
}

// runRoutes are the routes of runs of plans. Another process executes a run; pausing leaves a message for it.
func runRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/runs", "runs.Library.List runs.Library.Running", guard.Read, "List runs, newest first",
			func(ctx context.Context, r Request, in Listing) (items[runs.Info], error) {
				list, err := runs.In(r.Engine).List(ctx, in.Folder)
				return items[runs.Info]{Items: list}, err
			}),
		row("GET", "/api/v1/runs/{name}", "runs.Library.Status runs.Library.Info runs.Library.Root runs.Library.Load", guard.Read,
			"A run's progress, step by step", runStatus),
		row("POST", "/api/v1/runs/{name}/steps/{step}", "runs.Decide", guard.Agent, "Approve, retry, skip or reassign a step", Decide),
		row("POST", "/api/v1/runs/{name}/resume", "runs.Advance", guard.Agent, "Start or resume a run in its own process", execute).
			status(http.StatusAccepted),
		row("POST", "/api/v1/runs/{name}/pause", "runs.Hold", guard.Agent, "Pause a run; running steps finish",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, runs.Hold{Run: in.Name})
			}),
		row("POST", "/api/v1/runs/{name}/cancel", "runs.Hold", guard.Agent, "Stop a run at once, in whichever process it runs",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, runs.Hold{Run: in.Name, Cancel: true})
			}),
		row("DELETE", "/api/v1/runs/{name}", "runs.Delete", guard.Agent, "Move a run to the trash, with its workspaces",
			func(ctx context.Context, r Request, in deleting) (rooted, error) {
				return r.do(ctx, runs.Delete{Runs: []string{in.Name}, Forced: in.Force})
			}),
		row("POST", "/api/v1/runs/{name}/restore", "runs.Restore", guard.Agent, "Restore a deleted run",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, runs.Restore{Run: in.Name})
			}),
		row("GET", "/api/v1/trash/runs", "runs.Library.Trash", guard.Read, "List deleted runs",
			func(ctx context.Context, r Request, in Listing) (items[runs.Deleted], error) {
				list, err := runs.In(r.Engine).Trash(ctx, in.Folder)
				return items[runs.Deleted]{Items: list}, err
			}),
	}
}

// runState is the progress of a run.
type runState struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Folder  string      `json:"folder"`
	State   string      `json:"state"`
	Running bool        `json:"running"`
	Died    bool        `json:"died" jsonschema:"its process ended in the middle of it"`
	Steps   []stepState `json:"steps"`
	Head    string      `json:"head,omitempty" jsonschema:"of the run's branch"`
	USD     float64     `json:"cost_usd"`
	// Its current use of the server's machine.
	Programs int     `json:"programs" jsonschema:"running in its workspaces; known on Linux only"`
	CPU      float64 `json:"cpu_s" jsonschema:"of those programs, since they were started"`
	Memory   int64   `json:"memory_bytes" jsonschema:"of those programs"`
	Disk     int64   `json:"disk_bytes" jsonschema:"of its folder; incomplete if it has very many files"`
}

// stepState is the progress of a step.
type stepState struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	State   string   `json:"state"`
	Needs   []string `json:"needs,omitempty"`
	By      string   `json:"by,omitempty"`
	Attempt int      `json:"attempt,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Why     []string `json:"why,omitempty"`
}

// runStatus returns the progress of a run, folded from its nodes.
func runStatus(ctx context.Context, r Request, in Named) (runState, error) {
	info, s, err := runs.In(r.Engine).Info(ctx, in.Name)
	if err != nil {
		return runState{}, err
	}
	load := runs.In(r.Engine).Load(s.Space())
	out := runState{Name: s.Frame.Run, Title: s.Plan.Title, Folder: s.Frame.Dir, State: string(s.State), Head: s.Head,
		USD: s.Usage.USD, Programs: load.Programs, CPU: load.CPU.Seconds(), Memory: load.Memory, Disk: load.Disk,
		Running: info.Running, Died: info.Died}
	for _, t := range s.Tasks {
		out.Steps = append(out.Steps, stepState{t.ID, t.Title, string(t.State), t.Needs, t.Executor, t.Attempt, t.Commit, t.Why})
	}
	return out, nil
}

// Decide records a decision about a step of a run. An approval names the approved change, so it cannot apply to a
// later one.
func Decide(ctx context.Context, r Request, in Step) (rooted, error) {
	_, s, err := runs.In(r.Engine).Status(ctx, in.Name)
	if err != nil {
		return rooted{}, err
	}
	order := record.Order{Verb: in.Verb, Task: in.Step, Executor: in.Executor}
	if t := s.Task(in.Step); t != nil && in.Verb == "approve" {
		order.Commit = t.Change
	}
	return r.do(ctx, runs.Decide{Run: in.Name, Order: order})
}

// execute resumes a run in a process of its own.
func execute(ctx context.Context, r Request, in Named) (taken, error) {
	_, s, err := runs.In(r.Engine).Status(ctx, in.Name)
	if err != nil {
		return taken{}, err
	}
	return taken{"The run continues.", true}, r.Execute(ctx, s.Frame.Dir, s.Frame.Run)
}

// health is the state of the server.
type health struct {
	OK      bool     `json:"ok"`
	Version string   `json:"version"`
	Damage  []string `json:"damage,omitempty"`
}

// oneStrategy is a way to debate.
type oneStrategy struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// otherRoutes are the routes of evaluations, seats, the server itself, and the streams of events.
func otherRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/evals", "evals.Library.List", guard.Read, "List evaluations, newest first",
			func(ctx context.Context, r Request, _ none) (items[evals.Info], error) {
				list, err := evals.In(r.Engine).List(ctx)
				return items[evals.Info]{Items: list}, err
			}),
		row("GET", "/api/v1/evals/{name}", "evals.Library.Evaluation", guard.Read, "One evaluation, with its outcomes",
			func(ctx context.Context, r Request, in Named) (evals.Evaluation, error) {
				return evals.In(r.Engine).Evaluation(ctx, in.Name)
			}),
		row("GET", "/api/v1/seats", "", guard.Read, "List seats, with the reason if one is unavailable",
			func(ctx context.Context, r Request,
				_ none) (items[Candidate], error) {
				list, err := r.Seats(ctx)
				return items[Candidate]{Items: list}, err
			}),
		row("GET", "/api/v1/strategies", "", guard.Read, "List debate strategies", func(context.Context, Request,
			none) (items[oneStrategy], error) {
			out := items[oneStrategy]{}
			for _, s := range strategy.All() {
				out.Items = append(out.Items, oneStrategy{s.Name, s.Doc})
			}
			return out, nil
		}),
		row("GET", "/api/v1/health", "Engine.Check", guard.Read, "Check the store for damage",
			func(ctx context.Context, r Request, _ none) (health, error) {
				damage, err := r.Engine.Check(ctx, false)
				return health{len(damage) == 0, r.Version, damage}, err
			}),
		{Method: "GET", Path: "/healthz", Doc: "Health check", raw: func(h *Host, w http.ResponseWriter,
			_ *http.Request) error {
			return h.json(w, map[string]bool{"ok": true})
		}},
		{Method: "GET", Path: "/openapi.json", Doc: "This description", Scope: guard.Read, raw: func(h *Host, w http.ResponseWriter,
			_ *http.Request) error {
			doc, err := openAPI(h.Version)
			if err != nil {
				return err
			}
			return h.json(w, doc)
		}},
		{Method: "GET", Path: "/api/v1/debates/{name}/events", Ops: "Engine.Follow Engine.Watch Engine.LastSeq", Scope: guard.Read,
			raw: roomEvents, Doc: "Follow a debate: server-sent events"},
		{Method: "GET", Path: "/api/v1/trees/{name}/events", Scope: guard.Read, raw: treeEvents, Doc: "Follow a conversation"},
		{Method: "GET", Path: "/api/v1/runs/{name}/events", Scope: guard.Read, raw: runEvents, Doc: "Follow a run"},
		{Method: "GET", Path: "/api/v1/events", Ops: "Engine.Called", Scope: guard.Read, raw: allEvents, Doc: "Follow everything"},
	}
}

// json writes an answer of a raw route.
func (h *Host) json(w http.ResponseWriter, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", cmp.Or(w.Header().Get("Content-Type"), "application/json"))
	w.Write([]byte(h.Clean(string(raw)) + "\n"))
	return nil
}
